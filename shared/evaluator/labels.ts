/** What errors call AST nodes and values. Puppet: lib/puppet/pops/model/model_label_provider.rb. */
import type { Node } from '../language/ast.ts';
import { PType } from '../types/ptype.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import { PuppetRegexp } from '../types/regexp.ts';
import { Binary, PuppetObject, SemVer, SemVerRange, Timespan, Timestamp } from '../types/rich-values.ts';
import { DEFAULT, Sensitive, type Value } from '../types/values.ts';

const NODE_LABELS: Readonly<Partial<Record<Node['kind'], string>>> = {
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
      return NODE_LABELS[node.kind] ?? 'Object';
  }
}

/** The label of a value: `Integer`, `Undef Value`, `File['/x'] Resource-Reference`. */
export function valueLabel(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'String';
    case 'bigint':
      return 'Integer';
    case 'number':
      return 'Float';
    case 'boolean':
      return 'Boolean';
    default:
      return objectLabel(value);
  }
}

function objectLabel(value: Exclude<Value, string | number | bigint | boolean>): string {
  if (value === null) return 'Undef Value';
  // Puppet: `default` is a Ruby Symbol, which has no label of its own.
  if (value === DEFAULT) return 'Object';
  if (Array.isArray(value)) return 'Array';
  if (value instanceof PuppetHash) return 'Hash';
  if (value instanceof PType) return typeLabel(value);
  if (value instanceof PuppetRegexp) return 'Regexp';
  if (value instanceof Sensitive) return 'Sensitive';
  if (value instanceof Binary) return 'Binary';
  if (value instanceof Timestamp) return 'Timestamp';
  if (value instanceof Timespan) return 'Timespan';
  if (value instanceof SemVer) return 'Semver';
  if (value instanceof SemVerRange) return 'SemverRange';
  return value instanceof PuppetObject ? 'Object' : collectorLabel(String(value));
}

function typeLabel(type: PType): string {
  if (type.kind === 'Resource' && 'title' in type && type.title !== null) return `${type} Resource-Reference`;
  return `${type}-Type`;
}

// A collector is a value only as an operand of a relationship; its text is `Catalog-Collector[File]`.
function collectorLabel(text: string): string {
  return /^(Catalog|Exported)-Collector/.exec(text)?.[0] ?? 'Object';
}
