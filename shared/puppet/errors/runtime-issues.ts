/**
 * What evaluation can complain about: Puppet's issue codes and wordings
 * (lib/puppet/pops/issues.rb). Arguments that stand for an AST node or a value are its label
 * (`Literal Integer`, `Integer`); the article is put before it here.
 */
import { issue } from './issue.ts';

/**
 * `a` or `an` as the label's first letter (behind a quote) wants it. Puppet takes y for a vowel.
 */
export function findArticle(label: string): string {
  const letter = /^["']/.test(label) ? label[1] : label[0];
  return letter !== undefined && 'aeiouy'.includes(letter.toLowerCase()) ? 'an' : 'a';
}

/** `a Literal Integer` */
export function addLabelArticle(label: string): string {
  return `${findArticle(label)} ${label}`;
}

/** `A Literal Integer` */
export function withCapitalArticle(label: string): string {
  return findArticle(label) === 'an' ? `An ${label}` : `A ${label}`;
}

export const RuntimeIssues = {
  CROSS_SCOPE_ASSIGNMENT: issue<{ name: string }>(
    'CROSS_SCOPE_ASSIGNMENT',
    ({ name }) => `Illegal attempt to assign to '${name}'. Cannot assign to variables in other namespaces`,
  ),
  ILLEGAL_ASSIGNMENT: issue<{ semantic: string }>(
    'ILLEGAL_ASSIGNMENT',
    ({ semantic }) => `Illegal attempt to assign to '${addLabelArticle(semantic)}'. Not an assignable reference`,
  ),
  ILLEGAL_REASSIGNMENT: issue<{ name: string }>('ILLEGAL_REASSIGNMENT', ({ name }) =>
    name === 'name' || name === 'title'
      ? `Cannot reassign built in (or already assigned) variable '$${name}'`
      : `Cannot reassign variable '$${name}'`,
  ),
  ILLEGAL_RESERVED_ASSIGNMENT: issue<{ name: string }>(
    'ILLEGAL_RESERVED_ASSIGNMENT',
    ({ name }) => `Attempt to assign to a reserved variable name: '$${name}'`,
  ),
  ILLEGAL_NUMERIC_ASSIGNMENT: issue<{ name: string }>(
    'ILLEGAL_NUMERIC_ASSIGNMENT',
    ({ name }) =>
      `Illegal attempt to assign to the numeric match result variable '$${name}'. Numeric variables are not assignable`,
  ),
  ILLEGAL_MULTI_ASSIGNMENT_SIZE: issue<{ expected: number; actual: number }>(
    'ILLEGAL_MULTI_ASSIGNMENT_SIZE',
    ({ expected, actual }) => `Mismatched number of assignable entries and values, expected ${expected}, got ${actual}`,
  ),
  MISSING_MULTI_ASSIGNMENT_KEY: issue<{ key: string }>(
    'MISSING_MULTI_ASSIGNMENT_KEY',
    ({ key }) => `No value for required key '${key}' in assignment to variables from hash`,
  ),
  MISSING_MULTI_ASSIGNMENT_VARIABLE: issue<{ name: string }>(
    'MISSING_MULTI_ASSIGNMENT_VARIABLE',
    ({ name }) => `No value for required variable '$${name}' in assignment to variables from class reference`,
  ),
  UNSUPPORTED_OPERATOR: issue<{ operator: string }>(
    'UNSUPPORTED_OPERATOR',
    ({ operator }) => `The operator '${operator}' is not supported.`,
  ),
  OPERATOR_NOT_APPLICABLE: issue<{ operator: string; left: string }>(
    'OPERATOR_NOT_APPLICABLE',
    ({ operator, left }) => `Operator '${operator}' is not applicable to ${addLabelArticle(left)}.`,
  ),
  OPERATOR_NOT_APPLICABLE_WHEN: issue<{ operator: string; left: string; right: string }>(
    'OPERATOR_NOT_APPLICABLE_WHEN',
    ({ operator, left, right }) =>
      `Operator '${operator}' is not applicable to ${addLabelArticle(left)} when right side is ${addLabelArticle(right)}.`,
  ),
  COMPARISON_NOT_POSSIBLE: issue<{ operator: string; left: string; right: string; detail: string }>(
    'COMPARISON_NOT_POSSIBLE',
    ({ operator, left, right, detail }) =>
      `Comparison of: ${left} ${operator} ${right}, is not possible. Caused by '${detail}'.`,
  ),
  MATCH_NOT_REGEXP: issue<{ detail: string }>(
    'MATCH_NOT_REGEXP',
    ({ detail }) => `Can not convert right match operand to a regular expression. Caused by '${detail}'.`,
  ),
  MATCH_NOT_STRING: issue<{ left: string }>(
    'MATCH_NOT_STRING',
    ({ left }) => `Left match operand must result in a String value. Got ${addLabelArticle(left)}.`,
  ),
  ILLEGAL_CLASSREF: issue<{ name: string }>(
    'ILLEGAL_CLASSREF',
    ({ name }) => `Illegal type reference. The given name '${name}' does not conform to the naming rule`,
  ),
  ILLEGAL_NAME: issue<{ name: string }>(
    'ILLEGAL_NAME',
    ({ name }) =>
      `Illegal name. The given name '${name}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/`,
  ),
  RT_NO_STORECONFIGS: issue<Record<never, never>>(
    'RT_NO_STORECONFIGS',
    () => 'You cannot collect exported resources without storeconfigs being set; the collection will be ignored',
  ),
  RT_NO_STORECONFIGS_EXPORT: issue<Record<never, never>>(
    'RT_NO_STORECONFIGS_EXPORT',
    () => 'You cannot collect exported resources without storeconfigs being set; the export is ignored',
  ),
  ILLEGAL_EXPRESSION: issue<{ semantic: string; feature: string; container: string }>(
    'ILLEGAL_EXPRESSION',
    ({ semantic, feature, container }) =>
      `Illegal expression. ${withCapitalArticle(semantic)} is unacceptable as ${feature} in ${addLabelArticle(container)}`,
  ),
  ILLEGAL_VARIABLE_EXPRESSION: issue<{ semantic: string }>(
    'ILLEGAL_VARIABLE_EXPRESSION',
    ({ semantic }) =>
      `Illegal variable expression. ${withCapitalArticle(semantic)} did not produce a variable name (String or Numeric).`,
  ),
  CLASS_NOT_VIRTUALIZABLE: issue<Record<never, never>>(
    'CLASS_NOT_VIRTUALIZABLE',
    () => 'Classes are not virtualizable',
  ),
  ILLEGAL_RELATIONSHIP_OPERAND_TYPE: issue<{ operand: string }>(
    'ILLEGAL_RELATIONSHIP_OPERAND_TYPE',
    ({ operand }) =>
      `Illegal relationship operand, can not form a relationship with ${addLabelArticle(operand)}. A Catalog type is required.`,
  ),
  NOT_CATALOG_TYPE: issue<{ type: string }>(
    'NOT_CATALOG_TYPE',
    ({ type }) =>
      `Illegal relationship operand, can not form a relationship with something of type ${type}. A Catalog type is required.`,
  ),
  BAD_STRING_SLICE_ARITY: issue<{ actual: number }>(
    'BAD_STRING_SLICE_ARITY',
    ({ actual }) => `String supports [] with one or two arguments. Got ${actual}`,
  ),
  BAD_ARRAY_SLICE_ARITY: issue<{ actual: number }>(
    'BAD_ARRAY_SLICE_ARITY',
    ({ actual }) => `Array supports [] with one or two arguments. Got ${actual}`,
  ),
  BAD_HASH_SLICE_ARITY: issue<{ actual: number }>(
    'BAD_HASH_SLICE_ARITY',
    ({ actual }) => `Hash supports [] with one or more arguments. Got ${actual}`,
  ),
  BAD_INTEGER_SLICE_ARITY: issue<{ actual: number }>(
    'BAD_INTEGER_SLICE_ARITY',
    ({ actual }) => `Integer-Type supports [] with one or two arguments (from, to). Got ${actual}`,
  ),
  BAD_INTEGER_SLICE_TYPE: issue<{ actual: string }>(
    'BAD_INTEGER_SLICE_TYPE',
    ({ actual }) => `Integer-Type [] requires all arguments to be integers (or default). Got ${actual}`,
  ),
  BAD_COLLECTION_SLICE_TYPE: issue<{ actual: string }>(
    'BAD_COLLECTION_SLICE_TYPE',
    ({ actual }) =>
      `A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got ${addLabelArticle(actual)}`,
  ),
  BAD_FLOAT_SLICE_ARITY: issue<{ actual: number }>(
    'BAD_INTEGER_SLICE_ARITY',
    ({ actual }) => `Float-Type supports [] with one or two arguments (from, to). Got ${actual}`,
  ),
  BAD_FLOAT_SLICE_TYPE: issue<{ actual: string }>(
    'BAD_INTEGER_SLICE_TYPE',
    ({ actual }) => `Float-Type [] requires all arguments to be floats, or integers (or default). Got ${actual}`,
  ),
  BAD_SLICE_KEY_TYPE: issue<{ left: string; expected: readonly string[]; actual: string }>(
    'BAD_SLICE_KEY_TYPE',
    ({ left, expected, actual }) =>
      expected.length > 1
        ? `${withCapitalArticle(left)}[] cannot use ${actual} where one of the following is expected: ${expected.join(', ')}`
        : `${withCapitalArticle(left)}[] cannot use ${actual} where ${expected[0]} is expected`,
  ),
  BAD_STRING_SLICE_KEY_TYPE: issue<{ actual: string }>(
    'BAD_STRING_SLICE_KEY_TYPE',
    ({ actual }) =>
      `A substring operation does not accept ${findArticle(actual)} ${actual} as a character index. Expected an Integer`,
  ),
  BAD_NOT_UNDEF_SLICE_TYPE: issue<{ base: string; actual: string }>(
    'BAD_NOT_UNDEF_SLICE_TYPE',
    ({ base, actual }) => `${base}[] argument must be a Type or a String. Got ${actual}`,
  ),
  BAD_TYPE_SLICE_TYPE: issue<{ base: string; actual: string }>(
    'BAD_TYPE_SLICE_TYPE',
    ({ base, actual }) => `${base}[] arguments must be types. Got ${actual}`,
  ),
  /** `max` null: no more than `min` is named; Infinity: or more. */
  BAD_TYPE_SLICE_ARITY: issue<{ base: string; min: number; max: number | null; actual: number }>(
    'BAD_TYPE_SLICE_ARITY',
    ({ base, min, max, actual }) => {
      if (max === Number.POSITIVE_INFINITY) return `${base}[] accepts ${min} or more arguments. Got ${actual}`;
      if (max !== null && max !== min) return `${base}[] accepts ${min} to ${max} arguments. Got ${actual}`;
      return `${base}[] accepts ${min} argument${min === 1 ? '' : 's'}. Got ${actual}`;
    },
  ),
  BAD_TYPE_SPECIALIZATION: issue<{ type: string; message: string }>(
    'BAD_TYPE_SPECIALIZATION',
    ({ type, message }) => `Error creating type specialization of ${addLabelArticle(type)}, ${message}`,
  ),
  ILLEGAL_RESOURCE_SPECIALIZATION: issue<{ actual: string }>(
    'ILLEGAL_RESOURCE_SPECIALIZATION',
    ({ actual }) => `First argument to Resource[] must be a resource type or a String. Got ${actual}.`,
  ),
  ILLEGAL_HOSTCLASS_NAME: issue<{ name: string }>(
    'ILLEGAL_HOSTCLASS_NAME',
    ({ name }) =>
      `Illegal Class name in class reference. ${withCapitalArticle(name)} cannot be used where a String is expected`,
  ),
  REQUIRED_PARAMETER_AFTER_OPTIONAL: issue<{ name: string }>(
    'REQUIRED_PARAMETER_AFTER_OPTIONAL',
    ({ name }) => `Parameter $${name} is required but appears after optional parameters`,
  ),
  MISSING_REQUIRED_PARAMETER: issue<{ name: string }>(
    'MISSING_REQUIRED_PARAMETER',
    ({ name }) => `Parameter $${name} is required but no value was given`,
  ),
  NOT_NUMERIC: issue<{ value: string }>(
    'NOT_NUMERIC',
    ({ value }) => `The value '${value}' cannot be converted to Numeric.`,
  ),
  NUMERIC_COERCION: issue<{ before: string; after: string }>(
    'NUMERIC_COERCION',
    ({ before, after }) => `The string '${before}' was automatically coerced to the numerical value ${after}`,
  ),
  UNKNOWN_FUNCTION: issue<{ name: string }>('UNKNOWN_FUNCTION', ({ name }) => `Unknown function: '${name}'.`),
  UNKNOWN_VARIABLE: issue<{ name: string }>('UNKNOWN_VARIABLE', ({ name }) => `Unknown variable: '${name}'.`),
  RUNTIME_ERROR: issue<{ semantic: string; detail: string }>(
    'RUNTIME_ERROR',
    ({ semantic, detail }) => `Error while evaluating ${addLabelArticle(semantic)}, ${detail}`,
  ),
  UNKNOWN_RESOURCE_TYPE: issue<{ type: string }>(
    'UNKNOWN_RESOURCE_TYPE',
    ({ type }) => `Resource type not found: ${type}`,
  ),
  ILLEGAL_RESOURCE_TYPE: issue<{ actual: string }>(
    'ILLEGAL_RESOURCE_TYPE',
    ({ actual }) =>
      `Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got ${actual}`,
  ),
  DUPLICATE_TITLE: issue<{ title: string }>(
    'DUPLICATE_TITLE',
    ({ title }) => `The title '${title}' has already been used in this resource expression`,
  ),
  // Puppet: the code is misspelt.
  DUPLICATE_ATTRIBUTE: issue<{ name: string }>(
    'DUPLICATE_ATTRIBUE',
    ({ name }) => `The attribute '${name}' has already been set`,
  ),
  MISSING_TITLE: issue<Record<never, never>>(
    'MISSING_TITLE',
    () => 'Missing title. The title expression resulted in undef',
  ),
  MISSING_TITLE_AT: issue<{ index: number }>(
    'MISSING_TITLE_AT',
    ({ index }) => `Missing title at index ${index}. The title expression resulted in an undef title`,
  ),
  ILLEGAL_TITLE_TYPE_AT: issue<{ index: number; actual: string }>(
    'ILLEGAL_TITLE_TYPE_AT',
    ({ index, actual }) => `Illegal title type at index ${index}. Expected String, got ${actual}`,
  ),
  EMPTY_STRING_TITLE_AT: issue<{ index: number }>(
    'EMPTY_STRING_TITLE_AT',
    ({ index }) => `Empty string title at ${index}. Title strings must have a length greater than zero.`,
  ),
  UNKNOWN_RESOURCE: issue<{ type: string; title: string }>(
    'UNKNOWN_RESOURCE',
    ({ type, title }) => `Resource not found: ${type}['${title}']`,
  ),
  UNKNOWN_RESOURCE_PARAMETER: issue<{ type: string; title: string; parameter: string }>(
    'UNKNOWN_RESOURCE_PARAMETER',
    ({ type, title, parameter }) =>
      `The resource ${type.charAt(0).toUpperCase()}${type.slice(1).toLowerCase()}['${title}'] does not have a parameter called '${parameter}'`,
  ),
  DIV_BY_ZERO: issue<Record<never, never>>('DIV_BY_ZERO', () => 'Division by 0'),
  RESULT_IS_INFINITY: issue<{ operator: string }>(
    'RESULT_IS_INFINITY',
    ({ operator }) => `The result of the ${operator} expression is Infinity`,
  ),
  ILLEGAL_EPP_PARAMETERS: issue<Record<never, never>>(
    'ILLEGAL_EPP_PARAMETERS',
    () => "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace",
  ),
  RESERVED_WORD: issue<{ word: string }>(
    'RESERVED_WORD',
    ({ word }) => `Use of reserved word: ${word}, must be quoted if intended to be a String value`,
  ),
  UNMATCHED_SELECTOR: issue<{ value: string }>(
    'UNMATCHED_SELECTOR',
    ({ value }) => `No matching entry for selector parameter with value '${value}'`,
  ),
  ILLEGAL_OVERRIDDEN_TYPE: issue<{ actual: string }>(
    'ILLEGAL_OVERRIDDEN_TYPE',
    ({ actual }) => `Resource Override can only operate on resources, got: ${actual}`,
  ),
  TYPE_MISMATCH: issue<{ expected: string; actual: string }>(
    'TYPE_MISMATCH',
    ({ expected, actual }) => `Expected value of type ${expected}, got ${actual}`,
  ),
  NUMERIC_OVERFLOW: issue<{ semantic: string; value: bigint }>('NUMERIC_OVERFLOW', ({ semantic, value }) =>
    value > 0n
      ? `${withCapitalArticle(semantic)} resulted in a value outside of Puppet Integer max range, got '+0x${value.toString(16)}'`
      : `${withCapitalArticle(semantic)} resulted in a value outside of Puppet Integer min range, got '-0x${(-value).toString(16)}'`,
  ),
  SERIALIZATION_DEFAULT_CONVERTED_TO_STRING: issue<{ path: string }>(
    'SERIALIZATION_DEFAULT_CONVERTED_TO_STRING',
    ({ path }) => `${path} contains the special value default. It will be converted to the String 'default'`,
  ),
  SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING: issue<{ path: string; label: string; value: string }>(
    'SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING',
    ({ path, label, value }) =>
      `${path} contains ${addLabelArticle(label)} value. It will be converted to the String '${value}'`,
  ),
  SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING: issue<{ path: string; label: string; value: string }>(
    'SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING',
    ({ path, label, value }) =>
      `${path} contains a hash with ${addLabelArticle(label)} key. It will be converted to the String '${value}'`,
  ),
  EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING: issue<{ semantic: string }>(
    'EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING',
    ({ semantic }) => `${withCapitalArticle(semantic)} is not available when compiling a catalog`,
  ),
} as const;
