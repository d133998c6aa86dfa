/** AST of the supported part of Ruby. */

export type RubyNode =
  | { readonly kind: 'nil' | 'true' | 'false' | 'self' }
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly parts: readonly (string | RubyNode)[] }
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'regexp'; readonly parts: readonly (string | RubyNode)[]; readonly options: string }
  | { readonly kind: 'array'; readonly items: readonly RubyNode[] }
  /** `isBare`: without braces, behind other arguments. */
  | { readonly kind: 'hash'; readonly pairs: readonly (readonly [RubyNode, RubyNode])[]; readonly isBare: boolean }
  /** `*value` in a list. */
  | { readonly kind: 'splat'; readonly value: RubyNode }
  | { readonly kind: 'range'; readonly from: RubyNode; readonly to: RubyNode; readonly excludesEnd: boolean }
  | { readonly kind: 'constant'; readonly name: string }
  /** The template text with that number, and the value of an output tag. */
  | { readonly kind: 'text'; readonly index: number }
  | { readonly kind: 'output'; readonly value: RubyNode }
  | { readonly kind: 'sequence'; readonly body: readonly RubyNode[] }
  | { readonly kind: 'local'; readonly at: LocalPlace }
  | { readonly kind: 'ivar'; readonly name: string }
  /** `$1`, or `$~` (null). */
  | { readonly kind: 'match'; readonly group: number | null }
  | { readonly kind: 'assign'; readonly target: RubyTarget; readonly value: RubyNode }
  | {
      readonly kind: 'operatorAssign';
      readonly target: RubyTarget;
      readonly operator: string;
      readonly value: RubyNode;
    }
  | { readonly kind: 'multipleAssign'; readonly targets: readonly RubyTarget[]; readonly values: readonly RubyNode[] }
  | {
      readonly kind: 'if';
      readonly condition: RubyNode;
      readonly consequence: RubyNode;
      readonly alternative: RubyNode | null;
    }
  | {
      readonly kind: 'case';
      readonly subject: RubyNode | null;
      readonly branches: readonly { readonly patterns: readonly RubyNode[]; readonly body: RubyNode }[];
      readonly alternative: RubyNode | null;
    }
  | { readonly kind: 'while'; readonly condition: RubyNode; readonly body: RubyNode; readonly isUntil: boolean }
  | { readonly kind: 'and' | 'or'; readonly left: RubyNode; readonly right: RubyNode }
  | { readonly kind: 'not'; readonly value: RubyNode }
  /** `->(name) { ... }` */
  | { readonly kind: 'lambda'; readonly code: RubyBlockNode }
  | { readonly kind: 'defined'; readonly value: RubyNode }
  | { readonly kind: 'next' | 'break' | 'return'; readonly value: RubyNode | null }
  | { readonly kind: 'rescue'; readonly body: RubyNode; readonly clauses: readonly RubyRescue[] }
  | { readonly kind: 'ensure'; readonly body: RubyNode; readonly end: RubyNode }
  | RubyDefinition
  /** In files only. */
  | { readonly kind: 'module'; readonly name: string; readonly body: RubyNode }
  | { readonly kind: 'class'; readonly name: string; readonly parent: string | null; readonly body: RubyNode }
  | RubyCall;

/** A `rescue` clause for those classes; without classes, for StandardErrors. */
export interface RubyRescue {
  readonly classes: readonly RubyNode[];
  readonly target: RubyTarget | null;
  readonly body: RubyNode;
}

export interface RubyCall {
  readonly kind: 'call';
  /** Null when the receiver is the template itself. */
  readonly receiver: RubyNode | null;
  readonly name: string;
  readonly args: readonly RubyNode[];
  readonly block: RubyBlockNode | null;
  /** `&.` */
  readonly isSafe: boolean;
  /** The variable whose text the call makes longer: see `text-building.ts`. Otherwise undefined. */
  builds?: LocalPlace;
}

/** A method that the code defines; `source` is its text. */
export interface RubyDefinition {
  readonly kind: 'define';
  readonly name: string;
  /** `def self.name`: a method of the module that the definition stands in. */
  readonly isOwn: boolean;
  readonly parameters: readonly RubyMethodParameter[];
  readonly slots: number;
  readonly body: RubyNode;
  readonly source: string;
}

/** In source order; `otherwise` is the default of an optional parameter. */
export interface RubyMethodParameter {
  readonly kind: 'required' | 'optional' | 'rest' | 'block';
  readonly name: string;
  readonly slot: number;
  readonly otherwise: RubyNode | null;
}

export type RubyTarget =
  | { readonly kind: 'local'; readonly at: LocalPlace }
  | { readonly kind: 'ivar'; readonly name: string }
  | { readonly kind: 'index'; readonly receiver: RubyNode; readonly args: readonly RubyNode[] }
  /** In files only. */
  | { readonly kind: 'constant'; readonly name: string };

export type RubyBlockNode =
  | { readonly kind: 'block'; readonly parameters: RubyParameterList; readonly slots: number; readonly body: RubyNode }
  /** `&:name` */
  | { readonly kind: 'symbolBlock'; readonly name: string };

/** The position of a local variable: frames outwards, and the slot in that frame. */
export interface LocalPlace {
  readonly depth: number;
  readonly slot: number;
}

export interface RubyParameterList {
  readonly items: readonly RubyParameterNode[];
  /** Whether a single array argument is spread over the parameters. */
  readonly isSpread: boolean;
}

export type RubyParameterNode =
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'nested'; readonly items: readonly RubyParameterNode[] };
