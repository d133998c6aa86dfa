import { addLabelArticle, defineIssues, fault, withCapitalArticle } from './issue.ts';

/** Texts that Puppet's evaluator and scopes raise without an issue code. */

export const UNCODED_EVALUATION_ISSUES = defineIssues({
  EVALUATION_ERROR: fault(({ detail }: { detail: string }) => `Evaluation Error: ${detail}`),
  NUMERIC_VARIABLE_NOT_ASSIGNABLE: fault(
    ({ name }: { name: string }) => `Cannot assign to a numeric match result variable '$${name}'`,
  ),
  RESERVED_VARIABLE_NAME: fault(
    ({ name }: { name: string }) => `Attempt to assign to a reserved variable name: '${name}'`,
  ),
  VARIABLE_ALREADY_ASSIGNED: fault(({ name }: { name: string }) => `Cannot reassign variable '$${name}'`),
  FUNCTION_UNKNOWN: fault(({ name }: { name: string }) => `Unknown function '${name}'`),
  METHOD_NOT_IMPLEMENTED: fault(({ member }: { member: string }) => `no method is implemented for ${member}`),
  BINARY_APPEND_NOT_BINARY: fault(() => 'Can only append Binary to a Binary'),
  URI_MERGE_NOT_URI: fault(() => 'An URI can only be merged with an URI or String'),
  HASH_APPEND_NOT_COLLECTION: fault(() => 'Can only append Array or Hash to a Hash'),
  ILLEGAL_JUMP: fault(({ name }: { name: string }) => `${name}() from context where this is illegal`),
  APPLY_EXECUTOR_MISSING: fault(() => "Unable to lookup 'apply_executor'"),
  LEGACY_FUNCTION_ARITY: fault(
    ({ name, given, arity }: { name: string; given: number; arity: number }) =>
      `${name}(): Wrong number of arguments given (${given} for ${arity})`,
  ),
  LEGACY_FUNCTION_MINIMUM_ARITY: fault(
    ({ name, given, minimum }: { name: string; given: number; minimum: number }) =>
      `${name}(): Wrong number of arguments given (${given} for minimum ${minimum})`,
  ),
  ITERATOR_NOT_SUPPORTED_HERE: fault(() => 'Use of an Iterator is not supported here'),
  TYPE_NOT_SPLITTABLE: fault(
    ({ type }: { type: string }) =>
      `Cannot split the type ${type}, it represents neither a PClassType, nor a PResourceType.`,
  ),
  INVALID_RESOURCE_REFERENCE: fault(
    ({ reference }: { reference: string }) => `No title provided and ${reference} is not a valid resource reference`,
  ),
  COLLECTED_TYPE_NO_NAME: fault(() => 'LHS is not a type'),
  NUMERIC_VARIABLES_FIXED: fault(
    ({ name }: { name: string }) => `Numerical variables cannot be changed. Attempt to set $${name}`,
  ),
  ASSIGNMENT_IN_PARAMETERS: fault(
    ({ name }: { name: string }) => `Attempt to assign variable ${name} when evaluating parameters`,
  ),
  PARAMETER_VALUE_EXPECTED: fault(
    ({ callee, name }: { callee: string; name: string }) => `${callee}: expects a value for parameter $${name}`,
  ),
  PARAMETER_NOT_YET_EVALUATED: fault(
    ({ callee, from, to }: { callee: string; from: string; to: string }) =>
      `${callee}: default expression for $${from} tries to illegally access not yet evaluated $${to}`,
  ),
  PARAMETER_TYPE_NO_TYPE: fault(() => 'The type of a parameter must be a type'),
  TITLE_PATTERNS_UNMATCHED: fault(
    ({ title }: { title: string }) => `No set of title patterns matched the title "${title}".`,
  ),
  UNDEFINED_VARIABLE: fault(
    ({ name, reason }: { name: string; reason: string }) => `Undefined variable '${name}'; ${reason}`,
  ),
  NO_ADDITION_TO_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `${withCapitalArticle(operand)} cannot be added to a Timespan`,
  ),
  NO_SUBTRACTION_FROM_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `${withCapitalArticle(operand)} cannot be subtracted from a Timespan`,
  ),
  // Puppet: the message says Timestamp.
  NO_MULTIPLICATION_OF_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `A Timestamp cannot be multiplied by ${addLabelArticle(operand)}`,
  ),
  NO_DIVISION_OF_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `A Timespan cannot be divided by ${addLabelArticle(operand)}`,
  ),
  // Puppet: the text has two articles.
  NO_MODULUS_OF_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `Can not do modulus on a Timespan using a ${addLabelArticle(operand)}`,
  ),
  NO_ADDITION_TO_TIMESTAMP: fault(
    ({ operand }: { operand: string }) => `${withCapitalArticle(operand)} cannot be added to a Timestamp`,
  ),
  NO_SUBTRACTION_FROM_TIMESTAMP: fault(
    ({ operand }: { operand: string }) => `${withCapitalArticle(operand)} cannot be subtracted from a Timestamp`,
  ),
});

/** Texts that Puppet raises in lookups, lib/puppet/pops/lookup. */

export const UNCODED_LOOKUP_ISSUES = defineIssues({
  YAML_FILE_NO_HASH: fault(({ path }: { path: string }) => `${path}: file does not contain a valid yaml hash`),
  CONVERT_TO_FAILED: fault(
    ({ key, detail }: { key: string; detail: string }) =>
      `The convert_to lookup_option for key '${key}' raised error: ${detail}`,
  ),
  CONVERT_TO_TYPE_INVALID: fault(
    ({ key, text, detail }: { key: string; text: string; detail: string }) =>
      `Invalid data type in lookup_options for key '${key}' could not parse '${text}', error: '${detail}`,
  ),
  DATA_FILE_UNPARSABLE: fault(({ detail }: { detail: string }) => `Unable to parse ${detail}`),
  DATA_FILE_AT_PATH_UNPARSABLE: fault(
    ({ path, detail }: { path: string; detail: string }) => `Unable to parse (${path}): ${detail}`,
  ),
  KNOCKOUT_PREFIX_EMPTY: fault(() => 'knockout_prefix cannot be an empty string in deep_merge!'),
  LOOKUP_VALUE_TYPE: fault(
    ({ where, actual }: { where: string; actual: string }) =>
      `${where} has wrong type, expects Puppet::LookupValue, got ${actual}`,
  ),
  EYAML_PATH_MISSING: fault(
    () =>
      "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this lookup_key function",
  ),
  EYAML_DECRYPTION_FAILED: fault(
    ({ text, key, path, detail }: { text: string; key: string; path: string; detail: string }) =>
      `hiera-eyaml backend error decrypting ${text} when looking up ${key} in ${path}. Error was ${detail}`,
  ),
  RECURSIVE_LOOKUP: fault(({ names }: { names: string }) => `Recursive lookup detected in [${names}]`),
  ENVIRONMENT_DATA_PROVIDER_NOT_FOUND: fault(
    ({ environment, provider }: { environment: string; provider: string }) =>
      `Environment '${environment}', cannot find environment_data_provider '${provider}'`,
  ),
  MODULE_DATA_PROVIDER_NOT_FOUND: fault(
    ({ environment, provider }: { environment: string; provider: string }) =>
      `Environment '${environment}', cannot find module_data_provider '${provider}'`,
  ),
  LOOKUP_RESULT_NO_HASH: fault(
    ({ actual }: { actual: string }) => `value has wrong type, expects a Hash value, got ${actual}`,
  ),
  DOTTED_KEY_RESOLUTION_TYPE: fault(
    ({ type, key }: { type: string; key: string }) =>
      `Resolution type :${type} is illegal when accessing values using dotted keys. Offending key was '${key}'`,
  ),
  LOOKUP_KEY_SYNTAX: fault(({ where }: { where: string }) => `Syntax error ${where}`),
  DATA_PROVIDER_TYPE_MISMATCH: fault(
    ({ actual, segment, key }: { actual: string; segment: bigint | string; key: string }) =>
      `Data Provider type mismatch: Got ${actual} when a hash-like object was expected to access value using '${segment}' from key '${key}'`,
  ),
  LOOKUP_NAME_NOT_FOUND: fault(
    ({ name }: { name: string }) => `Function lookup() did not find a value for the name ${name}`,
  ),
  LOOKUP_NAMES_NOT_FOUND: fault(
    ({ names }: { names: string }) => `Function lookup() did not find a value for any of the names [${names}]`,
  ),
  LOOKUP_OF_KEY_FAILED: fault(
    ({ key, detail }: { key: string; detail: string }) => `Lookup of key '${key}' failed: ${detail}`,
  ),
  LOOKUP_OPTIONS_NO_HASH: fault(() => 'value of lookup_options must be a hash'),
  LOOKUP_OPTIONS_FOREIGN_PATTERN: fault(
    ({ module }: { module: string }) =>
      `all lookup_options patterns must match a key starting with module name '${module}'`,
  ),
  LOOKUP_OPTIONS_FOREIGN_KEY: fault(
    ({ module }: { module: string }) => `all lookup_options keys must start with module name '${module}'`,
  ),
  MERGE_WITHOUT_STRATEGY: fault(
    () => "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
  ),
  MERGE_STRATEGY_UNKNOWN: fault(({ name }: { name: string }) => `Unknown merge strategy: '${name}'`),
});
