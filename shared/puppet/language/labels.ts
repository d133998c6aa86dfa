/** Names of AST nodes in error texts. Puppet: lib/puppet/pops/model/model_label_provider.rb. */
import type { Node } from './ast.ts';

const LABELS: Readonly<Partial<Record<Node['kind'], string>>> = {
  LiteralInteger: 'Literal Integer',
  LiteralFloat: 'Literal Float',
  AccessExpression: "'[]' expression",
  EppExpression: 'Epp Template',
  ExportedQuery: 'Exported Query',
  VirtualQuery: 'Virtual Query',
  AndExpression: "'and' expression",
  OrExpression: "'or' expression",
  InExpression: "'in' expression",
  LiteralList: 'Array Expression',
  LiteralHash: 'Hash Expression',
  KeyedEntry: 'Hash Entry',
  LiteralBoolean: 'Boolean',
  LiteralString: 'String',
  LambdaExpression: 'Lambda',
  LiteralDefault: "'default' expression",
  LiteralUndef: "'undef' expression",
  LiteralRegularExpression: 'Regular Expression',
  Nop: 'Nop Expression',
  NamedAccessExpression: "'.' expression",
  NotExpression: "'not' expression",
  VariableExpression: 'Variable',
  TextExpression: 'Expression in Interpolated String',
  UnaryMinusExpression: 'Unary Minus',
  UnfoldExpression: 'Unfold',
  BlockExpression: 'Block Expression',
  ApplyBlockExpression: 'Apply Block Expression',
  ConcatenatedString: 'Double Quoted String',
  HostClassDefinition: 'Host Class Definition',
  FunctionDefinition: 'Function Definition',
  PlanDefinition: 'Plan Definition',
  NodeDefinition: 'Node Definition',
  ResourceTypeDefinition: "'define' expression",
  ResourceOverrideExpression: 'Resource Override',
  Parameter: 'Parameter Definition',
  ParenthesizedExpression: 'Parenthesized Expression',
  IfExpression: "'if' statement",
  UnlessExpression: "'unless' Statement",
  CallNamedFunctionExpression: 'Function Call',
  CallMethodExpression: 'Method call',
  ApplyExpression: "'apply' expression",
  CaseExpression: "'case' statement",
  CaseOption: 'Case Option',
  RenderStringExpression: 'Epp Text',
  RenderExpression: 'Epp Interpolated Expression',
  ResourceBody: 'Resource Instance Definition',
  ResourceDefaultsExpression: 'Resource Defaults Expression',
  ResourceExpression: 'Resource Statement',
  SelectorExpression: 'Selector Expression',
  SelectorEntry: 'Selector Option',
  QualifiedName: 'Name',
  QualifiedReference: 'Type-Name',
  TypeAlias: 'Type Alias',
  TypeMapping: 'Type Mapping',
  TypeDefinition: 'Type Definition',
};

/** The label of a node: `Function Call`, `'+' expression`. */
export function nodeLabel(node: Node): string {
  switch (node.kind) {
    case 'ArithmeticExpression':
    case 'MatchExpression':
    case 'ComparisonExpression':
    case 'AssignmentExpression':
    case 'AttributeOperation':
    case 'RelationshipExpression':
      return `'${node.operator}' expression`;
    case 'CollectExpression':
      return nodeLabel(node.query);
    case 'HeredocExpression':
      return `'@(${node.syntax ?? ''})' expression`;
    case 'ReservedWord':
      return `Reserved Word '${node.word}'`;
    default:
      return LABELS[node.kind] ?? 'Object';
  }
}
