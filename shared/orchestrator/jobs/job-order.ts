/** Request of a job to its agents. */
export interface JobOrder {
  /**
   * Decides how answers are read: `shim` is a command or script whose exit code is part of the
   * result, not a failure.
   */
  readonly kind: 'puppet' | 'task' | 'shim';
  /** The module of the PXP request. */
  readonly module: string;
  readonly action: string;
  /** Null: they are sealed. */
  readonly params: Readonly<Record<string, unknown>> | null;
  /** Params with secrets, as JSON that the vault sealed; null: there are none. */
  readonly sealed: string | null;
  readonly noop: boolean;
  readonly noNoop: boolean;
  /** The environment that agents are to have; null: they keep theirs. */
  readonly environment: string | null;
  /** The longest time of one node; null: no bound. */
  readonly timeoutMs: number | null;
  /** Whether nodes start only as the gate allows. */
  readonly isGated?: boolean;
}

/** The nodes of a job, in the order in which they may start. */
export interface JobTargets {
  readonly names: readonly string[];
  /** Nodes on each level, lowest first; absent: all are of one level. */
  readonly levels?: readonly number[];
  /** Absent: any order. */
  readonly barriers?: readonly JobBarrier[];
}

/**
 * Nodes that start when others have finished, by their indexes. When one of those fails, they are
 * skipped. No node is on both sides.
 */
export interface JobBarrier {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * Each node of `after` waits for each other node of `before`. A set of pairs in this form takes
 * room in proportion to its nodes, not to its pairs.
 */
export interface Precedence {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Why, as the end of "A waits for B, because …". */
  readonly reason: string;
}

/** Port to the dependencies between nodes. */
export interface RunOrder {
  /** Finds what orders these nodes. Rejects with OrchestratorError. */
  order(environment: string, names: readonly string[]): Promise<readonly Precedence[]>;
}
