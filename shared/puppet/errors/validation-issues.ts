/**
 * What the checks of a parsed program complain about. Codes and texts: lib/puppet/pops/issues.rb.
 */
import { issue } from './issue.ts';

/**
 * Labels of nodes come ready made: `expression` without article, `a…` with one, `A…` with a capital
 * one.
 */
interface Name {
  name: string;
}

export const notTopLevel = issue<object>(
  'NOT_TOP_LEVEL',
  () => 'Classes, definitions, and nodes may only appear at toplevel or inside other classes',
);
export const notAbsoluteTopLevel = issue<{ A: string }>(
  'NOT_ABSOLUTE_TOP_LEVEL',
  ({ A }) => `${A} may only appear at toplevel`,
);
export const crossScopeAssignment = issue<Name>(
  'CROSS_SCOPE_ASSIGNMENT',
  ({ name }) => `Illegal attempt to assign to '${name}'. Cannot assign to variables in other namespaces`,
);
export const illegalAssignment = issue<{ a: string }>(
  'ILLEGAL_ASSIGNMENT',
  ({ a }) => `Illegal attempt to assign to '${a}'. Not an assignable reference`,
);
export const illegalNumericAssignment = issue<Name>(
  'ILLEGAL_NUMERIC_ASSIGNMENT',
  ({ name }) =>
    `Illegal attempt to assign to the numeric match result variable '$${name}'. Numeric variables are not assignable`,
);
export const illegalAssignmentContext = issue<object>(
  'ILLEGAL_ASSIGNMENT_CONTEXT',
  () => 'Assignment not allowed here',
);
export const illegalNumericParameter = issue<Name>(
  'ILLEGAL_NUMERIC_PARAMETER',
  ({ name }) => `The numeric parameter name '$${name}' cannot be used (clashes with numeric match result variables)`,
);
export const illegalNonliteralParameterType = issue<{ name: string; kind: string }>(
  'ILLEGAL_NONLITERAL_PARAMETER_TYPE',
  ({ name, kind }) => `The parameter '$${name}' must be a literal type, not a Puppet::Pops::Model::${kind}`,
);
export const illegalIndexedAssignment = issue<object>(
  'ILLEGAL_INDEXED_ASSIGNMENT',
  () => 'Illegal attempt to assign via [index/key]. Not an assignable reference',
);
export const appendsDeletesNoLongerSupported = issue<{ operator: string }>(
  'APPENDS_DELETES_NO_LONGER_SUPPORTED',
  ({ operator }) => `The operator '${operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals`,
);
export const unsupportedOperatorInContext = issue<{ operator: string; a: string }>(
  'UNSUPPORTED_OPERATOR_IN_CONTEXT',
  ({ operator, a }) => `The operator '${operator}' in ${a} is not supported.`,
);
export const notRvalue = issue<{ A: string }>(
  'NOT_RVALUE',
  ({ A }) => `Invalid use of expression. ${A} does not produce a value`,
);
export const illegalAttributeAppend = issue<{ name: string; a: string }>(
  'ILLEGAL_ATTRIBUTE_APPEND',
  ({ name, a }) => `Illegal +> operation on attribute ${name}. This operator can not be used in ${a}`,
);
export const illegalTypeMapping = issue<{ expected: string; A: string }>(
  'ILLEGAL_TYPE_MAPPING',
  ({ expected, A }) => `Illegal type mapping. Expected a ${expected} on the left side, got ${A}`,
);
export const illegalParamName = issue<Name>(
  'ILLEGAL_PARAM_NAME',
  ({ name }) => `Illegal parameter name. The given name '${name}' does not conform to the naming rule /^[a-z_]\\w*$/`,
);
export const illegalVarName = issue<Name>(
  'ILLEGAL_VAR_NAME',
  ({ name }) =>
    `Illegal variable name, The given name '${name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/`,
);
export const illegalNumericVarName = issue<Name>(
  'ILLEGAL_NUMERIC_VAR_NAME',
  ({ name }) =>
    `Illegal numeric variable name, The given name '${name}' must be a decimal value if it starts with a digit 0-9`,
);
export const illegalClassref = issue<Name>(
  'ILLEGAL_CLASSREF',
  ({ name }) => `Illegal type reference. The given name '${name}' does not conform to the naming rule`,
);
export const illegalHostnameChars = issue<{ hostname: string }>(
  'ILLEGAL_HOSTNAME_CHARS',
  ({ hostname }) =>
    `The hostname '${hostname}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)`,
);
export const illegalHostnameInterpolation = issue<object>(
  'ILLEGAL_HOSTNAME_INTERPOLATION',
  () => 'An interpolated expression is not allowed in a hostname of a node',
);
export const illegalExpression = issue<{ A: string; feature: string; container: string }>(
  'ILLEGAL_EXPRESSION',
  ({ A, feature, container }) => `Illegal expression. ${A} is unacceptable as ${feature} in ${container}`,
);
export const illegalQueryExpression = issue<{ A: string }>(
  'ILLEGAL_QUERY_EXPRESSION',
  ({ A }) => `Illegal query expression. ${A} cannot be used in a query`,
);
export const notVirtualizable = issue<object>('NOT_VIRTUALIZEABLE', () => 'Resource Defaults are not virtualizable');
export const classNotVirtualizable = issue<object>('CLASS_NOT_VIRTUALIZABLE', () => 'Classes are not virtualizable');
export const unsupportedExpression = issue<{ a: string }>(
  'UNSUPPORTED_EXPRESSION',
  ({ a }) => `Expressions of type ${a} are not supported in this version of Puppet`,
);
export const illegalDefinitionName = issue<{ name: string; a: string }>(
  'ILLEGAL_DEFINITION_NAME',
  ({ name, a }) => `Unacceptable name. The name '${name}' is unacceptable as the name of ${a}`,
);
export const illegalDefinitionLocation = issue<{ name: string; file: string }>(
  'ILLEGAL_DEFINITION_LOCATION',
  ({ name, file }) => `Unacceptable location. The name '${name}' is unacceptable in file '${file}'`,
);
export const illegalTopConstructLocation = issue<{ expression: string; name: string | null }>(
  'ILLEGAL_TOP_CONSTRUCT_LOCATION',
  ({ expression, name }) =>
    name === null
      ? `This ${expression} is unacceptable as a top level construct in this location`
      : `The ${expression} '${name}' is unacceptable as a top level construct in this location`,
);
export const capturesRestNotLast = issue<Name>(
  'CAPTURES_REST_NOT_LAST',
  ({ name }) => `Parameter $${name} is not last, and has 'captures rest'`,
);
export const capturesRestNotSupported = issue<{ name: string; container: string }>(
  'CAPTURES_REST_NOT_SUPPORTED',
  ({ name, container }) => `Parameter $${name} has 'captures rest' - not supported in ${container}`,
);
export const illegalEppParameters = issue<object>(
  'ILLEGAL_EPP_PARAMETERS',
  () => "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace",
);
export const idemExpressionNotLast = issue<{ expression: string }>(
  'IDEM_EXPRESSION_NOT_LAST',
  ({ expression }) =>
    `This ${expression} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)`,
);
export const resourceWithoutTitle = issue<Name>(
  'RESOURCE_WITHOUT_TITLE',
  ({ name }) => `This expression is invalid. Did you try declaring a '${name}' resource without a title?`,
);
export const idemNotAllowedLast = issue<{ expression: string; container: string }>(
  'IDEM_NOT_ALLOWED_LAST',
  ({ expression, container }) =>
    `This ${expression} has no effect. ${container} can not end with a value-producing expression without other effect`,
);
export const reservedWord = issue<{ word: string }>(
  'RESERVED_WORD',
  ({ word }) => `Use of reserved word: ${word}, must be quoted if intended to be a String value`,
);
export const futureReservedWord = issue<{ word: string }>(
  'FUTURE_RESERVED_WORD',
  ({ word }) => `Use of future reserved word: '${word}'`,
);
export const reservedTypeName = issue<{ name: string; a: string }>(
  'RESERVED_TYPE_NAME',
  ({ name, a }) => `The name: '${name}' is already defined by Puppet and can not be used as the name of ${a}.`,
);
export const illegalNodeInheritance = issue<object>(
  'ILLEGAL_NODE_INHERITANCE',
  () =>
    'Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation',
);
export const duplicateParameter = issue<Name>(
  'DUPLICATE_PARAMETER',
  ({ name }) => `The parameter '${name}' is declared more than once in the parameter list`,
);
export const duplicateKey = issue<{ key: string }>(
  'DUPLICATE_KEY',
  ({ key }) => `The key '${key}' is declared more than once`,
);
export const duplicateDefault = issue<{ container: string }>(
  'DUPLICATE_DEFAULT',
  ({ container }) => `This ${container} already has a 'default' entry - this is a duplicate`,
);
export const reservedParameter = issue<{ name: string; container: string }>(
  'RESERVED_PARAMETER',
  ({ name, container }) => `The parameter $${name} redefines a built in parameter in the ${container}`,
);
export const multipleAttributesUnfold = issue<object>(
  'MULTIPLE_ATTRIBUTES_UNFOLD',
  () => 'Unfolding of attributes from Hash can only be used once per resource body',
);
/** `value` is printed as Ruby's `%#+x` prints it. */
export const literalIntegerOverflow = issue<{ A: string; value: bigint }>('NUMERIC_OVERFLOW', ({ A, value }) => {
  const bound = value > 0n ? 'max' : 'min';
  const shown = value > 0n ? `+0x${value.toString(16)}` : `-0x${(-value).toString(16)}`;
  return `${A} resulted in a value outside of Puppet Integer ${bound} range, got '${shown}'`;
});
export const notSupportedWhenScripting = issue<{ A: string }>(
  'EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING',
  ({ A }) => `${A} is only available when compiling a catalog`,
);
export const notSupportedWhenCompiling = issue<{ A: string }>(
  'EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING',
  ({ A }) => `${A} is not available when compiling a catalog`,
);
