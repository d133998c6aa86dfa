/** Issues of built-in functions. Codes and texts: lib/puppet/pops/issues.rb. */
import { defineIssues, fault, issue } from './issue.ts';

export const FUNCTION_ISSUES = defineIssues({
  DISCONTINUED_IMPORT: issue(
    "Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation",
  ),
  FEATURE_NOT_SUPPORTED_WHEN_SCRIPTING: issue("The feature '%{feature}' is only available when compiling a catalog", {
    code: 'NOT_SUPPORTED_WHEN_SCRIPTING',
  }),
  CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING: issue(
    "The catalog operation '%{operation}' is only available when compiling a catalog",
  ),
  ANNOTATION_ON_VALUE: fault('attempt to %{action} %{type} annotation declared on %{value}'),
  CREATE_RESOURCES_ARITY: fault('create_resources(): wrong number of arguments (%{count}; must be 2 or 3)'),
  CREATE_RESOURCES_NO_HASH: fault('create_resources(): second argument must be a hash'),
  CREATE_RESOURCES_DEFAULTS_NO_HASH: fault('create_resources(): third argument, if provided, must be a hash'),
  DEFINED_OF_ALL_TYPES: fault('The given resource type is a reference to all kind of types'),
  DEFINED_OF_ALL_CLASSES: fault('The given class type is a reference to all classes'),
  NAVIGATION_SYNTAX_ERROR: fault('Syntax error in dotted-navigation string'),
  NAVIGATION_WITHOUT_DOT: fault("First character after var name in get string must be a '.' - got %{actual}"),
  DATA_ITEM_NOT_FOUND: fault('Could not find data item %{key}'),
  BINARY_FILE_NOT_FOUND: fault("binary_file(): The given file '%{reference}' does not exist"),
  TEMPLATE_NOT_FOUND: fault("Could not find template '%{name}'"),
  NO_FILE_FOUND: fault('Could not find any files from %{references}'),
  GENERATOR_NOT_QUALIFIED: fault('Generators must be fully qualified'),
  GENERATOR_CHARACTERS: fault('Generators can only contain alphanumerics, file separators, and dashes'),
  GENERATOR_WITH_DOTS: fault("Can not use generators with '..' in them."),
  SLICE_BLOCK_WITHOUT_PARAMETER: fault('slice(): block must define at least one parameter. Block has 0.'),
  SLICE_BLOCK_ARITY: fault(
    'slice(): block must define one parameter, or the same number of parameters as the given size of the slice (%{size}). Block has %{serving}; %{names}',
  ),
  ABS_OF_TEXT: fault('abs(): Requires float or integer to work with - was given non decimal string'),
  STDLIB_DEPRECATION: fault('deprecation. %{key}. %{text}'),
  CLASS_NAME_UNDEF: fault('Cannot use undef as a class name'),
  CLASS_NAME_EMPTY: fault('Cannot use empty string as a class name'),
  CLASS_TYPE_UNSPECIFIC: fault('Cannot use an unspecific Class[] Type'),
  RESOURCE_TYPE_UNSPECIFIC: fault("Cannot use an unspecific Resource[] where a Resource['class', name] is expected"),
  RESOURCE_TYPE_NO_CLASS: fault("Cannot use a Resource[%{type}] where a Resource['class', name] is expected"),
  CLASS_RESOURCE_UNSPECIFIC: fault(
    "Cannot use an unspecific Resource['class'] where a Resource['class', name] is expected",
  ),
  EXTREME_WITHOUT_ARGUMENTS: fault('%{name}(): Wrong number of arguments need at least one'),
  VALUE_NOT_ITERABLE: fault('%{name}(): wrong argument type (%{actual}; is not Iterable.'),
  ROUNDING_OF_TEXT: fault('%{name}(): cannot convert given value to a floating point value.'),
  INVALID_EPP: fault('%{name}(): Invalid EPP: %{detail}'),
  EPP_WITH_DEFINITIONS: fault('%{name}(): The EPP template contains illegal expressions (definitions)'),
  EPP_WITHOUT_LAMBDA: fault('%{name}(): the parser did not produce a LambdaExpression'),
  EPP_WITHOUT_EXPRESSION: fault('%{name}(): the parser did not produce an EppExpression'),
  TREE_CONTAINER_TYPE: fault('Only Array, Hash, and Object types can be used as container types. Got %{actual}'),
  TREE_YIELDS_NOTHING: fault("Options 'include_containers' and 'include_values' cannot both be false"),
  MATCH_REGEXP_TYPE_EMPTY: fault('Given Regexp Type has no regular expression'),
  MATCH_PATTERN_TYPE: fault(
    'match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got %{actual}',
  ),
  CALLED_FUNCTION_UNKNOWN: fault("Function %{caller}(): Unknown function: '%{name}'"),
});
