import type { Observations } from './dependency-index.ts';

/** A node's record in the `nodes` table. */
export interface NodeRecord {
  readonly certname: string;
  /** The environment of its next compile. */
  readonly environment: string;
  /**
   * The generation to compile. A reason increments it, unless the compile of this generation is
   * outstanding and has not started: that compile serves the reason, too.
   */
  readonly wanted: number;
  /** The last generation whose compile began: a worker took the lease, or began another round. */
  readonly started: number;
  /** Generation of the last commit; `built === wanted` when nothing is outstanding. */
  readonly built: number;
  /**
   * The revision of its environment that its inputs were last compiled or verified against: see
   * `revisionToken`. Null before the first commit, and without a deployed environment.
   */
  readonly revision: string | null;
  /** The latest reasons, newest last, at most 20. */
  readonly reasons: readonly string[];
  /** When `wanted` was last incremented. */
  readonly wantedAt: number;
  readonly asked: JobClaim;
  /** The operator's classification of the node; null for none. */
  readonly classification: Classification | null;
  /** The last classification by node groups; null for nothing yet. */
  readonly grouping: Grouping | null;
  /** The last classification by an external node classifier; null for nothing. */
  readonly external: Classification | null;
  readonly catalog: CatalogPointer | null;
  readonly failure: FailureRecord | null;
  /** Inputs of the last commit (good or failed); null before the first. */
  readonly inputs: InputSummary | null;
  /** The facts that the node sent last; null when it never sent any. */
  readonly facts: FactsPointer | null;
  /** sha256 of the facts blob that the node was last compiled or verified with; null for none. */
  readonly checkedFacts: string | null;
  /** Raised by each write of what the node sent, or of what classifies it. */
  readonly version: number;
  readonly lastSeen: number;
  /**
   * When the node was last compiled, verified or fed to the background queue. It orders the ring.
   */
  readonly ringPosition: number;
  /** Number of compiles since the node was created. */
  readonly compiles: number;
  /** Number of verifications that found all inputs unchanged. */
  readonly verifications: number;
}

/** The job that stands for a node. */
export interface JobClaim {
  /** The generation that it covers. */
  readonly generation: number;
  /** When it was sent, or will be received if that is later; 0: it could not be sent. */
  readonly at: number;
  /** Whether it has priority because a node waits for it. */
  readonly waiting: boolean;
}

/** The values that a node had where the rules of groups look, by path. */
export type RuleValues = Readonly<Record<string, string | number | boolean>>;

/** The answer of the node groups for a node. */
export interface Grouping {
  /** Digest of the state of the groups. */
  readonly state: string;
  /** Null: the groups leave the node to others. */
  readonly classification: Classification | null;
  /**
   * Values that the rules read; a path that leads to nothing is absent. Null when they are too
   * large to be kept: the facts have them.
   */
  readonly values: RuleValues | null;
  /** The paths that `values` is about. */
  readonly paths: readonly string[];
  readonly at: number;
}

/**
 * A node's classification, as Puppet's `exec` terminus reads it from an external node classifier.
 */
export interface Classification {
  /** Class names, or class names with their parameters (null: none). */
  readonly classes: readonly string[] | Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
  /** Variables of top scope. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Overrides the environment that the agent requests; null leaves the choice to the agent. */
  readonly environment: string | null;
  /** Data for Hiera by key, such as `ntp::servers`: the configuration data of node groups. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Why the node cannot be classified: its catalog fails with this text. */
  readonly failure?: string;
}

export interface FactsPointer {
  /** sha256 of the facts as text. */
  readonly digest: string;
  /** When they were stored. */
  readonly at: number;
  /** Digest of the facts that do not change at each run; absent without an inventory. */
  readonly stable?: string | undefined;
  /** Number of changes in a row of facts that are no known ones of that kind. */
  readonly moving?: Readonly<Record<string, number>> | undefined;
}

export interface CatalogPointer {
  /** sha256 (hex) of the canonical catalog: blob `catalogs/<hash>`. */
  readonly hash: string;
  /**
   * Hash of the static catalog (with inlined file metadata) by checksum type, where it differs from
   * the catalog.
   */
  readonly static?: Readonly<Record<string, string>>;
  readonly codeId: string | null;
  /**
   * Code ids that the stored forms name, where they differ from `codeId`: equal catalogs keep the
   * code id of their first compile.
   */
  readonly namedCode: readonly string[];
  readonly compiledAt: number;
  readonly durationMs: number;
  /** `digestExports` of the catalog's exports. */
  readonly exported: string;
  /** The catalog before that differed; absent without one. */
  readonly previous?: Pick<CatalogPointer, 'hash' | 'codeId' | 'compiledAt'>;
}

export interface FailureRecord {
  readonly message: string;
  readonly at: number;
  readonly codeId: string | null;
  /**
   * The lines of module Ruby that the failure comes from, innermost first: `PATH:LINE:in 'NAME'`.
   * At most 10, of 2,000 characters together; absent for none.
   */
  readonly backtrace?: readonly string[];
}

/** A compile of the node that was committed. */
export interface CompileNote {
  /** When it began. */
  readonly at: number;
  readonly outcome: 'compiled' | 'failed';
  /** The changed inputs that it was for: at most 5, of at most 200 characters. */
  readonly reasons: readonly string[];
  readonly durationMs: number;
  readonly codeId: string | null;
  /** Hash of the catalog; null without one. */
  readonly hash: string | null;
}

/** Deployed files that a compile read. */
export interface DependencySummary {
  /** The dependency set that nodes of one role share: blob `dependencies/<set>`. */
  readonly set: string;
  /** Names the node's membership of the set in the dependency index. */
  readonly membership: string;
  /** Files that only this node looks at. */
  readonly own: Observations;
  /** Digest of the states of all that was looked at. */
  readonly states: string;
  /** The snapshot that the states are of; null when the environment was not deployed. */
  readonly codeId: string | null;
  /** The checksum of the node's blob of first readers; absent without one. */
  readonly readers?: number;
}

/** The inputs of a catalog. */
export interface InputSummary {
  /** The environment of the compile. */
  readonly environment: string;
  /** `classificationDigest` of the node's classification; null for none. */
  readonly classification: string | null;
  /** Checksum types of the static forms. */
  readonly checksumTypes: readonly string[];
  /** Digest of the compiler's release, settings and server facts. */
  readonly compiler: string;
  /**
   * Fact path (`["os","family"]` as JSON) -> the observed value: see
   * `puppet/environment/inputs.ts`.
   */
  readonly facts: Readonly<Record<string, string>>;
  readonly trusted: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly dependencies: DependencySummary;
  readonly collectors: readonly { readonly type: string; readonly query: unknown }[];
  /** `digestCollected` of the other nodes' exports that the collectors match. */
  readonly collected: string;
  /** Queries to the inventory, each with the digest of its answer; absent without a query. */
  readonly queries?: Readonly<Record<string, string>>;
  /** Values kept on the server, with their version, null for none; absent without one. */
  readonly keptValues?: Readonly<Record<string, string | null>>;
  /**
   * Non-deterministic calls of the compile: function, file and line; empty for a deterministic
   * catalog.
   */
  readonly volatile: readonly string[];
  /** When comparisons with the present time will change their results; absent: never. */
  readonly currentUntil?: number;
  /**
   * The last compiles, this one first, at most 10. No input, but written with them: a commit stays
   * one write.
   */
  readonly compiles: readonly CompileNote[];
}
