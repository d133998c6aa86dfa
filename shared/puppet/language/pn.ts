/** Prints programs in Puppet Notation, the s-expressions of `puppet parser dump --format pn`. */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { rubyFloat } from '../ruby-core/ruby-number.ts';
import type {
  ApplyBlockExpression,
  ApplyExpression,
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

type Kind = Node['kind'];
type NodeOf<K extends Kind> = { [P in K]: Extract<Node, { kind: P }> & { readonly kind: P } }[K];

function print<K extends Kind>(node: NodeOf<K>): string {
  return PRINTERS[node.kind](node);
}

interface Binary {
  readonly operator: string;
  readonly leftExpr: Node;
  readonly rightExpr: Node;
}

function printBinary({ operator, leftExpr, rightExpr }: Binary): string {
  return call(operator, print(leftExpr), print(rightExpr));
}

function refuseApply({ kind }: ApplyExpression | ApplyBlockExpression): never {
  throw new PuppetError(ISSUES.PN_NOT_TRANSFORMABLE({ kind }));
}

const PRINTERS: { readonly [K in Kind]: (node: NodeOf<K>) => string } = {
  LiteralString: ({ value }) => printLiteral(value),
  VariableExpression: ({ expr }) => call('var', expr.kind === 'QualifiedName' ? printLiteral(expr.value) : print(expr)),
  QualifiedName: ({ value }) => call('qn', printLiteral(value)),
  QualifiedReference: ({ casedValue }) => call('qr', printLiteral(casedValue)),
  LiteralInteger: printInteger,
  LiteralFloat: ({ value }) => rubyFloat(value),
  LiteralBoolean: ({ value }) => String(value),
  LiteralUndef: () => 'nil',
  LiteralDefault: () => '(default)',
  LiteralRegularExpression: ({ pattern }) => call('regexp', printLiteral(withOptions(pattern))),
  LiteralList: ({ values }) => call('array', ...values.map(print)),
  LiteralHash: ({ entries }) => call('hash', ...entries.map(print)),
  KeyedEntry: ({ key, value }) => call('=>', print(key), print(value)),
  ConcatenatedString: ({ segments }) => call('concat', ...segments.map(print)),
  TextExpression: ({ expr }) => call('str', print(expr)),
  HeredocExpression: ({ syntax, textExpr }) =>
    call('heredoc', map(['syntax', syntax && printLiteral(syntax)], ['text', print(textExpr)])),
  BlockExpression: ({ statements }) => call('block', ...statements.map(print)),
  ReservedWord: ({ word }) => call('reserved', printLiteral(word)),
  Nop: () => '(nop)',
  ArithmeticExpression: printBinary,
  AssignmentExpression: printBinary,
  ComparisonExpression: printBinary,
  MatchExpression: printBinary,
  RelationshipExpression: printBinary,
  AndExpression: (node) => printBinary({ ...node, operator: 'and' }),
  OrExpression: (node) => printBinary({ ...node, operator: 'or' }),
  InExpression: (node) => printBinary({ ...node, operator: 'in' }),
  NamedAccessExpression: (node) => printBinary({ ...node, operator: '.' }),
  NotExpression: ({ expr }) => call('!', print(expr)),
  UnaryMinusExpression: printNegation,
  UnfoldExpression: ({ expr }) => call('unfold', print(expr)),
  ParenthesizedExpression: ({ expr }) => call('paren', print(expr)),
  AccessExpression: ({ leftExpr, keys }) => call('access', print(leftExpr), ...keys.map(print)),
  SelectorExpression: ({ leftExpr, selectors }) => call('?', print(leftExpr), list(selectors)),
  SelectorEntry: ({ matchingExpr, valueExpr }) => call('=>', print(matchingExpr), print(valueExpr)),
  RenderExpression: ({ expr }) => call('render', print(expr)),
  RenderStringExpression: ({ value }) => call('render-s', printLiteral(value)),
  EppExpression: ({ body }) => (body ? printEppBody(body) : '(epp)'),
  CallFunctionExpression: (node) => printCall(node, 'call-lambda', 'invoke-lambda'),
  CallMethodExpression: (node) => printCall(node, 'call-method', 'invoke-method'),
  CallNamedFunctionExpression: (node) => printCall(node, 'call', 'invoke'),
  LambdaExpression: printLambda,
  IfExpression: (node) => printIf(node, 'if'),
  UnlessExpression: (node) => printIf(node, 'unless'),
  CaseExpression: ({ test, options }) => call('case', print(test), list(options)),
  CaseOption: ({ values, thenExpr }) => map(['when', list(values)], ['then', printBlock(thenExpr)]),
  CollectExpression: printCollect,
  ExportedQuery: ({ expr }) => printQuery('exported-query', expr),
  VirtualQuery: ({ expr }) => printQuery('virtual-query', expr),
  AttributeOperation: (node) => call(node.operator, printLiteral(node.attributeName), print(node.valueExpr)),
  AttributesOperation: ({ expr }) => call('splat-hash', print(expr)),
  ResourceBody: (node) => call('resource_body', bodyMap(node)),
  ResourceExpression: printResource,
  ResourceDefaultsExpression: (node) =>
    call('resource-defaults', map(['type', orNop(node.typeRef)], ['ops', list(node.operations)], printForm(node))),
  ResourceOverrideExpression: (node) =>
    call(
      'resource-override',
      map(['resources', print(node.resources)], ['ops', list(node.operations)], printForm(node)),
    ),
  HostClassDefinition: (node) => call('class', printNamed(node, node.parentClass, null)),
  ResourceTypeDefinition: (node) => call('define', printNamed(node, null, null)),
  FunctionDefinition: (node) => call('function', printNamed(node, null, node.returnType)),
  PlanDefinition: (node) => call('plan', printNamed(node, null, node.returnType)),
  NodeDefinition: printNode,
  TypeAlias: ({ name, typeExpr }) => call('type-alias', printLiteral(name), orNop(typeExpr)),
  TypeMapping: ({ typeExpr, mappingExpr }) => call('type-mapping', orNop(typeExpr), orNop(mappingExpr)),
  TypeDefinition: ({ name, parent, body }) =>
    call('type-definition', printLiteral(name), printLiteral(parent), orNop(body)),
  ApplyExpression: refuseApply,
  ApplyBlockExpression: refuseApply,
  Parameter: (node) => map(...parameterEntries(node)),
};

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
