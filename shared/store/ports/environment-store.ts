export interface EnvironmentRecord {
  readonly name: string;
  /** Counts the switches, from 1 on: a snapshot may come back. */
  readonly revision: number;
  /** The id of the snapshot that is in force. */
  readonly codeId: string;
  readonly deployedAt: number;
  readonly by: string;
  /**
   * The revision up to which every node that a change touches was told; 0 for none. Below
   * `revision` while a deploy works.
   */
  readonly settled: number;
  /** Earlier revisions, newest first, bounded to 50. */
  readonly history: readonly { readonly codeId: string; readonly deployedAt: number; readonly by: string }[];
}

export interface EnvironmentStore {
  get(name: string): Promise<EnvironmentRecord | null>;
  list(): Promise<readonly EnvironmentRecord[]>;
  /**
   * Switches the environment to a snapshot that is already in the blob store, when the revision in
   * force is still `expected` (null: when there is no such environment); else false.
   */
  replace(record: EnvironmentRecord, expected: number | null): Promise<boolean>;
  /**
   * Notes that all nodes were told of the steps up to `revision`; does nothing when another one is
   * in force by now.
   */
  settle(name: string, revision: number): Promise<void>;
  delete(name: string): Promise<void>;
}
