import type { Node, Program } from './ast.ts';

/** Calls `visit` with each direct child of a node, in the order of Puppet's model. */
export function forEachChild(node: Node | Program, visit: (child: Node) => void) {
  // The most frequent kinds come first: unoptimized code compares one kind after the other.
  switch (node.kind) {
    case 'VariableExpression':
    case 'TextExpression':
    case 'ParenthesizedExpression':
    case 'NotExpression':
    case 'UnaryMinusExpression':
    case 'UnfoldExpression':
    case 'RenderExpression':
    case 'AttributesOperation':
      return visit(node.expr);
    case 'AttributeOperation':
      return visit(node.valueExpr);
    case 'AccessExpression':
      visit(node.leftExpr);
      return node.keys.forEach(visit);
    case 'ConcatenatedString':
      return node.segments.forEach(visit);
    case 'ResourceBody':
      visitIf(node.title, visit);
      return node.operations.forEach(visit);
    case 'ResourceExpression':
      visit(node.typeName);
      return node.bodies.forEach(visit);
    case 'AssignmentExpression':
    case 'ArithmeticExpression':
    case 'RelationshipExpression':
    case 'ComparisonExpression':
    case 'MatchExpression':
    case 'InExpression':
    case 'AndExpression':
    case 'OrExpression':
    case 'NamedAccessExpression':
      visit(node.leftExpr);
      return visit(node.rightExpr);
    case 'LiteralList':
      return node.values.forEach(visit);
    case 'KeyedEntry':
      visit(node.key);
      return visit(node.value);
    case 'LiteralHash':
      return node.entries.forEach(visit);
    case 'BlockExpression':
    case 'ApplyBlockExpression':
      return node.statements.forEach(visit);
    case 'HeredocExpression':
      return visit(node.textExpr);
    case 'ExportedQuery':
    case 'VirtualQuery':
      return visitIf(node.expr, visit);
    case 'EppExpression':
    case 'TypeDefinition':
    case 'Program':
      return visitIf(node.body, visit);
    case 'TypeAlias':
      return visitIf(node.typeExpr, visit);
    default:
      return forEachChildOfCompound(node, visit);
  }
}

function visitIf(child: Node | null, visit: (child: Node) => void): void {
  if (child) visit(child);
}

type Compound = Exclude<Node, { kind: 'TypeAlias' | 'TypeDefinition' | 'EppExpression' }>;

function forEachChildOfCompound(node: Compound, visit: (child: Node) => void) {
  switch (node.kind) {
    case 'CaseOption':
      node.values.forEach(visit);
      return visitIf(node.thenExpr, visit);
    case 'CaseExpression':
      visit(node.test);
      return node.options.forEach(visit);
    case 'IfExpression':
    case 'UnlessExpression':
      visit(node.test);
      visitIf(node.thenExpr, visit);
      return visitIf(node.elseExpr, visit);
    case 'CollectExpression':
      visit(node.typeExpr);
      visit(node.query);
      return node.operations.forEach(visit);
    case 'CallFunctionExpression':
    case 'CallNamedFunctionExpression':
    case 'CallMethodExpression':
      visit(node.functorExpr);
      node.arguments.forEach(visit);
      return visitIf(node.lambda, visit);
    case 'ApplyExpression':
      node.arguments.forEach(visit);
      return visitIf(node.body, visit);
    case 'SelectorEntry':
      visit(node.matchingExpr);
      return visit(node.valueExpr);
    case 'SelectorExpression':
      visit(node.leftExpr);
      return node.selectors.forEach(visit);
    case 'TypeMapping':
      visitIf(node.typeExpr, visit);
      return visitIf(node.mappingExpr, visit);
    case 'Parameter':
      visitIf(node.value, visit);
      return visitIf(node.typeExpr, visit);
    default:
      return forEachChildOfDeclaration(node, visit);
  }
}

function forEachChildOfDeclaration(node: Node, visit: (child: Node) => void) {
  switch (node.kind) {
    case 'FunctionDefinition':
    case 'PlanDefinition':
    case 'LambdaExpression':
      node.parameters.forEach(visit);
      visitIf(node.body, visit);
      return visitIf(node.returnType, visit);
    case 'ResourceTypeDefinition':
    case 'HostClassDefinition':
      node.parameters.forEach(visit);
      return visitIf(node.body, visit);
    case 'NodeDefinition':
      visitIf(node.parent, visit);
      node.hostMatches.forEach(visit);
      return visitIf(node.body, visit);
    case 'ResourceDefaultsExpression':
      visitIf(node.typeRef, visit);
      return node.operations.forEach(visit);
    case 'ResourceOverrideExpression':
      visit(node.resources);
      return node.operations.forEach(visit);
  }
}
