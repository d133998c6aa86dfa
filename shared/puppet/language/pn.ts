/** Prints programs in Puppet Notation, the s-expressions of `puppet parser dump --format pn`. */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { rubyFloat } from '../ruby-core/ruby-number.ts';
import type {
  AccessExpression,
  CallFunctionExpression,
  CallMethodExpression,
  CallNamedFunctionExpression,
  CollectExpression,
  Expression,
  IfExpression,
  LambdaExpression,
  LiteralInteger,
  Node,
  NodeDefinition,
  Parameter,
  Program,
  ResourceBody,
  ResourceExpression,
  ResourceForm,
  UnaryMinusExpression,
  UnlessExpression,
} from './ast.ts';
import { withOptions } from './regexp-options.ts';

/**
 * Prints the program on one line, as `Puppet::Pops::Model::PNTransformer.transform(program).to_s`.
 *
 * Throws a `PuppetError` for `apply` expressions, which the notation cannot express.
 */
export function printPn(program: Program): string {
  return program.body ? print(program.body) : '(nop)';
}

function call(name: string, ...elements: readonly string[]): string {
  return elements.length === 0 ? `(${name})` : `(${name} ${elements.join(' ')})`;
}

function list(nodes: readonly Node[]): string {
  return `[${nodes.map(print).join(' ')}]`;
}

type Entry = readonly [key: string, value: string | null];

/** Prints `{:key value}`; entries without a value are left out. */
function map(...entries: readonly Entry[]): string {
  const present = entries.filter(([, value]) => value !== null);
  return `{${present.map(([key, value]) => `:${key} ${value}`).join(' ')}}`;
}

function printLiteral(text: string | null): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are escaped
  return text === null ? 'nil' : `"${text.replace(/[\u0000-\u001f"\\]/g, escapeCharacter)}"`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '"': '\\"', '\\': '\\\\' };

function escapeCharacter(char: string): string {
  return ESCAPES[char] ?? `\\o${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

function print(node: Node): string {
  switch (node.kind) {
    case 'LiteralString':
      return printLiteral(node.value);
    case 'VariableExpression':
      return call('var', node.expr.kind === 'QualifiedName' ? printLiteral(node.expr.value) : print(node.expr));
    case 'QualifiedName':
      return call('qn', printLiteral(node.value));
    case 'QualifiedReference':
      return call('qr', printLiteral(node.casedValue));
    case 'LiteralInteger':
      return printInteger(node);
    case 'LiteralFloat':
      return rubyFloat(node.value);
    case 'LiteralBoolean':
      return String(node.value);
    case 'LiteralUndef':
      return 'nil';
    case 'LiteralDefault':
      return '(default)';
    case 'LiteralRegularExpression':
      return call('regexp', printLiteral(withOptions(node.pattern)));
    case 'LiteralList':
      return call('array', ...node.values.map(print));
    case 'LiteralHash':
      return call('hash', ...node.entries.map(print));
    case 'KeyedEntry':
      return call('=>', print(node.key), print(node.value));
    case 'ConcatenatedString':
      return call('concat', ...node.segments.map(print));
    case 'TextExpression':
      return call('str', print(node.expr));
    case 'HeredocExpression':
      return call('heredoc', map(['syntax', node.syntax && printLiteral(node.syntax)], ['text', print(node.textExpr)]));
    case 'BlockExpression':
      return call('block', ...node.statements.map(print));
    case 'ReservedWord':
      return call('reserved', printLiteral(node.word));
    case 'Nop':
      return '(nop)';
    default:
      return printOperator(node);
  }
}

type Simple = Extract<
  Node,
  {
    kind:
      | 'LiteralString'
      | 'VariableExpression'
      | 'QualifiedName'
      | 'QualifiedReference'
      | 'LiteralInteger'
      | 'LiteralFloat'
      | 'LiteralBoolean'
      | 'LiteralUndef'
      | 'LiteralDefault'
      | 'LiteralRegularExpression'
      | 'LiteralList'
      | 'LiteralHash'
      | 'KeyedEntry'
      | 'ConcatenatedString'
      | 'TextExpression'
      | 'HeredocExpression'
      | 'BlockExpression'
      | 'ReservedWord'
      | 'Nop';
  }
>;

function printOperator(node: Exclude<Node, Simple>): string {
  switch (node.kind) {
    case 'ArithmeticExpression':
    case 'AssignmentExpression':
    case 'ComparisonExpression':
    case 'MatchExpression':
    case 'RelationshipExpression':
      return call(node.operator, print(node.leftExpr), print(node.rightExpr));
    case 'AndExpression':
      return call('and', print(node.leftExpr), print(node.rightExpr));
    case 'OrExpression':
      return call('or', print(node.leftExpr), print(node.rightExpr));
    case 'InExpression':
      return call('in', print(node.leftExpr), print(node.rightExpr));
    case 'NamedAccessExpression':
      return call('.', print(node.leftExpr), print(node.rightExpr));
    case 'NotExpression':
      return call('!', print(node.expr));
    case 'UnaryMinusExpression':
      return printNegation(node);
    case 'UnfoldExpression':
      return call('unfold', print(node.expr));
    case 'ParenthesizedExpression':
      return call('paren', print(node.expr));
    case 'AccessExpression':
      return printAccess(node);
    case 'SelectorExpression':
      return call('?', print(node.leftExpr), list(node.selectors));
    case 'SelectorEntry':
      return call('=>', print(node.matchingExpr), print(node.valueExpr));
    case 'RenderExpression':
      return call('render', print(node.expr));
    case 'RenderStringExpression':
      return call('render-s', printLiteral(node.value));
    case 'EppExpression':
      return node.body ? printEppBody(node.body) : '(epp)';
    default:
      return printStatement(node);
  }
}

type Operator = Extract<
  Node,
  {
    kind:
      | 'ArithmeticExpression'
      | 'AssignmentExpression'
      | 'ComparisonExpression'
      | 'MatchExpression'
      | 'RelationshipExpression'
      | 'AndExpression'
      | 'OrExpression'
      | 'InExpression'
      | 'NamedAccessExpression'
      | 'NotExpression'
      | 'UnaryMinusExpression'
      | 'UnfoldExpression'
      | 'ParenthesizedExpression'
      | 'AccessExpression'
      | 'SelectorExpression'
      | 'SelectorEntry'
      | 'RenderExpression'
      | 'RenderStringExpression'
      | 'EppExpression';
  }
>;

function printStatement(node: Exclude<Node, Simple | Operator>): string {
  switch (node.kind) {
    case 'CallFunctionExpression':
      return printCall(node, 'call-lambda', 'invoke-lambda');
    case 'CallMethodExpression':
      return printCall(node, 'call-method', 'invoke-method');
    case 'CallNamedFunctionExpression':
      return printCall(node, 'call', 'invoke');
    case 'LambdaExpression':
      return printLambda(node);
    case 'IfExpression':
      return printIf(node, 'if');
    case 'UnlessExpression':
      return printIf(node, 'unless');
    case 'CaseExpression':
      return call('case', print(node.test), list(node.options));
    case 'CaseOption':
      return map(['when', list(node.values)], ['then', printBlock(node.thenExpr)]);
    case 'CollectExpression':
      return printCollect(node);
    case 'ExportedQuery':
      return printQuery('exported-query', node.expr);
    case 'VirtualQuery':
      return printQuery('virtual-query', node.expr);
    case 'AttributeOperation':
      return call(node.operator, printLiteral(node.attributeName), print(node.valueExpr));
    case 'AttributesOperation':
      return call('splat-hash', print(node.expr));
    case 'ResourceBody':
      return call('resource_body', bodyMap(node));
    case 'ResourceExpression':
      return printResource(node);
    case 'ResourceDefaultsExpression':
      return call(
        'resource-defaults',
        map(['type', orNop(node.typeRef)], ['ops', list(node.operations)], printForm(node)),
      );
    case 'ResourceOverrideExpression':
      return call(
        'resource-override',
        map(['resources', print(node.resources)], ['ops', list(node.operations)], printForm(node)),
      );
    default:
      return printDefinition(node);
  }
}

type Statement = Extract<
  Node,
  {
    kind:
      | 'CallFunctionExpression'
      | 'CallMethodExpression'
      | 'CallNamedFunctionExpression'
      | 'LambdaExpression'
      | 'IfExpression'
      | 'UnlessExpression'
      | 'CaseExpression'
      | 'CaseOption'
      | 'CollectExpression'
      | 'ExportedQuery'
      | 'VirtualQuery'
      | 'AttributeOperation'
      | 'AttributesOperation'
      | 'ResourceBody'
      | 'ResourceExpression'
      | 'ResourceDefaultsExpression'
      | 'ResourceOverrideExpression';
  }
>;

function printDefinition(node: Exclude<Node, Simple | Operator | Statement>): string {
  switch (node.kind) {
    case 'HostClassDefinition':
      return call('class', printNamed(node, node.parentClass, null));
    case 'ResourceTypeDefinition':
      return call('define', printNamed(node, null, null));
    case 'FunctionDefinition':
      return call('function', printNamed(node, null, node.returnType));
    case 'PlanDefinition':
      return call('plan', printNamed(node, null, node.returnType));
    case 'NodeDefinition':
      return printNode(node);
    case 'TypeAlias':
      return call('type-alias', printLiteral(node.name), orNop(node.typeExpr));
    case 'TypeMapping':
      return call('type-mapping', orNop(node.typeExpr), orNop(node.mappingExpr));
    case 'TypeDefinition':
      return call('type-definition', printLiteral(node.name), printLiteral(node.parent), orNop(node.body));
    case 'ApplyExpression':
    case 'ApplyBlockExpression':
      throw new PuppetError(ISSUES.PN_NOT_TRANSFORMABLE({ kind: node.kind }));
    case 'Parameter':
      return map(...parameterEntries(node));
  }
}

function isNop(node: Node | null): boolean {
  return node === null || node.kind === 'Nop';
}

function orNop(node: Node | null): string {
  return node ? print(node) : '(nop)';
}

/** Prints the statements of a body as a list. */
function printBlock(node: Expression | null): string {
  if (node?.kind === 'BlockExpression') return list(node.statements);
  return `[${orNop(node)}]`;
}

function printForm({ form }: { readonly form: ResourceForm }): Entry {
  return ['form', form === 'regular' ? null : printLiteral(form)];
}

function printQuery(name: string, expr: Expression | null): string {
  return expr && !isNop(expr) ? call(name, print(expr)) : `(${name})`;
}

function bodyMap({ title, operations }: ResourceBody): string {
  return map(['title', orNop(title)], ['ops', list(operations)]);
}

function printResource(node: ResourceExpression): string {
  const bodies = `[${node.bodies.map(bodyMap).join(' ')}]`;
  return call('resource', map(['type', print(node.typeName)], ['bodies', bodies], printForm(node)));
}

function printInteger({ value, radix }: LiteralInteger): string {
  return radix === 10 ? `${value}` : call('int', map(['radix', String(radix)], ['value', `${value}`]));
}

function printNegation({ expr }: UnaryMinusExpression): string {
  if (expr.kind === 'LiteralInteger') return `${-expr.value}`;
  if (expr.kind === 'LiteralFloat') return rubyFloat(-expr.value);
  return call('-', print(expr));
}

function printAccess({ leftExpr, keys }: AccessExpression): string {
  return call('access', print(leftExpr), ...keys.map(print));
}

function printEppBody(body: Expression): string {
  return body.kind === 'BlockExpression' ? call('epp', ...body.statements.map(print)) : call('epp', print(body));
}

function printCall(
  node: CallFunctionExpression | CallMethodExpression | CallNamedFunctionExpression,
  withValue: string,
  withoutValue: string,
): string {
  const args: Entry = ['args', list(node.arguments)];
  const lambda: Entry = ['block', node.lambda && print(node.lambda)];
  return call(node.rvalRequired ? withValue : withoutValue, map(['functor', print(node.functorExpr)], args, lambda));
}

function printLambda({ parameters, returnType, body }: LambdaExpression): string {
  const returns: Entry = ['returns', returnType && print(returnType)];
  return call('lambda', map(parametersEntry(parameters), returns, ['body', body && printBlock(body)]));
}

function printIf({ test, thenExpr, elseExpr }: IfExpression | UnlessExpression, name: string): string {
  const branches: readonly Entry[] = [
    ['then', isNop(thenExpr) ? null : printBlock(thenExpr)],
    ['else', isNop(elseExpr) ? null : printBlock(elseExpr)],
  ];
  return call(name, map(['test', print(test)], ...branches));
}

function printCollect({ typeExpr, query, operations }: CollectExpression): string {
  const ops: Entry = ['ops', operations.length === 0 ? null : list(operations)];
  return call('collect', map(['type', print(typeExpr)], ['query', print(query)], ops));
}

function printNode({ hostMatches, parent, body }: NodeDefinition): string {
  const rest: readonly Entry[] = [
    ['parent', parent && print(parent)],
    ['body', body && printBlock(body)],
  ];
  return call('node', map(['matches', list(hostMatches)], ...rest));
}

interface Named {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: Expression | null;
}

function printNamed({ name, parameters, body }: Named, parent: string | null, returns: Expression | null): string {
  return map(
    ['name', printLiteral(name)],
    ['parent', parent === null ? null : printLiteral(parent)],
    parametersEntry(parameters),
    ['body', body && printBlock(body)],
    ['returns', returns && print(returns)],
  );
}

function parametersEntry(parameters: readonly Parameter[]): Entry {
  if (parameters.length === 0) return ['params', null];
  return ['params', `{${parameters.map((each) => `:${each.name} ${map(...parameterEntries(each))}`).join(' ')}}`];
}

function parameterEntries({ typeExpr, capturesRest, value }: Parameter): readonly Entry[] {
  return [
    ['type', typeExpr && print(typeExpr)],
    ['splat', capturesRest ? 'true' : null],
    ['value', value && print(value)],
  ];
}
