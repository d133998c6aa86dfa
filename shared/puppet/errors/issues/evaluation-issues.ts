/** Issues of evaluation. Codes and texts: lib/puppet/pops/issues.rb. */
import { addLabelArticle, defineIssues, findArticle, issue, withCapitalArticle } from './issue.ts';

export const EVALUATION_ISSUES = defineIssues({
  CROSS_SCOPE_ASSIGNMENT: issue(
    ({ name }: { name: string }) =>
      `Illegal attempt to assign to '${name}'. Cannot assign to variables in other namespaces`,
  ),
  ILLEGAL_ASSIGNMENT: issue(
    ({ semantic }: { semantic: string }) =>
      `Illegal attempt to assign to '${addLabelArticle(semantic)}'. Not an assignable reference`,
  ),
  ILLEGAL_REASSIGNMENT: issue(({ name }: { name: string }) =>
    name === 'name' || name === 'title'
      ? `Cannot reassign built in (or already assigned) variable '$${name}'`
      : `Cannot reassign variable '$${name}'`,
  ),
  ILLEGAL_RESERVED_ASSIGNMENT: issue(
    ({ name }: { name: string }) => `Attempt to assign to a reserved variable name: '$${name}'`,
  ),
  ILLEGAL_NUMERIC_ASSIGNMENT: issue(
    ({ name }: { name: string }) =>
      `Illegal attempt to assign to the numeric match result variable '$${name}'. Numeric variables are not assignable`,
  ),
  ILLEGAL_MULTI_ASSIGNMENT_SIZE: issue(
    ({ expected, actual }: { expected: number; actual: number }) =>
      `Mismatched number of assignable entries and values, expected ${expected}, got ${actual}`,
  ),
  MISSING_MULTI_ASSIGNMENT_KEY: issue(
    ({ key }: { key: string }) => `No value for required key '${key}' in assignment to variables from hash`,
  ),
  MISSING_MULTI_ASSIGNMENT_VARIABLE: issue(
    ({ name }: { name: string }) =>
      `No value for required variable '$${name}' in assignment to variables from class reference`,
  ),
  UNSUPPORTED_OPERATOR: issue(({ operator }: { operator: string }) => `The operator '${operator}' is not supported.`),
  OPERATOR_NOT_APPLICABLE: issue(
    ({ operator, left }: { operator: string; left: string }) =>
      `Operator '${operator}' is not applicable to ${addLabelArticle(left)}.`,
  ),
  OPERATOR_NOT_APPLICABLE_WHEN: issue(
    ({ operator, left, right }: { operator: string; left: string; right: string }) =>
      `Operator '${operator}' is not applicable to ${addLabelArticle(left)} when right side is ${addLabelArticle(right)}.`,
  ),
  COMPARISON_NOT_POSSIBLE: issue(
    ({ operator, left, right, detail }: { operator: string; left: string; right: string; detail: string }) =>
      `Comparison of: ${left} ${operator} ${right}, is not possible. Caused by '${detail}'.`,
  ),
  MATCH_NOT_REGEXP: issue(
    ({ detail }: { detail: string }) =>
      `Can not convert right match operand to a regular expression. Caused by '${detail}'.`,
  ),
  MATCH_NOT_STRING: issue(
    ({ left }: { left: string }) => `Left match operand must result in a String value. Got ${addLabelArticle(left)}.`,
  ),
  ILLEGAL_CLASSREF: issue(
    ({ name }: { name: string }) =>
      `Illegal type reference. The given name '${name}' does not conform to the naming rule`,
  ),
  ILLEGAL_NAME: issue(
    ({ name }: { name: string }) =>
      `Illegal name. The given name '${name}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/`,
  ),
  RT_NO_STORECONFIGS: issue(
    () => 'You cannot collect exported resources without storeconfigs being set; the collection will be ignored',
  ),
  RT_NO_STORECONFIGS_EXPORT: issue(
    () => 'You cannot collect exported resources without storeconfigs being set; the export is ignored',
  ),
  ILLEGAL_EXPRESSION: issue(
    ({ semantic, feature, container }: { semantic: string; feature: string; container: string }) =>
      `Illegal expression. ${withCapitalArticle(semantic)} is unacceptable as ${feature} in ${addLabelArticle(container)}`,
  ),
  ILLEGAL_VARIABLE_EXPRESSION: issue(
    ({ semantic }: { semantic: string }) =>
      `Illegal variable expression. ${withCapitalArticle(semantic)} did not produce a variable name (String or Numeric).`,
  ),
  CLASS_NOT_VIRTUALIZABLE: issue(() => 'Classes are not virtualizable'),
  ILLEGAL_RELATIONSHIP_OPERAND_TYPE: issue(
    ({ operand }: { operand: string }) =>
      `Illegal relationship operand, can not form a relationship with ${addLabelArticle(operand)}. A Catalog type is required.`,
  ),
  NOT_CATALOG_TYPE: issue(
    ({ type }: { type: string }) =>
      `Illegal relationship operand, can not form a relationship with something of type ${type}. A Catalog type is required.`,
  ),
  BAD_STRING_SLICE_ARITY: issue(
    ({ actual }: { actual: number }) => `String supports [] with one or two arguments. Got ${actual}`,
  ),
  BAD_ARRAY_SLICE_ARITY: issue(
    ({ actual }: { actual: number }) => `Array supports [] with one or two arguments. Got ${actual}`,
  ),
  BAD_HASH_SLICE_ARITY: issue(
    ({ actual }: { actual: number }) => `Hash supports [] with one or more arguments. Got ${actual}`,
  ),
  BAD_INTEGER_SLICE_ARITY: issue(
    ({ actual }: { actual: number }) => `Integer-Type supports [] with one or two arguments (from, to). Got ${actual}`,
  ),
  BAD_INTEGER_SLICE_TYPE: issue(
    ({ actual }: { actual: string }) =>
      `Integer-Type [] requires all arguments to be integers (or default). Got ${actual}`,
  ),
  BAD_COLLECTION_SLICE_TYPE: issue(
    ({ actual }: { actual: string }) =>
      `A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got ${addLabelArticle(actual)}`,
  ),
  BAD_FLOAT_SLICE_ARITY: issue(
    ({ actual }: { actual: number }) => `Float-Type supports [] with one or two arguments (from, to). Got ${actual}`,
    { code: 'BAD_INTEGER_SLICE_ARITY' },
  ),
  BAD_FLOAT_SLICE_TYPE: issue(
    ({ actual }: { actual: string }) =>
      `Float-Type [] requires all arguments to be floats, or integers (or default). Got ${actual}`,
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
  BAD_NOT_UNDEF_SLICE_TYPE: issue(
    ({ base, actual }: { base: string; actual: string }) =>
      `${base}[] argument must be a Type or a String. Got ${actual}`,
  ),
  BAD_TYPE_SLICE_TYPE: issue(
    ({ base, actual }: { base: string; actual: string }) => `${base}[] arguments must be types. Got ${actual}`,
  ),
  /** `max` null: the text names only `min`; Infinity: the text says "or more". */
  BAD_TYPE_SLICE_ARITY: issue(
    ({ base, min, max, actual }: { base: string; min: number; max: number | null; actual: number }) => {
      if (max === Number.POSITIVE_INFINITY) return `${base}[] accepts ${min} or more arguments. Got ${actual}`;
      if (max !== null && max !== min) return `${base}[] accepts ${min} to ${max} arguments. Got ${actual}`;
      return `${base}[] accepts ${min} argument${min === 1 ? '' : 's'}. Got ${actual}`;
    },
  ),
  BAD_TYPE_SPECIALIZATION: issue(
    ({ type, message }: { type: string; message: string }) =>
      `Error creating type specialization of ${addLabelArticle(type)}, ${message}`,
  ),
  ILLEGAL_RESOURCE_SPECIALIZATION: issue(
    ({ actual }: { actual: string }) =>
      `First argument to Resource[] must be a resource type or a String. Got ${actual}.`,
  ),
  ILLEGAL_HOSTCLASS_NAME: issue(
    ({ name }: { name: string }) =>
      `Illegal Class name in class reference. ${withCapitalArticle(name)} cannot be used where a String is expected`,
  ),
  REQUIRED_PARAMETER_AFTER_OPTIONAL: issue(
    ({ name }: { name: string }) => `Parameter $${name} is required but appears after optional parameters`,
  ),
  MISSING_REQUIRED_PARAMETER: issue(
    ({ name }: { name: string }) => `Parameter $${name} is required but no value was given`,
  ),
  NOT_NUMERIC: issue(({ value }: { value: string }) => `The value '${value}' cannot be converted to Numeric.`),
  NUMERIC_COERCION: issue(
    ({ before, after }: { before: string; after: string }) =>
      `The string '${before}' was automatically coerced to the numerical value ${after}`,
  ),
  UNKNOWN_FUNCTION: issue(({ name }: { name: string }) => `Unknown function: '${name}'.`),
  UNKNOWN_VARIABLE: issue(({ name }: { name: string }) => `Unknown variable: '${name}'.`),
  RUNTIME_ERROR: issue(
    ({ semantic, detail }: { semantic: string; detail: string }) =>
      `Error while evaluating ${addLabelArticle(semantic)}, ${detail}`,
  ),
  UNKNOWN_RESOURCE_TYPE: issue(({ type }: { type: string }) => `Resource type not found: ${type}`),
  ILLEGAL_RESOURCE_TYPE: issue(
    ({ actual }: { actual: string }) =>
      `Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got ${actual}`,
  ),
  DUPLICATE_TITLE: issue(
    ({ title }: { title: string }) => `The title '${title}' has already been used in this resource expression`,
  ),
  // Puppet: the code is misspelled.
  DUPLICATE_ATTRIBUTE: issue(({ name }: { name: string }) => `The attribute '${name}' has already been set`, {
    code: 'DUPLICATE_ATTRIBUE',
  }),
  MISSING_TITLE: issue(() => 'Missing title. The title expression resulted in undef'),
  MISSING_TITLE_AT: issue(
    ({ index }: { index: number }) =>
      `Missing title at index ${index}. The title expression resulted in an undef title`,
  ),
  ILLEGAL_TITLE_TYPE_AT: issue(
    ({ index, actual }: { index: number; actual: string }) =>
      `Illegal title type at index ${index}. Expected String, got ${actual}`,
  ),
  EMPTY_STRING_TITLE_AT: issue(
    ({ index }: { index: number }) =>
      `Empty string title at ${index}. Title strings must have a length greater than zero.`,
  ),
  UNKNOWN_RESOURCE: issue(
    ({ type, title }: { type: string; title: string }) => `Resource not found: ${type}['${title}']`,
  ),
  UNKNOWN_RESOURCE_PARAMETER: issue(
    ({ type, title, parameter }: { type: string; title: string; parameter: string }) =>
      `The resource ${type.charAt(0).toUpperCase()}${type.slice(1).toLowerCase()}['${title}'] does not have a parameter called '${parameter}'`,
  ),
  DIV_BY_ZERO: issue(() => 'Division by 0'),
  RESULT_IS_INFINITY: issue(
    ({ operator }: { operator: string }) => `The result of the ${operator} expression is Infinity`,
  ),
  ILLEGAL_EPP_PARAMETERS: issue(
    () => "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace",
  ),
  RESERVED_WORD: issue(
    ({ word }: { word: string }) => `Use of reserved word: ${word}, must be quoted if intended to be a String value`,
  ),
  UNMATCHED_SELECTOR: issue(
    ({ value }: { value: string }) => `No matching entry for selector parameter with value '${value}'`,
  ),
  ILLEGAL_OVERRIDDEN_TYPE: issue(
    ({ actual }: { actual: string }) => `Resource Override can only operate on resources, got: ${actual}`,
  ),
  TYPE_MISMATCH: issue(
    ({ expected, actual }: { expected: string; actual: string }) => `Expected value of type ${expected}, got ${actual}`,
  ),
  NUMERIC_OVERFLOW: issue(({ semantic, value }: { semantic: string; value: bigint }) =>
    value > 0n
      ? `${withCapitalArticle(semantic)} resulted in a value outside of Puppet Integer max range, got '+0x${value.toString(16)}'`
      : `${withCapitalArticle(semantic)} resulted in a value outside of Puppet Integer min range, got '-0x${(-value).toString(16)}'`,
  ),
  SERIALIZATION_DEFAULT_CONVERTED_TO_STRING: issue(
    ({ path }: { path: string }) =>
      `${path} contains the special value default. It will be converted to the String 'default'`,
  ),
  SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING: issue(
    ({ path, label, value }: { path: string; label: string; value: string }) =>
      `${path} contains ${addLabelArticle(label)} value. It will be converted to the String '${value}'`,
  ),
  SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING: issue(
    ({ path, label, value }: { path: string; label: string; value: string }) =>
      `${path} contains a hash with ${addLabelArticle(label)} key. It will be converted to the String '${value}'`,
  ),
  EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING: issue(
    ({ semantic }: { semantic: string }) => `${withCapitalArticle(semantic)} is not available when compiling a catalog`,
  ),
});
