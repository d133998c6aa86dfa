import { defineIssues, fault } from './issue.ts';

/** Texts that Puppet's evaluator and scopes raise without an issue code. */

export const UNCODED_EVALUATION_ISSUES = defineIssues({
  EVALUATION_ERROR: fault('Evaluation Error: %{detail}'),
  NUMERIC_VARIABLE_NOT_ASSIGNABLE: fault("Cannot assign to a numeric match result variable '$%{name}'"),
  RESERVED_VARIABLE_NAME: fault("Attempt to assign to a reserved variable name: '%{name}'"),
  VARIABLE_ALREADY_ASSIGNED: fault("Cannot reassign variable '$%{name}'"),
  FUNCTION_UNKNOWN: fault("Unknown function '%{name}'"),
  METHOD_NOT_IMPLEMENTED: fault('no method is implemented for %{member}'),
  BINARY_APPEND_NOT_BINARY: fault('Can only append Binary to a Binary'),
  URI_MERGE_NOT_URI: fault('An URI can only be merged with an URI or String'),
  HASH_APPEND_NOT_COLLECTION: fault('Can only append Array or Hash to a Hash'),
  ILLEGAL_JUMP: fault('%{name}() from context where this is illegal'),
  APPLY_EXECUTOR_MISSING: fault("Unable to lookup 'apply_executor'"),
  LEGACY_FUNCTION_ARITY: fault('%{name}(): Wrong number of arguments given (%{given} for %{arity})'),
  LEGACY_FUNCTION_MINIMUM_ARITY: fault('%{name}(): Wrong number of arguments given (%{given} for minimum %{minimum})'),
  ITERATOR_NOT_SUPPORTED_HERE: fault('Use of an Iterator is not supported here'),
  TYPE_NOT_SPLITTABLE: fault('Cannot split the type %{type}, it represents neither a PClassType, nor a PResourceType.'),
  INVALID_RESOURCE_REFERENCE: fault('No title provided and %{reference} is not a valid resource reference'),
  COLLECTED_TYPE_NO_NAME: fault('LHS is not a type'),
  NUMERIC_VARIABLES_FIXED: fault('Numerical variables cannot be changed. Attempt to set $%{name}'),
  ASSIGNMENT_IN_PARAMETERS: fault('Attempt to assign variable %{name} when evaluating parameters'),
  PARAMETER_VALUE_EXPECTED: fault('%{callee}: expects a value for parameter $%{name}'),
  PARAMETER_NOT_YET_EVALUATED: fault(
    '%{callee}: default expression for $%{from} tries to illegally access not yet evaluated $%{to}',
  ),
  PARAMETER_TYPE_NO_TYPE: fault('The type of a parameter must be a type'),
  TITLE_PATTERNS_UNMATCHED: fault('No set of title patterns matched the title "%{title}".'),
  UNDEFINED_VARIABLE: fault("Undefined variable '%{name}'; %{reason}"),
  NO_ADDITION_TO_TIMESPAN: fault('%{operand.A} cannot be added to a Timespan'),
  NO_SUBTRACTION_FROM_TIMESPAN: fault('%{operand.A} cannot be subtracted from a Timespan'),
  // Puppet: the message says Timestamp.
  NO_MULTIPLICATION_OF_TIMESPAN: fault('A Timestamp cannot be multiplied by %{operand.a}'),
  NO_DIVISION_OF_TIMESPAN: fault('A Timespan cannot be divided by %{operand.a}'),
  // Puppet: the text has two articles.
  NO_MODULUS_OF_TIMESPAN: fault('Can not do modulus on a Timespan using a %{operand.a}'),
  NO_ADDITION_TO_TIMESTAMP: fault('%{operand.A} cannot be added to a Timestamp'),
  NO_SUBTRACTION_FROM_TIMESTAMP: fault('%{operand.A} cannot be subtracted from a Timestamp'),
});

/** Texts that Puppet raises in lookups, lib/puppet/pops/lookup. */

export const UNCODED_LOOKUP_ISSUES = defineIssues({
  YAML_FILE_NO_HASH: fault('%{path}: file does not contain a valid yaml hash'),
  CONVERT_TO_FAILED: fault("The convert_to lookup_option for key '%{key}' raised error: %{detail}"),
  CONVERT_TO_TYPE_INVALID: fault(
    "Invalid data type in lookup_options for key '%{key}' could not parse '%{text}', error: '%{detail}",
  ),
  DATA_FILE_UNPARSABLE: fault('Unable to parse %{detail}'),
  DATA_FILE_AT_PATH_UNPARSABLE: fault('Unable to parse (%{path}): %{detail}'),
  KNOCKOUT_PREFIX_EMPTY: fault('knockout_prefix cannot be an empty string in deep_merge!'),
  LOOKUP_VALUE_TYPE: fault('%{where} has wrong type, expects Puppet::LookupValue, got %{actual}'),
  EYAML_PATH_MISSING: fault(
    "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this lookup_key function",
  ),
  EYAML_DECRYPTION_FAILED: fault(
    'hiera-eyaml backend error decrypting %{text} when looking up %{key} in %{path}. Error was %{detail}',
  ),
  RECURSIVE_LOOKUP: fault('Recursive lookup detected in [%{names}]'),
  ENVIRONMENT_DATA_PROVIDER_NOT_FOUND: fault(
    "Environment '%{environment}', cannot find environment_data_provider '%{provider}'",
  ),
  MODULE_DATA_PROVIDER_NOT_FOUND: fault("Environment '%{environment}', cannot find module_data_provider '%{provider}'"),
  LOOKUP_RESULT_NO_HASH: fault('value has wrong type, expects a Hash value, got %{actual}'),
  DOTTED_KEY_RESOLUTION_TYPE: fault(
    "Resolution type :%{type} is illegal when accessing values using dotted keys. Offending key was '%{key}'",
  ),
  LOOKUP_KEY_SYNTAX: fault('Syntax error %{where}'),
  DATA_PROVIDER_TYPE_MISMATCH: fault(
    "Data Provider type mismatch: Got %{actual} when a hash-like object was expected to access value using '%{segment}' from key '%{key}'",
  ),
  LOOKUP_NAME_NOT_FOUND: fault('Function lookup() did not find a value for the name %{name}'),
  LOOKUP_NAMES_NOT_FOUND: fault('Function lookup() did not find a value for any of the names [%{names}]'),
  LOOKUP_OF_KEY_FAILED: fault("Lookup of key '%{key}' failed: %{detail}"),
  LOOKUP_OPTIONS_NO_HASH: fault('value of lookup_options must be a hash'),
  LOOKUP_OPTIONS_FOREIGN_PATTERN: fault(
    "all lookup_options patterns must match a key starting with module name '%{module}'",
  ),
  LOOKUP_OPTIONS_FOREIGN_KEY: fault("all lookup_options keys must start with module name '%{module}'"),
  MERGE_WITHOUT_STRATEGY: fault(
    "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
  ),
  MERGE_STRATEGY_UNKNOWN: fault("Unknown merge strategy: '%{name}'"),
});
