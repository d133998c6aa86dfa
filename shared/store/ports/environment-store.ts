import type { Strictness } from '../../config/strictness.ts';

/** Action on a stage when its canaries have an answer. */
export type StageEnd = 'promote' | 'hold' | 'abort';

/** Rules by which a staged deploy goes on without an operator. */
export interface StagePlan {
  /** Time that the canaries have to run, in milliseconds. */
  readonly waitMs: number;
  /** When all canaries ran, and none of them is worse. */
  readonly whenGood: Exclude<StageEnd, 'abort'>;
  /** When a canary is worse. */
  readonly whenWorse: Exclude<StageEnd, 'promote'>;
  /** When the time is over, and not all canaries ran. */
  readonly whenLate: StageEnd;
  /** Whether a run is worse, too, that changes more resources than the one before. */
  readonly countsChanges: boolean;
}

/** A staged deploy: code that is in force for some nodes of an environment. */
export interface CodeStage {
  /** The revision of the environment that began it. */
  readonly number: number;
  /** Id of the snapshot that the canaries have. */
  readonly codeId: string;
  readonly begunAt: number;
  readonly by: string;
  /** The user who began it: it is not promoted by itself when he may not deploy any more. */
  readonly author?: { readonly id: string; readonly login: string; readonly isToken?: true };
  /** The certnames of the nodes that have the code, sorted, at most 1,000. */
  readonly canaries: readonly string[];
  readonly plan: StagePlan;
  /** The policy began it, so that newer code takes its place; absent: somebody chose canaries. */
  readonly isOfPolicy?: true;
  /** A source brings the same code again, so that it is noted when it is taken back. */
  readonly isRepeated?: true;
  /** Why it does not go on without an operator; absent while it does. */
  readonly held?: {
    readonly at: number;
    readonly reason: string;
    /** The canaries that are the reason, at most 20. */
    readonly nodes: readonly string[];
  };
  /**
   * The stage was aborted: its nodes have the code of the others again, and are being invalidated.
   * Then it is removed.
   */
  readonly isEnding?: true;
}

export interface EnvironmentRecord {
  readonly name: string;
  /**
   * Counts the switches, and the changes of stages and of the strictness, from 1. It differs from
   * the code id because a snapshot may be deployed again.
   */
  readonly revision: number;
  /** Id of the snapshot in force. */
  readonly codeId: string;
  readonly deployedAt: number;
  readonly by: string;
  /**
   * The last revision whose affected nodes were all invalidated; 0 for none. It is below `revision`
   * while a deploy is in progress.
   */
  readonly settled: number;
  /** Strictness of its compiles; an absent setting is the server's. */
  readonly strictness?: Partial<Strictness>;
  /** The revision that changed the strictness; absent: none did. */
  readonly strictnessRevision?: number;
  /** Earlier code, newest first, at most 50. */
  readonly history: readonly { readonly codeId: string; readonly deployedAt: number; readonly by: string }[];
  /** A deploy that only some nodes have; absent without one. While there is one, no fan-out is. */
  readonly stage?: CodeStage;
  /**
   * The code that was rolled back last, or taken back as a stage of a source. It does not come
   * again by itself.
   */
  readonly takenBack?: TakenBack;
}

/** Code that somebody, or its canaries, took back. */
export interface TakenBack {
  readonly codeId: string;
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The code that is in force for a node. */
export interface CodeInForce {
  readonly codeId: string;
  /** When it was put in force. */
  readonly deployedAt: number;
  /** Identifies what the node is to be compiled or verified against. */
  readonly revision: string;
  /** Whether the node has, or had, other code than the nodes without a stage. */
  readonly isStaged: boolean;
}

/**
 * The code in force for a node: that of the stage for its canaries, else that of the environment.
 * `certname` is null for what is of no node. Nothing else may read `codeId` of a record to compile
 * or to serve files.
 */
export function codeInForce(record: EnvironmentRecord, certname: string | null): CodeInForce {
  const { name, codeId, deployedAt, stage } = record;
  const revision = revisionToken(record);
  if (certname === null || !stage?.canaries.includes(certname))
    return { codeId, deployedAt, revision, isStaged: false };
  if (stage.isEnding) return { codeId, deployedAt, revision, isStaged: true };
  const token = `${name} ${stage.number}@${stage.begunAt} staged`;
  return { codeId: stage.codeId, deployedAt: stage.begunAt, revision: token, isStaged: true };
}

/** Identifies a revision, also when the environment is removed and deployed again. */
export function revisionToken({ name, revision, deployedAt }: EnvironmentRecord): string {
  return `${name} ${revision}@${deployedAt}`;
}

export interface EnvironmentStore {
  get(name: string): Promise<EnvironmentRecord | null>;
  list(): Promise<readonly EnvironmentRecord[]>;
  /**
   * Switches the environment to a snapshot that is already in the blob store. False unless the
   * revision in force is still `expected` (null: the environment does not exist).
   */
  replace(record: EnvironmentRecord, expected: number | null): Promise<boolean>;
  /**
   * Records that all nodes up to `revision` were invalidated; does nothing when another revision is
   * in force.
   */
  settle(name: string, revision: number): Promise<void>;
  delete(name: string): Promise<void>;
}
