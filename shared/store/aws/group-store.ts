import type { GroupStore, GroupsHead } from '../ports/group-store.ts';
import type { NodeRecord } from '../ports/node-record.ts';
import { printAttribute, readJson } from './attributes.ts';
import { attributeNotExists, compareTo } from './expressions.ts';
import { parseNodeItem } from './node-item.ts';
import type { Table } from './table.ts';

/** An item of the documents table: front doors read it, and those for operators write it. */
const KEY = { collection: 'node-groups', key: 'head' };

/** Stores one item: its version for conditions, and the record as JSON. */
export class AwsGroupStore implements GroupStore {
  readonly #table: Table;
  readonly #nodes: Table;

  /** `table`: that of the documents. */
  constructor(table: Table, nodes: Table) {
    this.#table = table;
    this.#nodes = nodes;
  }

  async get(): Promise<GroupsHead | null> {
    const item = await this.#table.get(KEY);
    return item && readJson<GroupsHead>(item, 'document');
  }

  async getWithNode(certname: string): Promise<{ readonly head: GroupsHead | null; readonly node: NodeRecord | null }> {
    const [item, node] = await this.#table.getWith(KEY, this.#nodes, { certname });
    return { head: item && readJson<GroupsHead>(item, 'document'), node: node && parseNodeItem(node) };
  }

  replace(head: GroupsHead, expected: number | null): Promise<boolean> {
    const item = { ...KEY, version: head.version, document: printAttribute('document', head) };
    const condition = expected === null ? attributeNotExists('key') : compareTo('version', '=', expected);
    return this.#table.put(item, condition);
  }
}
