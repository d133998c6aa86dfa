/** The nodes of a Ruby regular expression. Follows Onigmo, Ruby's engine, with its Ruby syntax. */

/** Whether a character, given by its code point, is a member. */
export type Charset = (code: number) => boolean;

export type AnchorType =
  | 'lineStart'
  | 'lineEnd'
  | 'textStart'
  | 'textEnd'
  | 'textEndBeforeNewline'
  | 'wordBoundary'
  | 'noWordBoundary'
  | 'searchStart'
  | 'keep';

export type PatternNode =
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'alternatives'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'literal'; readonly code: number; readonly ignoreCase: boolean }
  /** `isAscii`: whether all members are certainly ASCII. */
  | { readonly kind: 'set'; readonly includes: Charset; readonly isAscii: boolean }
  | {
      readonly kind: 'repeat';
      readonly body: PatternNode;
      readonly min: number;
      readonly max: number;
      readonly mode: 'greedy' | 'lazy' | 'possessive';
    }
  | { readonly kind: 'capture'; readonly index: number; readonly body: PatternNode }
  | { readonly kind: 'atomic'; readonly body: PatternNode }
  | { readonly kind: 'ahead'; readonly negative: boolean; readonly body: PatternNode }
  | { readonly kind: 'behind'; readonly negative: boolean; readonly body: PatternNode }
  | { readonly kind: 'anchor'; readonly type: AnchorType; readonly ascii: boolean }
  | { readonly kind: 'backreference'; readonly groups: readonly number[]; readonly ignoreCase: boolean }
  | { readonly kind: 'call'; readonly group: number }
  | {
      readonly kind: 'conditional';
      readonly groups: readonly number[];
      readonly yes: PatternNode;
      readonly no: PatternNode;
    }
  | { readonly kind: 'absent'; readonly body: PatternNode }
  | { readonly kind: 'grapheme' };

export interface Pattern {
  readonly source: string;
  readonly root: PatternNode;
  readonly groupCount: number;
  /** Group numbers by group name. */
  readonly names: ReadonlyMap<string, readonly number[]>;
  /** Whether it uses syntax that a translation to JavaScript gets wrong or cannot express. */
  readonly isSpecial: boolean;
  /** Whether it has `\G`, so that a match depends on where the search starts. */
  readonly hasSearchStart: boolean;
}

/** Why Ruby rejects a pattern; the message does not include the pattern. */
export class PatternError extends Error {}

/** Thrown for syntax that Ruby accepts but this engine does not support. */
export class UnsupportedPattern extends PatternError {
  constructor(what: string) {
    super(`${what} not supported by Understudy`);
  }
}

/** Thrown when a match needs more steps than allowed. */
export class MatchLimitError extends PatternError {}

/** The message of Ruby's RegexpError. */
export function patternProblem(problem: string, source: string): string {
  return `${problem}: /${source.replace(/\\[\s\S]|\//g, (part) => (part === '/' ? '\\/' : part))}/`;
}

export const EMPTY: PatternNode = { kind: 'sequence', items: [] };
export const ENDLESS = Number.POSITIVE_INFINITY;
