import type { GroupStore, GroupsHead } from '../ports/group-store.ts';
import type { NodeRecord } from '../ports/node-record.ts';
import type { NodeStore } from '../ports/node-store.ts';
import { jsonOfColumn, type SqlConnection } from './connection.ts';

/** Stores one row: its version for conditions, and the record as JSON. */
export class SqlGroupStore implements GroupStore {
  readonly #database: SqlConnection;
  readonly #nodes: Pick<NodeStore, 'get'>;

  constructor(database: SqlConnection, nodes: Pick<NodeStore, 'get'>) {
    this.#database = database;
    this.#nodes = nodes;
  }

  async get(): Promise<GroupsHead | null> {
    const row = await this.#database.get('SELECT head FROM node_groups WHERE name = ?', 'head');
    return row && jsonOfColumn<GroupsHead>(row, 'head');
  }

  async getWithNode(certname: string): Promise<{ readonly head: GroupsHead | null; readonly node: NodeRecord | null }> {
    const head = await this.get();
    return { head, node: await this.#nodes.get(certname) };
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
