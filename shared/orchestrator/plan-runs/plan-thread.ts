import type { PlanEnd } from '../plan-language/evaluate-plan.ts';
import type { PlainHash, PlanEffect, PlanNote, PlanOutcome } from '../plan-language/plan-effects.ts';

/** A plan to be evaluated. */
export interface PlanOrder {
  readonly plan: string;
  readonly params: PlainHash;
  readonly environment: string;
  readonly noop: boolean;
}

/** Receives what a plan does. */
export interface PlanListener {
  begin(id: number, effect: PlanEffect): void;
  note(note: PlanNote): void;
  /** The plan ended; nothing follows. */
  end(end: PlanEnd): void;
  /** The thread ended before the plan: the reason for users. */
  fail(reason: string): void;
}

/** A thread that evaluates one plan. */
export interface PlanThread {
  answer(id: number, outcome: PlanOutcome): void;
  /** Ends it; nothing follows. */
  terminate(): void;
}

/** Starts threads for plans. */
export type StartPlanThread = (order: PlanOrder, listener: PlanListener) => PlanThread;
