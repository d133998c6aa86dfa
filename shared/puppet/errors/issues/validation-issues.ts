/** Issues of the checks of a parsed program. Codes and texts: lib/puppet/pops/issues.rb. */
import { defineIssues, fault, issue } from './issue.ts';

export const VALIDATION_ISSUES = defineIssues({
  NOT_TOP_LEVEL: issue('Classes, definitions, and nodes may only appear at toplevel or inside other classes'),
  NOT_ABSOLUTE_TOP_LEVEL: issue('%{semantic.A} may only appear at toplevel'),
  ILLEGAL_ASSIGNMENT_CONTEXT: issue('Assignment not allowed here'),
  ILLEGAL_NUMERIC_PARAMETER: issue(
    "The numeric parameter name '$%{name}' cannot be used (clashes with numeric match result variables)",
  ),
  ILLEGAL_NONLITERAL_PARAMETER_TYPE: issue(
    "The parameter '$%{name}' must be a literal type, not a Puppet::Pops::Model::%{kind}",
    { severity: 'deprecation' },
  ),
  ILLEGAL_INDEXED_ASSIGNMENT: issue('Illegal attempt to assign via [index/key]. Not an assignable reference'),
  APPENDS_DELETES_NO_LONGER_SUPPORTED: issue(
    "The operator '%{operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals",
  ),
  UNSUPPORTED_OPERATOR_IN_CONTEXT: issue("The operator '%{operator}' in %{semantic.a} is not supported."),
  NOT_RVALUE: issue('Invalid use of expression. %{semantic.A} does not produce a value'),
  ILLEGAL_ATTRIBUTE_APPEND: issue(
    'Illegal +> operation on attribute %{name}. This operator can not be used in %{semantic.a}',
  ),
  ILLEGAL_SINGLE_TYPE_MAPPING: issue('Illegal type mapping. Expected a Type on the left side, got %{semantic.A}', {
    code: 'ILLEGAL_TYPE_MAPPING',
  }),
  ILLEGAL_REGEXP_TYPE_MAPPING: issue(
    'Illegal type mapping. Expected a Tuple[Regexp,String] on the left side, got %{semantic.A}',
    { code: 'ILLEGAL_TYPE_MAPPING' },
  ),
  ILLEGAL_PARAM_NAME: issue(
    "Illegal parameter name. The given name '%{name}' does not conform to the naming rule /^[a-z_]\\w*$/",
  ),
  ILLEGAL_VAR_NAME: issue(
    "Illegal variable name, The given name '%{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/",
  ),
  ILLEGAL_NUMERIC_VAR_NAME: issue(
    "Illegal numeric variable name, The given name '%{name}' must be a decimal value if it starts with a digit 0-9",
  ),
  ILLEGAL_HOSTNAME_CHARS: issue(
    "The hostname '%{hostname}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)",
  ),
  ILLEGAL_HOSTNAME_INTERPOLATION: issue('An interpolated expression is not allowed in a hostname of a node'),
  ILLEGAL_QUERY_EXPRESSION: issue('Illegal query expression. %{semantic.A} cannot be used in a query'),
  NOT_VIRTUALIZEABLE: issue('Resource Defaults are not virtualizable'),
  UNSUPPORTED_EXPRESSION: issue('Expressions of type %{semantic.a} are not supported in this version of %{product}'),
  ILLEGAL_DEFINITION_NAME: issue("Unacceptable name. The name '%{name}' is unacceptable as the name of %{semantic.a}"),
  ILLEGAL_DEFINITION_LOCATION: issue("Unacceptable location. The name '%{name}' is unacceptable in file '%{file}'"),
  ILLEGAL_TOP_CONSTRUCT_LOCATION: issue(({ expression, name }: { expression: string; name: string | null }) =>
    name === null
      ? `This ${expression} is unacceptable as a top level construct in this location`
      : `The ${expression} '${name}' is unacceptable as a top level construct in this location`,
  ),
  CAPTURES_REST_NOT_LAST: issue("Parameter $%{name} is not last, and has 'captures rest'"),
  CAPTURES_REST_NOT_SUPPORTED: issue("Parameter $%{name} has 'captures rest' - not supported in %{container.a}"),
  IDEM_EXPRESSION_NOT_LAST: issue(
    'This %{expression} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)',
  ),
  RESOURCE_WITHOUT_TITLE: issue(
    "This expression is invalid. Did you try declaring a '%{name}' resource without a title?",
  ),
  IDEM_NOT_ALLOWED_LAST: issue(
    'This %{expression} has no effect. %{container.A} can not end with a value-producing expression without other effect',
  ),
  FUTURE_RESERVED_WORD: issue("Use of future reserved word: '%{word}'", {
    severity: 'deprecation',
  }),
  RESERVED_TYPE_NAME: issue(
    "The name: '%{name}' is already defined by Puppet and can not be used as the name of %{semantic.a}.",
  ),
  ILLEGAL_NODE_INHERITANCE: issue(
    'Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation',
  ),
  DUPLICATE_PARAMETER: issue("The parameter '%{name}' is declared more than once in the parameter list"),
  DUPLICATE_KEY: issue("The key '%{key}' is declared more than once", {
    severity: 'strict',
  }),
  DUPLICATE_DEFAULT: issue("This %{container} already has a 'default' entry - this is a duplicate"),
  RESERVED_PARAMETER: issue('The parameter $%{name} redefines a built in parameter in the %{container}'),
  MULTIPLE_ATTRIBUTES_UNFOLD: issue('Unfolding of attributes from Hash can only be used once per resource body'),
  EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING: issue('%{semantic.A} is only available when compiling a catalog'),
  EMPTY_HASH_KEY: fault(
    "Visitor Error: the configured receiver (Puppet::Pops::Validation::Checker4_0) can't handle instance of: NilClass",
  ),
  SEVERAL_ERRORS: fault('Language validation logged %{counts}. Giving up'),
  /** Its code comes from the checker of the syntax: `ILLEGAL_JSON` and the like. */
  INVALID_HEREDOC_TEXT: fault("Invalid produced text having syntax: '%{syntax}'. %{detail}"),
});
