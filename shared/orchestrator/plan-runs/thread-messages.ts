import type { PlanEnd } from '../plan-language/evaluate-plan.ts';
import type { PlanEffect, PlanNote, PlanOutcome } from '../plan-language/plan-effects.ts';

/** A message of the thread of a plan. */
export type ThreadPost =
  | { readonly kind: 'begin'; readonly id: number; readonly effect: PlanEffect }
  | { readonly kind: 'note'; readonly note: PlanNote }
  /** A file's content that is not in its memory. */
  | { readonly kind: 'content'; readonly sha256: string }
  | { readonly kind: 'end'; readonly end: PlanEnd }
  /** It cannot go on, and not by the fault of the plan. */
  | { readonly kind: 'fault'; readonly message: string };

/** An answer to the thread of a plan. */
export type ThreadAnswer =
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: PlanOutcome }
  | { readonly kind: 'content'; readonly sha256: string; readonly bytes: Uint8Array | null };

/** Places in the memory that both sides share: an Int32Array. */
export const SHARED = {
  /** Counts the answers; the thread waits for it to change. */
  answers: 0,
  /** 1 while the thread waits. */
  isWaiting: 1,
  /** Counts the times that the thread went on. */
  turns: 2,
  size: 3,
} as const;
