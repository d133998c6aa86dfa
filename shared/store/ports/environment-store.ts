export interface EnvironmentRecord {
  readonly name: string;
  /**
   * Counts the switches from 1. It differs from the code id because a snapshot may be deployed
   * again.
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
  /** Earlier revisions, newest first, at most 50. */
  readonly history: readonly { readonly codeId: string; readonly deployedAt: number; readonly by: string }[];
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
