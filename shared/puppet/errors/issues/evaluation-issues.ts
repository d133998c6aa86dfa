/** Issues of evaluation. Codes and texts: lib/puppet/pops/issues.rb. */
import { defineIssues, findArticle, issue, withCapitalArticle } from './issue.ts';

export const EVALUATION_ISSUES = defineIssues({
  CROSS_SCOPE_ASSIGNMENT: issue(
    "Illegal attempt to assign to '%{name}'. Cannot assign to variables in other namespaces",
  ),
  ILLEGAL_ASSIGNMENT: issue("Illegal attempt to assign to '%{semantic.a}'. Not an assignable reference"),
  ILLEGAL_REASSIGNMENT: issue(({ name }: { name: string }) =>
    name === 'name' || name === 'title'
      ? `Cannot reassign built in (or already assigned) variable '$${name}'`
      : `Cannot reassign variable '$${name}'`,
  ),
  ILLEGAL_RESERVED_ASSIGNMENT: issue("Attempt to assign to a reserved variable name: '$%{name}'"),
  ILLEGAL_NUMERIC_ASSIGNMENT: issue(
    "Illegal attempt to assign to the numeric match result variable '$%{name}'. Numeric variables are not assignable",
  ),
  ILLEGAL_MULTI_ASSIGNMENT_SIZE: issue(
    'Mismatched number of assignable entries and values, expected %{expected}, got %{actual}',
  ),
  MISSING_MULTI_ASSIGNMENT_KEY: issue("No value for required key '%{key}' in assignment to variables from hash"),
  MISSING_MULTI_ASSIGNMENT_VARIABLE: issue(
    "No value for required variable '$%{name}' in assignment to variables from class reference",
  ),
  UNSUPPORTED_OPERATOR: issue("The operator '%{operator}' is not supported."),
  OPERATOR_NOT_APPLICABLE: issue("Operator '%{operator}' is not applicable to %{left.a}."),
  OPERATOR_NOT_APPLICABLE_WHEN: issue(
    "Operator '%{operator}' is not applicable to %{left.a} when right side is %{right.a}.",
  ),
  COMPARISON_NOT_POSSIBLE: issue(
    "Comparison of: %{left} %{operator} %{right}, is not possible. Caused by '%{detail}'.",
  ),
  MATCH_NOT_REGEXP: issue("Can not convert right match operand to a regular expression. Caused by '%{detail}'."),
  MATCH_NOT_STRING: issue('Left match operand must result in a String value. Got %{left.a}.'),
  ILLEGAL_CLASSREF: issue("Illegal type reference. The given name '%{name}' does not conform to the naming rule"),
  ILLEGAL_NAME: issue(
    "Illegal name. The given name '%{name}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/",
  ),
  RT_NO_STORECONFIGS: issue(
    'You cannot collect exported resources without storeconfigs being set; the collection will be ignored',
  ),
  RT_NO_STORECONFIGS_EXPORT: issue(
    'You cannot collect exported resources without storeconfigs being set; the export is ignored',
  ),
  ILLEGAL_EXPRESSION: issue('Illegal expression. %{semantic.A} is unacceptable as %{feature} in %{container.a}'),
  ILLEGAL_VARIABLE_EXPRESSION: issue(
    'Illegal variable expression. %{semantic.A} did not produce a variable name (String or Numeric).',
  ),
  CLASS_NOT_VIRTUALIZABLE: issue('Classes are not virtualizable'),
  ILLEGAL_RELATIONSHIP_OPERAND_TYPE: issue(
    'Illegal relationship operand, can not form a relationship with %{operand.a}. A Catalog type is required.',
  ),
  NOT_CATALOG_TYPE: issue(
    'Illegal relationship operand, can not form a relationship with something of type %{type}. A Catalog type is required.',
  ),
  BAD_STRING_SLICE_ARITY: issue('String supports [] with one or two arguments. Got %{actual}'),
  BAD_ARRAY_SLICE_ARITY: issue('Array supports [] with one or two arguments. Got %{actual}'),
  BAD_HASH_SLICE_ARITY: issue('Hash supports [] with one or more arguments. Got %{actual}'),
  BAD_INTEGER_SLICE_ARITY: issue('Integer-Type supports [] with one or two arguments (from, to). Got %{actual}'),
  BAD_INTEGER_SLICE_TYPE: issue('Integer-Type [] requires all arguments to be integers (or default). Got %{actual}'),
  BAD_COLLECTION_SLICE_TYPE: issue(
    "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got %{actual.a}",
  ),
  BAD_FLOAT_SLICE_ARITY: issue('Float-Type supports [] with one or two arguments (from, to). Got %{actual}', {
    code: 'BAD_INTEGER_SLICE_ARITY',
  }),
  BAD_FLOAT_SLICE_TYPE: issue(
    'Float-Type [] requires all arguments to be floats, or integers (or default). Got %{actual}',
    { code: 'BAD_INTEGER_SLICE_TYPE' },
  ),
  BAD_SLICE_KEY_TYPE: issue(
    ({ left, expected, actual }: { left: string; expected: readonly string[]; actual: string }) =>
      expected.length > 1
        ? `${withCapitalArticle(left)}[] cannot use ${actual} where one of the following is expected: ${expected.join(', ')}`
        : `${withCapitalArticle(left)}[] cannot use ${actual} where ${expected[0]} is expected`,
  ),
  BAD_STRING_SLICE_KEY_TYPE: issue(
    ({ actual }: { actual: string }) =>
      `A substring operation does not accept ${findArticle(actual)} ${actual} as a character index. Expected an Integer`,
  ),
  BAD_NOT_UNDEF_SLICE_TYPE: issue('%{base}[] argument must be a Type or a String. Got %{actual}'),
  BAD_TYPE_SLICE_TYPE: issue('%{base}[] arguments must be types. Got %{actual}'),
  /** `max` null: the text names only `min`; Infinity: the text says "or more". */
  BAD_TYPE_SLICE_ARITY: issue(
    ({ base, min, max, actual }: { base: string; min: number; max: number | null; actual: number }) => {
      if (max === Number.POSITIVE_INFINITY) return `${base}[] accepts ${min} or more arguments. Got ${actual}`;
      if (max !== null && max !== min) return `${base}[] accepts ${min} to ${max} arguments. Got ${actual}`;
      return `${base}[] accepts ${min} argument${min === 1 ? '' : 's'}. Got ${actual}`;
    },
  ),
  BAD_TYPE_SPECIALIZATION: issue('Error creating type specialization of %{type.a}, %{message}'),
  ILLEGAL_RESOURCE_SPECIALIZATION: issue(
    'First argument to Resource[] must be a resource type or a String. Got %{actual}.',
  ),
  ILLEGAL_HOSTCLASS_NAME: issue(
    'Illegal Class name in class reference. %{name.A} cannot be used where a String is expected',
  ),
  REQUIRED_PARAMETER_AFTER_OPTIONAL: issue('Parameter $%{name} is required but appears after optional parameters'),
  MISSING_REQUIRED_PARAMETER: issue('Parameter $%{name} is required but no value was given'),
  NOT_NUMERIC: issue("The value '%{value}' cannot be converted to Numeric."),
  NUMERIC_COERCION: issue("The string '%{before}' was automatically coerced to the numerical value %{after}"),
  UNKNOWN_FUNCTION: issue("Unknown function: '%{name}'."),
  UNKNOWN_VARIABLE: issue("Unknown variable: '%{name}'."),
  RUNTIME_ERROR: issue('Error while evaluating %{semantic.a}, %{detail}'),
  UNKNOWN_RESOURCE_TYPE: issue('Resource type not found: %{type}'),
  ILLEGAL_RESOURCE_TYPE: issue(
    'Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got %{actual}',
  ),
  DUPLICATE_TITLE: issue("The title '%{title}' has already been used in this resource expression"),
  // Puppet: the code is misspelled.
  DUPLICATE_ATTRIBUTE: issue("The attribute '%{name}' has already been set", {
    code: 'DUPLICATE_ATTRIBUE',
  }),
  MISSING_TITLE: issue('Missing title. The title expression resulted in undef'),
  MISSING_TITLE_AT: issue('Missing title at index %{index}. The title expression resulted in an undef title'),
  ILLEGAL_TITLE_TYPE_AT: issue('Illegal title type at index %{index}. Expected String, got %{actual}'),
  EMPTY_STRING_TITLE_AT: issue('Empty string title at %{index}. Title strings must have a length greater than zero.'),
  UNKNOWN_RESOURCE: issue("Resource not found: %{type}['%{title}']"),
  UNKNOWN_RESOURCE_PARAMETER: issue(
    ({ type, title, parameter }: { type: string; title: string; parameter: string }) =>
      `The resource ${type.charAt(0).toUpperCase()}${type.slice(1).toLowerCase()}['${title}'] does not have a parameter called '${parameter}'`,
  ),
  DIV_BY_ZERO: issue('Division by 0'),
  RESULT_IS_INFINITY: issue('The result of the %{operator} expression is Infinity'),
  ILLEGAL_EPP_PARAMETERS: issue(
    "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace",
  ),
  RESERVED_WORD: issue('Use of reserved word: %{word}, must be quoted if intended to be a String value'),
  UNMATCHED_SELECTOR: issue("No matching entry for selector parameter with value '%{value}'"),
  ILLEGAL_OVERRIDDEN_TYPE: issue('Resource Override can only operate on resources, got: %{actual}'),
  TYPE_MISMATCH: issue('Expected value of type %{expected}, got %{actual}'),
  NUMERIC_OVERFLOW: issue(({ semantic, value }: { semantic: string; value: bigint }) =>
    value > 0n
      ? `${withCapitalArticle(semantic)} resulted in a value outside of Puppet Integer max range, got '+0x${value.toString(16)}'`
      : `${withCapitalArticle(semantic)} resulted in a value outside of Puppet Integer min range, got '-0x${(-value).toString(16)}'`,
  ),
  SERIALIZATION_DEFAULT_CONVERTED_TO_STRING: issue(
    "%{path} contains the special value default. It will be converted to the String 'default'",
  ),
  SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING: issue(
    "%{path} contains %{label.a} value. It will be converted to the String '%{value}'",
  ),
  SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING: issue(
    "%{path} contains a hash with %{label.a} key. It will be converted to the String '%{value}'",
  ),
  EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING: issue('%{semantic.A} is not available when compiling a catalog'),
});
