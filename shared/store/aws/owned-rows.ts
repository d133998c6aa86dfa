import { inParallel } from '../../util/in-parallel.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { pack, unpack } from './attributes.ts';
import { anyOf, attributeNotExists, compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

/** A row of the exports or collectors table; one node owns it. */
export interface OwnedRow {
  /** Partition: the resource type. */
  readonly type: string;
  /** Sort key; starts with the certname. */
  readonly id: string;
  /** Digest of the content. */
  readonly digest: string;
  /** Further attributes. */
  readonly content: Item;
}

/** The list of a node's rows, stored in the same table. */
interface Head {
  readonly generation: number;
  /** Incremented by each write of the head. */
  readonly revision: number;
  /** A write is in progress: any listed row may be missing. */
  readonly pending: boolean;
  readonly rows: readonly (readonly [type: string, id: string, digest: string])[];
}

const HEAD = 'head';
const NO_HEAD: Head = { generation: 0, revision: 0, pending: false, rows: [] };
const WRITES_AT_ONCE = 16;
const MOST_ATTEMPTS = 8;

/**
 * Rows of many nodes by resource type. A node's rows are replaced as a whole, without transactions.
 * The head lists in advance every row that may exist, so that the next writer can clean up after a
 * crash. A row carries the generation that wrote it; an older generation never overwrites or
 * deletes it.
 */
export class OwnedRows {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Replaces the node's rows; false when a newer generation is stored. */
  async replace(certname: string, generation: number, rows: readonly OwnedRow[]): Promise<boolean> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const head = await this.#readHead(certname);
      if (head.generation > generation) {
        if (attempt > 0) await this.#delete(rows, generation, '=');
        return false;
      }
      if (await this.#replaceFrom(head, certname, generation, rows)) return true;
    }
    throw new StoreUnavailable(`table ${this.#table.name}: the rows of ${certname} keep changing concurrently`);
  }

  /** The digests of the node's rows; null while a write is in progress. */
  async listDigests(certname: string): Promise<readonly string[] | null> {
    const { pending, rows } = await this.#readHead(certname);
    return pending ? null : rows.map(([, , digest]) => digest);
  }

  ofType(type: string): Promise<readonly Item[]> {
    return this.#table.query({ where: compareTo('type', '=', type) });
  }

  /** Deletes all rows of the node. */
  async delete(certname: string): Promise<void> {
    const { rows } = await this.#readHead(certname);
    await inParallel(WRITES_AT_ONCE, rows, ([type, id]) => this.#table.delete({ type, id }));
    await this.#table.delete(headKey(certname));
  }

  /**
   * One attempt: announce in the head, write, delete, finish the head. False when another writer
   * changed the head meanwhile.
   */
  async #replaceFrom(head: Head, certname: string, generation: number, rows: readonly OwnedRow[]): Promise<boolean> {
    const listed = rows.map(({ type, id, digest }) => [type, id, digest] as const);
    const known = new Map(head.rows.map((row) => [toKey(row[0], row[1]), row]));
    const same = (row: OwnedRow) => !head.pending && known.get(toKey(row.type, row.id))?.[2] === row.digest;
    const wanted = new Set(rows.map(({ type, id }) => toKey(type, id)));
    const gone = head.rows.filter(([type, id]) => !wanted.has(toKey(type, id)));
    const changed = rows.filter((row) => !same(row));
    if (gone.length === 0 && changed.length === 0) {
      return (
        head.generation === generation || this.#putHead(certname, head, { generation, pending: false, rows: listed })
      );
    }
    const announced: Head = { generation, revision: head.revision + 1, pending: true, rows: [...listed, ...gone] };
    if (!(await this.#putHead(certname, head, announced))) return false;
    await inParallel(WRITES_AT_ONCE, changed, ({ type, id, digest, content }) =>
      this.#table.put({ ...content, type, id, digest, generation }, notNewer(generation)),
    );
    await this.#delete(
      gone.map(([type, id]) => ({ type, id })),
      generation,
      '<=',
    );
    return this.#putHead(certname, announced, { generation, pending: false, rows: listed });
  }

  async #delete(
    rows: readonly Pick<OwnedRow, 'type' | 'id'>[],
    generation: number,
    compare: '<=' | '=',
  ): Promise<void> {
    const condition = compareTo('generation', compare, generation);
    await inParallel(WRITES_AT_ONCE, rows, ({ type, id }) => this.#table.delete({ type, id }, condition));
  }

  async #readHead(certname: string): Promise<Head> {
    const item = await this.#table.get(headKey(certname));
    return (item && unpack<Head>(item, HEAD)) ?? NO_HEAD;
  }

  #putHead(certname: string, before: Head, next: Omit<Head, 'revision'>): Promise<boolean> {
    const revision = before.revision + 1;
    const item = { ...headKey(certname), revision, [HEAD]: pack({ ...next, revision }) };
    const condition = before.revision === 0 ? attributeNotExists('type') : compareTo('revision', '=', before.revision);
    return this.#table.put(item, condition);
  }
}

/** Whether an item of the table is a row rather than a head. */
export function isRow(type: string): boolean {
  return !type.startsWith('#');
}

function headKey(certname: string): Item {
  return { type: `#${certname}`, id: HEAD };
}

function toKey(type: string, id: string): string {
  return JSON.stringify([type, id]);
}

function notNewer(generation: number) {
  return anyOf(attributeNotExists('generation'), compareTo('generation', '<=', generation));
}
