/** Issues of the checks of a parsed program. Codes and texts: lib/puppet/pops/issues.rb. */
import { addLabelArticle, defineIssues, fault, issue, withCapitalArticle } from './issue.ts';

export const VALIDATION_ISSUES = defineIssues({
  NOT_TOP_LEVEL: issue(() => 'Classes, definitions, and nodes may only appear at toplevel or inside other classes'),
  NOT_ABSOLUTE_TOP_LEVEL: issue(
    ({ semantic }: { semantic: string }) => `${withCapitalArticle(semantic)} may only appear at toplevel`,
  ),
  ILLEGAL_ASSIGNMENT_CONTEXT: issue(() => 'Assignment not allowed here'),
  ILLEGAL_NUMERIC_PARAMETER: issue(
    ({ name }: { name: string }) =>
      `The numeric parameter name '$${name}' cannot be used (clashes with numeric match result variables)`,
  ),
  ILLEGAL_NONLITERAL_PARAMETER_TYPE: issue(
    ({ name, kind }: { name: string; kind: string }) =>
      `The parameter '$${name}' must be a literal type, not a Puppet::Pops::Model::${kind}`,
    { severity: 'deprecation' },
  ),
  ILLEGAL_INDEXED_ASSIGNMENT: issue(() => 'Illegal attempt to assign via [index/key]. Not an assignable reference'),
  APPENDS_DELETES_NO_LONGER_SUPPORTED: issue(
    ({ operator }: { operator: string }) =>
      `The operator '${operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals`,
  ),
  UNSUPPORTED_OPERATOR_IN_CONTEXT: issue(
    ({ operator, semantic }: { operator: string; semantic: string }) =>
      `The operator '${operator}' in ${addLabelArticle(semantic)} is not supported.`,
  ),
  NOT_RVALUE: issue(
    ({ semantic }: { semantic: string }) =>
      `Invalid use of expression. ${withCapitalArticle(semantic)} does not produce a value`,
  ),
  ILLEGAL_ATTRIBUTE_APPEND: issue(
    ({ name, semantic }: { name: string; semantic: string }) =>
      `Illegal +> operation on attribute ${name}. This operator can not be used in ${addLabelArticle(semantic)}`,
  ),
  ILLEGAL_SINGLE_TYPE_MAPPING: issue(
    ({ semantic }: { semantic: string }) =>
      `Illegal type mapping. Expected a Type on the left side, got ${withCapitalArticle(semantic)}`,
    { code: 'ILLEGAL_TYPE_MAPPING' },
  ),
  ILLEGAL_REGEXP_TYPE_MAPPING: issue(
    ({ semantic }: { semantic: string }) =>
      `Illegal type mapping. Expected a Tuple[Regexp,String] on the left side, got ${withCapitalArticle(semantic)}`,
    { code: 'ILLEGAL_TYPE_MAPPING' },
  ),
  ILLEGAL_PARAM_NAME: issue(
    ({ name }: { name: string }) =>
      `Illegal parameter name. The given name '${name}' does not conform to the naming rule /^[a-z_]\\w*$/`,
  ),
  ILLEGAL_VAR_NAME: issue(
    ({ name }: { name: string }) =>
      `Illegal variable name, The given name '${name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/`,
  ),
  ILLEGAL_NUMERIC_VAR_NAME: issue(
    ({ name }: { name: string }) =>
      `Illegal numeric variable name, The given name '${name}' must be a decimal value if it starts with a digit 0-9`,
  ),
  ILLEGAL_HOSTNAME_CHARS: issue(
    ({ hostname }: { hostname: string }) =>
      `The hostname '${hostname}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)`,
  ),
  ILLEGAL_HOSTNAME_INTERPOLATION: issue(() => 'An interpolated expression is not allowed in a hostname of a node'),
  ILLEGAL_QUERY_EXPRESSION: issue(
    ({ semantic }: { semantic: string }) =>
      `Illegal query expression. ${withCapitalArticle(semantic)} cannot be used in a query`,
  ),
  NOT_VIRTUALIZEABLE: issue(() => 'Resource Defaults are not virtualizable'),
  UNSUPPORTED_EXPRESSION: issue(
    ({ semantic, product }: { semantic: string; product: string }) =>
      `Expressions of type ${addLabelArticle(semantic)} are not supported in this version of ${product}`,
  ),
  ILLEGAL_DEFINITION_NAME: issue(
    ({ name, semantic }: { name: string; semantic: string }) =>
      `Unacceptable name. The name '${name}' is unacceptable as the name of ${addLabelArticle(semantic)}`,
  ),
  ILLEGAL_DEFINITION_LOCATION: issue(
    ({ name, file }: { name: string; file: string }) =>
      `Unacceptable location. The name '${name}' is unacceptable in file '${file}'`,
  ),
  ILLEGAL_TOP_CONSTRUCT_LOCATION: issue(({ expression, name }: { expression: string; name: string | null }) =>
    name === null
      ? `This ${expression} is unacceptable as a top level construct in this location`
      : `The ${expression} '${name}' is unacceptable as a top level construct in this location`,
  ),
  CAPTURES_REST_NOT_LAST: issue(
    ({ name }: { name: string }) => `Parameter $${name} is not last, and has 'captures rest'`,
  ),
  CAPTURES_REST_NOT_SUPPORTED: issue(
    ({ name, container }: { name: string; container: string }) =>
      `Parameter $${name} has 'captures rest' - not supported in ${addLabelArticle(container)}`,
  ),
  IDEM_EXPRESSION_NOT_LAST: issue(
    ({ expression }: { expression: string }) =>
      `This ${expression} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)`,
  ),
  RESOURCE_WITHOUT_TITLE: issue(
    ({ name }: { name: string }) =>
      `This expression is invalid. Did you try declaring a '${name}' resource without a title?`,
  ),
  IDEM_NOT_ALLOWED_LAST: issue(
    ({ expression, container }: { expression: string; container: string }) =>
      `This ${expression} has no effect. ${withCapitalArticle(container)} can not end with a value-producing expression without other effect`,
  ),
  FUTURE_RESERVED_WORD: issue(({ word }: { word: string }) => `Use of future reserved word: '${word}'`, {
    severity: 'deprecation',
  }),
  RESERVED_TYPE_NAME: issue(
    ({ name, semantic }: { name: string; semantic: string }) =>
      `The name: '${name}' is already defined by Puppet and can not be used as the name of ${addLabelArticle(semantic)}.`,
  ),
  ILLEGAL_NODE_INHERITANCE: issue(
    () =>
      'Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation',
  ),
  DUPLICATE_PARAMETER: issue(
    ({ name }: { name: string }) => `The parameter '${name}' is declared more than once in the parameter list`,
  ),
  DUPLICATE_KEY: issue(({ key }: { key: string }) => `The key '${key}' is declared more than once`, {
    severity: 'strict',
  }),
  DUPLICATE_DEFAULT: issue(
    ({ container }: { container: string }) => `This ${container} already has a 'default' entry - this is a duplicate`,
  ),
  RESERVED_PARAMETER: issue(
    ({ name, container }: { name: string; container: string }) =>
      `The parameter $${name} redefines a built in parameter in the ${container}`,
  ),
  MULTIPLE_ATTRIBUTES_UNFOLD: issue(() => 'Unfolding of attributes from Hash can only be used once per resource body'),
  EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING: issue(
    ({ semantic }: { semantic: string }) =>
      `${withCapitalArticle(semantic)} is only available when compiling a catalog`,
  ),
  EMPTY_HASH_KEY: fault(
    () =>
      "Visitor Error: the configured receiver (Puppet::Pops::Validation::Checker4_0) can't handle instance of: NilClass",
  ),
  SEVERAL_ERRORS: fault(({ counts }: { counts: string }) => `Language validation logged ${counts}. Giving up`),
  /** Its code comes from the checker of the syntax: `ILLEGAL_JSON` and the like. */
  INVALID_HEREDOC_TEXT: fault(
    ({ syntax, detail }: { syntax: string; detail: string }) =>
      `Invalid produced text having syntax: '${syntax}'. ${detail}`,
  ),
});
