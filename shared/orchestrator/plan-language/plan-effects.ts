/** Data without values of Puppet, as JSON has it. */
export type PlainHash = Readonly<Record<string, unknown>>;

/** Something that a plan has nodes do. */
export interface PlanAction {
  readonly kind: 'task' | 'command' | 'script' | 'upload' | 'wait' | 'apply' | 'facts';
  /** Names of nodes; none of them twice. */
  readonly targets: readonly string[];
  readonly description: string;
  /** The task; null for other kinds. */
  readonly task: string | null;
  /** Parameters for all targets. */
  readonly params: PlainHash;
  /** Parameters of single targets, which take the place of `params`. */
  readonly paramsByTarget?: Readonly<Record<string, PlainHash>>;
  readonly noop: boolean;
}

/** Something that a plan waits for. */
export type PlanEffect =
  | { readonly kind: 'action'; readonly action: PlanAction }
  | { readonly kind: 'query'; readonly query: string }
  /** A command of PuppetDB; its payload is JSON. The value is the command's uuid. */
  | {
      readonly kind: 'inventory_command';
      readonly command: string;
      readonly version: number;
      readonly payload: string;
    };

/** An error in the form of Puppet's type Error. */
export interface PlanFault {
  readonly kind: string;
  readonly msg: string;
  readonly details: PlainHash;
}

/** The outcome of an effect. An action has a value for each of its targets, in their order. */
export type PlanOutcome =
  | { readonly kind: 'results'; readonly values: readonly PlainHash[] }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly fault: PlanFault };

/** A message of a plan that runs. */
export type PlanNote =
  | { readonly type: 'plan_start' | 'plan_finish'; readonly plan: string }
  | { readonly type: 'message' | 'verbose'; readonly message: string }
  | { readonly type: 'log'; readonly level: string; readonly message: string };

/**
 * The world of a plan. The evaluator is synchronous: it begins effects, and blocks in `await` when
 * it has nothing else to do.
 */
export interface PlanHost {
  /** Begins an effect under a number that was not used before. */
  begin(id: number, effect: PlanEffect): void;
  /**
   * Returns the outcomes of effects that ended since the last call. Without any it blocks until one
   * ends, or until the time `until` of `now`; null: without limit.
   */
  await(until: number | null): readonly (readonly [id: number, outcome: PlanOutcome])[];
  note(note: PlanNote): void;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
}
