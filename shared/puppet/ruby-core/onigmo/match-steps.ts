/**
 * The steps of a compiled pattern, as a graph. `program.ts` builds it; `matcher.ts` walks it,
 * remembers the outcomes of choices, and so needs no exponential time.
 */
import type { AnchorType, Charset } from './pattern.ts';

/**
 * The innermost look-around or atomic group around a choice, or the whole pattern. Outcomes are
 * remembered for each scope on its own.
 */
export interface MemoScope {
  /** Whether the outcome of a choice depends on its place in the text alone. */
  readonly hasMemo: boolean;
  /** Whether only a yes or no is needed, not the end of the match or its groups. */
  readonly isTest: boolean;
}

/** A choice. Its outcome is remembered for each state of the loops around it. */
export interface ChoicePoint {
  readonly scope: MemoScope;
  /** The number of its first state; states are numbered over all choices. */
  readonly base: number;
}

/** A loop that counts its rounds or whose body can match the empty text. */
export interface CountedLoop {
  readonly min: number;
  readonly max: number;
  readonly isLazy: boolean;
  /** The rounds that it distinguishes: more than `min` count as `min` in an endless loop. */
  readonly lastCount: number;
}

export interface Split {
  readonly kind: 'split';
  first: MatchStep;
  second: MatchStep;
  readonly point: ChoicePoint;
}

/** A greedy loop over a character. */
export interface CharacterRun {
  readonly kind: 'run';
  readonly character: Consumer;
  readonly min: number;
  readonly next: MatchStep;
  /** The same loop in steps that the memory can distinguish. */
  readonly loop: MatchStep;
  readonly scope: MemoScope;
}

export interface LoopHead {
  readonly kind: 'loopHead';
  readonly loop: CountedLoop;
  body: MatchStep;
  readonly exit: MatchStep;
  readonly point: ChoicePoint;
}

/** Consumes text, or tests the position. */
export type Consumer =
  | { readonly kind: 'char'; readonly code: number; readonly next: MatchStep }
  | { readonly kind: 'folded'; readonly code: number; readonly next: MatchStep }
  | { readonly kind: 'set'; readonly includes: Charset; readonly ascii: Uint8Array; readonly next: MatchStep }
  | { readonly kind: 'anchor'; readonly type: AnchorType; readonly ascii: boolean; readonly next: MatchStep }
  | {
      readonly kind: 'backreference';
      readonly groups: readonly number[];
      readonly ignoreCase: boolean;
      readonly next: MatchStep;
    }
  | { readonly kind: 'grapheme'; readonly next: MatchStep };

/** Matches a body on its own, without backtracking into it afterwards. */
export type Nested =
  | { readonly kind: 'atomic'; readonly body: MatchStep; readonly next: MatchStep }
  | {
      readonly kind: 'ahead';
      readonly negative: boolean;
      readonly body: MatchStep;
      readonly scope: MemoScope;
      readonly next: MatchStep;
    }
  | {
      readonly kind: 'behind';
      readonly negative: boolean;
      readonly branches: readonly { readonly length: number; readonly body: MatchStep }[];
      readonly next: MatchStep;
    }
  | { readonly kind: 'absent'; readonly body: MatchStep; readonly next: MatchStep };

export type Control =
  | Split
  | CharacterRun
  | LoopHead
  | { readonly kind: 'loopStart'; readonly head: LoopHead }
  | { readonly kind: 'loopTail'; readonly head: LoopHead }
  | { readonly kind: 'groupStart'; readonly next: MatchStep }
  | { readonly kind: 'groupEnd'; readonly index: number; readonly next: MatchStep }
  | { readonly kind: 'keep'; readonly next: MatchStep }
  | {
      readonly kind: 'condition';
      readonly groups: readonly number[];
      readonly yes: MatchStep;
      readonly no: MatchStep;
    }
  | { readonly kind: 'call'; readonly group: number; readonly next: MatchStep }
  | { readonly kind: 'return' }
  /** The end of a look-behind: the match must end where the look-behind stands. */
  | { readonly kind: 'behindEnd' }
  | { readonly kind: 'end' };

/** A step of a compiled pattern; it links to those that may follow. */
export type MatchStep = Consumer | Nested | Control;

export const END: MatchStep = { kind: 'end' };
export const BEHIND_END: MatchStep = { kind: 'behindEnd' };
export const RETURN: MatchStep = { kind: 'return' };
