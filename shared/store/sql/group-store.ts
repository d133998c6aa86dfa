import type { GroupStore, GroupsHead } from '../ports/group-store.ts';
import type { NodeRecord } from '../ports/node-record.ts';
import { jsonOfColumn, type SqlConnection } from './connection.ts';
import { nodeOfRow } from './node-store.ts';

const HEAD = "SELECT head FROM node_groups WHERE name = 'head'";
const WITH_NODE = `SELECT nodes.*, (${HEAD}) AS head FROM nodes WHERE certname = ?`;

/** Stores one row: its version for conditions, and the record as JSON. */
export class SqlGroupStore implements GroupStore {
  readonly #database: SqlConnection;

  constructor(database: SqlConnection) {
    this.#database = database;
  }

  async get(): Promise<GroupsHead | null> {
    const row = await this.#database.get(HEAD);
    return row && jsonOfColumn<GroupsHead>(row, 'head');
  }

  async getWithNode(certname: string): Promise<{ readonly head: GroupsHead | null; readonly node: NodeRecord | null }> {
    const row = await this.#database.get(WITH_NODE, certname);
    if (row === null) return { head: await this.get(), node: null };
    return { head: jsonOfColumn<GroupsHead>(row, 'head'), node: nodeOfRow(row) };
  }

  async replace(head: GroupsHead, expected: number | null): Promise<boolean> {
    const sql =
      expected === null
        ? 'INSERT INTO node_groups (version, head, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
        : 'UPDATE node_groups SET version = ?, head = ? WHERE name = ? AND version = ?';
    const expectation = expected === null ? [] : [expected];
    return (await this.#database.run(sql, head.version, JSON.stringify(head), 'head', ...expectation)) === 1;
  }
}
