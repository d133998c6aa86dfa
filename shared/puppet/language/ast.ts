/**
 * The AST of a Puppet program. Node kinds and their attributes are those of Puppet's own model
 * (lib/puppet/pops/model/ast.pp), attribute names in camel case.
 *
 * `offset` and `length` are in characters of the source text; `Nop`s that stand for "nothing" have
 * length 0.
 */
import type { LogEntry } from '../errors/compile-log.ts';
import type { Locator } from './locator.ts';

export interface Positioned {
  readonly offset: number;
  readonly length: number;
  /** The locator of the file that contains this node; maps offsets to lines and columns. */
  readonly locator: Locator;
}

interface Binary extends Positioned {
  readonly leftExpr: Expression;
  readonly rightExpr: Expression;
}

interface Unary extends Positioned {
  readonly expr: Expression;
}

export interface Nop extends Positioned {
  readonly kind: 'Nop';
}
export interface ParenthesizedExpression extends Unary {
  readonly kind: 'ParenthesizedExpression';
}
export interface NotExpression extends Unary {
  readonly kind: 'NotExpression';
}
export interface UnaryMinusExpression extends Unary {
  readonly kind: 'UnaryMinusExpression';
}
export interface UnfoldExpression extends Unary {
  readonly kind: 'UnfoldExpression';
}
export interface TextExpression extends Unary {
  readonly kind: 'TextExpression';
}
export interface VariableExpression extends Unary {
  readonly kind: 'VariableExpression';
  /**
   * Used by evaluation only: the variable's index among the variables that its file sets in top
   * scope; -1 before it is set there.
   */
  place: number;
}
export interface RenderExpression extends Unary {
  readonly kind: 'RenderExpression';
}
export interface AssignmentExpression extends Binary {
  readonly kind: 'AssignmentExpression';
  readonly operator: '=' | '+=' | '-=';
}
export interface ArithmeticExpression extends Binary {
  readonly kind: 'ArithmeticExpression';
  readonly operator: '%' | '*' | '+' | '-' | '/' | '<<' | '>>';
}
export interface RelationshipExpression extends Binary {
  readonly kind: 'RelationshipExpression';
  readonly operator: '->' | '<-' | '~>' | '<~';
}
export interface ComparisonExpression extends Binary {
  readonly kind: 'ComparisonExpression';
  readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>=';
}
export interface MatchExpression extends Binary {
  readonly kind: 'MatchExpression';
  readonly operator: '=~' | '!~';
}
export interface InExpression extends Binary {
  readonly kind: 'InExpression';
}
export interface AndExpression extends Binary {
  readonly kind: 'AndExpression';
}
export interface OrExpression extends Binary {
  readonly kind: 'OrExpression';
}
export interface NamedAccessExpression extends Binary {
  readonly kind: 'NamedAccessExpression';
}
export interface AccessExpression extends Positioned {
  readonly kind: 'AccessExpression';
  readonly leftExpr: Expression;
  readonly keys: readonly Expression[];
}
export interface LiteralList extends Positioned {
  readonly kind: 'LiteralList';
  readonly values: readonly Expression[];
}
export interface KeyedEntry extends Positioned {
  readonly kind: 'KeyedEntry';
  readonly key: Expression;
  readonly value: Expression;
}
export interface LiteralHash extends Positioned {
  readonly kind: 'LiteralHash';
  readonly entries: readonly KeyedEntry[];
}
export interface BlockExpression extends Positioned {
  readonly kind: 'BlockExpression';
  readonly statements: readonly Expression[];
}
export interface ApplyBlockExpression extends Positioned {
  readonly kind: 'ApplyBlockExpression';
  readonly statements: readonly Expression[];
}
export interface CaseOption extends Positioned {
  readonly kind: 'CaseOption';
  readonly values: readonly Expression[];
  readonly thenExpr: Expression | null;
}
export interface CaseExpression extends Positioned {
  readonly kind: 'CaseExpression';
  readonly test: Expression;
  readonly options: readonly CaseOption[];
}
export interface ExportedQuery extends Positioned {
  readonly kind: 'ExportedQuery';
  readonly expr: Expression | null;
}
export interface VirtualQuery extends Positioned {
  readonly kind: 'VirtualQuery';
  readonly expr: Expression | null;
}
export type Query = ExportedQuery | VirtualQuery;
export interface AttributeOperation extends Positioned {
  readonly kind: 'AttributeOperation';
  readonly attributeName: string;
  readonly operator: '=>' | '+>';
  readonly valueExpr: Expression;
}
/** `* => expr` */
export interface AttributesOperation extends Positioned {
  readonly kind: 'AttributesOperation';
  readonly expr: Expression;
}
export type AbstractAttributeOperation = AttributeOperation | AttributesOperation;
export interface CollectExpression extends Positioned {
  readonly kind: 'CollectExpression';
  readonly typeExpr: Expression;
  readonly query: Query;
  readonly operations: readonly AbstractAttributeOperation[];
}
export interface Parameter extends Positioned {
  readonly kind: 'Parameter';
  readonly name: string;
  readonly value: Expression | null;
  readonly typeExpr: Expression | null;
  readonly capturesRest: boolean;
}
interface NamedDefinition extends Positioned {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: Expression | null;
}
export interface FunctionDefinition extends NamedDefinition {
  readonly kind: 'FunctionDefinition';
  readonly returnType: Expression | null;
}
export interface PlanDefinition extends NamedDefinition {
  readonly kind: 'PlanDefinition';
  readonly returnType: Expression | null;
}
export interface ResourceTypeDefinition extends NamedDefinition {
  readonly kind: 'ResourceTypeDefinition';
}
export interface HostClassDefinition extends NamedDefinition {
  readonly kind: 'HostClassDefinition';
  readonly parentClass: string | null;
}
export interface TypeAlias extends Positioned {
  readonly kind: 'TypeAlias';
  readonly name: string;
  readonly typeExpr: Expression | null;
}
export interface TypeMapping extends Positioned {
  readonly kind: 'TypeMapping';
  readonly typeExpr: Expression | null;
  readonly mappingExpr: Expression | null;
}
export interface TypeDefinition extends Positioned {
  readonly kind: 'TypeDefinition';
  readonly name: string;
  readonly parent: string | null;
  readonly body: Expression | null;
}
export interface NodeDefinition extends Positioned {
  readonly kind: 'NodeDefinition';
  readonly parent: Expression | null;
  readonly hostMatches: readonly Expression[];
  readonly body: Expression | null;
}
export type Definition =
  | FunctionDefinition
  | PlanDefinition
  | ResourceTypeDefinition
  | HostClassDefinition
  | TypeAlias
  | TypeMapping
  | TypeDefinition
  | NodeDefinition;
export interface HeredocExpression extends Positioned {
  readonly kind: 'HeredocExpression';
  readonly syntax: string | null;
  readonly textExpr: Expression;
}
export interface LambdaExpression extends Positioned {
  readonly kind: 'LambdaExpression';
  readonly parameters: readonly Parameter[];
  readonly body: Expression | null;
  readonly returnType: Expression | null;
}
export interface ApplyExpression extends Positioned {
  readonly kind: 'ApplyExpression';
  readonly arguments: readonly Expression[];
  readonly body: Expression | null;
}
export interface IfExpression extends Positioned {
  readonly kind: 'IfExpression';
  readonly test: Expression;
  readonly thenExpr: Expression | null;
  readonly elseExpr: Expression | null;
}
export interface UnlessExpression extends Positioned {
  readonly kind: 'UnlessExpression';
  readonly test: Expression;
  readonly thenExpr: Expression | null;
  readonly elseExpr: Expression | null;
}
interface Call extends Positioned {
  readonly rvalRequired: boolean;
  readonly functorExpr: Expression;
  readonly arguments: readonly Expression[];
  readonly lambda: LambdaExpression | null;
}
export interface CallFunctionExpression extends Call {
  readonly kind: 'CallFunctionExpression';
}
export interface CallNamedFunctionExpression extends Call {
  readonly kind: 'CallNamedFunctionExpression';
}
/** `functorExpr` is a `NamedAccessExpression`: receiver and function name. */
export interface CallMethodExpression extends Call {
  readonly kind: 'CallMethodExpression';
}
export interface LiteralRegularExpression extends Positioned {
  readonly kind: 'LiteralRegularExpression';
  /** The pattern's text in Ruby's syntax, without the slashes. */
  readonly pattern: string;
}
export interface LiteralString extends Positioned {
  readonly kind: 'LiteralString';
  readonly value: string;
}
export interface LiteralInteger extends Positioned {
  readonly kind: 'LiteralInteger';
  readonly value: bigint;
  readonly radix: 8 | 10 | 16;
}
export interface LiteralFloat extends Positioned {
  readonly kind: 'LiteralFloat';
  readonly value: number;
}
export interface LiteralUndef extends Positioned {
  readonly kind: 'LiteralUndef';
}
export interface LiteralDefault extends Positioned {
  readonly kind: 'LiteralDefault';
}
export interface LiteralBoolean extends Positioned {
  readonly kind: 'LiteralBoolean';
  readonly value: boolean;
}
export interface ConcatenatedString extends Positioned {
  readonly kind: 'ConcatenatedString';
  readonly segments: readonly Expression[];
}
export interface QualifiedName extends Positioned {
  readonly kind: 'QualifiedName';
  readonly value: string;
}
export interface ReservedWord extends Positioned {
  readonly kind: 'ReservedWord';
  readonly word: string;
  readonly future: boolean;
}
export interface QualifiedReference extends Positioned {
  readonly kind: 'QualifiedReference';
  readonly casedValue: string;
  /** `casedValue` in lower case. */
  readonly value: string;
}
export interface EppExpression extends Positioned {
  readonly kind: 'EppExpression';
  readonly parametersSpecified: boolean;
  readonly body: Expression | null;
}
export interface RenderStringExpression extends Positioned {
  readonly kind: 'RenderStringExpression';
  readonly value: string;
}
export interface ResourceBody extends Positioned {
  readonly kind: 'ResourceBody';
  readonly title: Expression | null;
  readonly operations: readonly AbstractAttributeOperation[];
}
export type ResourceForm = 'regular' | 'virtual' | 'exported';
export interface ResourceExpression extends Positioned {
  readonly kind: 'ResourceExpression';
  readonly form: ResourceForm;
  readonly typeName: Expression;
  readonly bodies: readonly ResourceBody[];
}
export interface ResourceDefaultsExpression extends Positioned {
  readonly kind: 'ResourceDefaultsExpression';
  readonly form: ResourceForm;
  readonly typeRef: Expression | null;
  readonly operations: readonly AbstractAttributeOperation[];
}
export interface ResourceOverrideExpression extends Positioned {
  readonly kind: 'ResourceOverrideExpression';
  readonly form: ResourceForm;
  readonly resources: Expression;
  readonly operations: readonly AbstractAttributeOperation[];
}
export interface SelectorEntry extends Positioned {
  readonly kind: 'SelectorEntry';
  readonly matchingExpr: Expression;
  readonly valueExpr: Expression;
}
export interface SelectorExpression extends Positioned {
  readonly kind: 'SelectorExpression';
  readonly leftExpr: Expression;
  readonly selectors: readonly SelectorEntry[];
}
/** The root of a parsed file. It has no position of its own. */
export interface Program {
  readonly kind: 'Program';
  readonly body: Expression | null;
  /** All definitions of the program, in the order in which the parser completed them. */
  readonly definitions: readonly Definition[];
  /** The lexer's warnings. */
  readonly warnings: readonly LogEntry[];
  readonly locator: Locator;
}

export type Expression =
  | Nop
  | ParenthesizedExpression
  | NotExpression
  | UnaryMinusExpression
  | UnfoldExpression
  | TextExpression
  | VariableExpression
  | RenderExpression
  | AssignmentExpression
  | ArithmeticExpression
  | RelationshipExpression
  | ComparisonExpression
  | MatchExpression
  | InExpression
  | AndExpression
  | OrExpression
  | NamedAccessExpression
  | AccessExpression
  | LiteralList
  | LiteralHash
  | BlockExpression
  | ApplyBlockExpression
  | CaseOption
  | CaseExpression
  | ExportedQuery
  | VirtualQuery
  | CollectExpression
  | Definition
  | HeredocExpression
  | LambdaExpression
  | ApplyExpression
  | IfExpression
  | UnlessExpression
  | CallFunctionExpression
  | CallNamedFunctionExpression
  | CallMethodExpression
  | LiteralRegularExpression
  | LiteralString
  | LiteralInteger
  | LiteralFloat
  | LiteralUndef
  | LiteralDefault
  | LiteralBoolean
  | ConcatenatedString
  | QualifiedName
  | ReservedWord
  | QualifiedReference
  | EppExpression
  | RenderStringExpression
  | ResourceExpression
  | ResourceDefaultsExpression
  | ResourceOverrideExpression
  | SelectorExpression;

/** Any node with a position. */
export type Node = Expression | KeyedEntry | AbstractAttributeOperation | Parameter | ResourceBody | SelectorEntry;
