import type { NodeRecord } from './node-record.ts';

/** The state of the node groups in force, and the progress of invalidating nodes for it. */
export interface GroupsHead {
  /** Counts the changes of this record from 1, for compare-and-swap. */
  readonly version: number;
  /** Counts the changes of groups from 1. */
  readonly revision: number;
  /** sha256 (hex) of the state in force: blob `groups/<digest>`. */
  readonly digest: string;
  /** Digests of earlier states, newest first. */
  readonly history: readonly string[];
  readonly changedAt: number;
  /** The last revision for which all nodes were invalidated; 0 for none. */
  readonly settled: number;
  /** The last node that was invalidated for `revision`; null before the first. */
  readonly cursor: string | null;
}

/** Stores which state of the node groups is in force. */
export interface GroupStore {
  /** Null before the first change. */
  get(): Promise<GroupsHead | null>;
  /**
   * The record, and that of a node (null without one), in one request: check-ins need both. Neither
   * is older than the call.
   */
  getWithNode(certname: string): Promise<{ readonly head: GroupsHead | null; readonly node: NodeRecord | null }>;
  /**
   * Writes the record unless another version than `expected` (null: none) is stored; else false.
   */
  replace(head: GroupsHead, expected: number | null): Promise<boolean>;
}
