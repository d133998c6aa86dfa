import type { GroupStore, GroupsHead } from '../ports/group-store.ts';
import { type EmbeddedDatabase, jsonOfColumn } from './database.ts';

/** Stores one row: its version for conditions, and the record as JSON. */
export class EmbeddedGroupStore implements GroupStore {
  readonly #database: EmbeddedDatabase;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  async get(): Promise<GroupsHead | null> {
    const row = this.#database.get('SELECT head FROM node_groups WHERE name = ?', 'head');
    return row && jsonOfColumn<GroupsHead>(row, 'head');
  }

  async replace(head: GroupsHead, expected: number | null): Promise<boolean> {
    const sql =
      expected === null
        ? 'INSERT OR IGNORE INTO node_groups (version, head, name) VALUES (?, ?, ?)'
        : 'UPDATE node_groups SET version = ?, head = ? WHERE name = ? AND version = ?';
    const expectation = expected === null ? [] : [expected];
    return this.#database.run(sql, head.version, JSON.stringify(head), 'head', ...expectation) === 1;
  }
}
