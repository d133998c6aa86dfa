import { inParallel } from '../../util/in-parallel.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { pack, unpack } from './attributes.ts';
import { anyOf, attributeNotExists, compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

/** A row of the exports or collectors table; one node owns it. */
export interface OwnedRow {
  /** Partition: starts with the resource type. */
  readonly type: string;
  /** Sort key; starts with the certname. */
  readonly id: string;
  /** Digest of the content and the pointers. */
  readonly digest: string;
  /** Further attributes. */
  readonly content: Item;
  /**
   * Partitions with an item without content that leads to the row and has its sort key. Pointers
   * are written before the row and deleted after it, so that whoever knows of the row can find it.
   */
  readonly pointers: readonly string[];
  /** Items that rows of several nodes share. They are written before the row, and stay. */
  readonly markers: readonly RowKey[];
}

interface RowKey {
  readonly type: string;
  readonly id: string;
}

type ListedRow = readonly [type: string, id: string, digest: string, pointers: readonly string[]];

/** The list of a node's rows, stored in the same table. */
interface Head {
  readonly generation: number;
  /** Incremented by each write of the head. */
  readonly revision: number;
  /** A write is in progress: any listed row may be missing. */
  readonly pending: boolean;
  readonly rows: readonly ListedRow[];
}

const HEAD = 'head';
const NO_HEAD: Head = { generation: 0, revision: 0, pending: false, rows: [] };
const WRITES_AT_ONCE = 16;
const MOST_ATTEMPTS = 8;

/**
 * Rows of many nodes in partitions of a resource type. A node's rows are replaced as a whole,
 * without transactions. The head lists in advance every row and pointer that may exist, so that the
 * next writer can clean up after a crash. Each carries the generation that wrote it; an older
 * generation never overwrites or deletes it.
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
        if (attempt > 0) await this.#delete(rows.map(listRow), generation, '=');
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

  /** The partitions of the node's rows, and of those that a write in progress adds or removes. */
  async listPartitions(certname: string): Promise<readonly string[]> {
    const { rows } = await this.#readHead(certname);
    return [...new Set(rows.map(([partition]) => partition))];
  }

  /** Deletes all rows of the node. */
  async delete(certname: string): Promise<void> {
    const { rows } = await this.#readHead(certname);
    await inParallel(WRITES_AT_ONCE, rows, ([type, id]) => this.#table.delete({ type, id }));
    await inParallel(WRITES_AT_ONCE, listPointers(rows).values(), (key) => this.#table.delete({ ...key }));
    await this.#table.delete(headKey(certname));
  }

  /**
   * One attempt: announce in the head, write, delete, finish the head. False when another writer
   * changed the head meanwhile.
   */
  async #replaceFrom(head: Head, certname: string, generation: number, rows: readonly OwnedRow[]): Promise<boolean> {
    const listed = rows.map(listRow);
    const known = new Map(head.pending ? [] : head.rows.map((row) => [toKey(row[0], row[1]), row[2]]));
    const changed = rows.filter(({ type, id, digest }) => known.get(toKey(type, id)) !== digest);
    const wanted = new Map(rows.map(({ type, id, digest }) => [toKey(type, id), digest]));
    const old = head.rows.filter(([type, id, digest]) => wanted.get(toKey(type, id)) !== digest);
    if (old.length === 0 && changed.length === 0) {
      return (
        head.generation === generation || this.#putHead(certname, head, { generation, pending: false, rows: listed })
      );
    }
    const announced: Head = { generation, revision: head.revision + 1, pending: true, rows: [...listed, ...old] };
    if (!(await this.#putHead(certname, head, announced))) return false;
    await this.#put(changed, head.pending ? [] : head.rows, generation);
    await this.#delete(old, generation, '<=', { rows: wanted, pointers: listPointers(listed) });
    return this.#putHead(certname, announced, { generation, pending: false, rows: listed });
  }

  /** Writes rows, after the pointers that `present` rows do not have. */
  async #put(rows: readonly OwnedRow[], present: readonly ListedRow[], generation: number): Promise<void> {
    const known = listPointers(present);
    const pointers = [...listPointers(rows.map(listRow))].flatMap(([key, one]) => (known.has(key) ? [] : one));
    const markers = new Map(rows.flatMap((row) => row.markers).map((key) => [toKey(key.type, key.id), key]));
    await inParallel(WRITES_AT_ONCE, markers.values(), (key) => this.#table.put({ ...key }));
    await inParallel(WRITES_AT_ONCE, pointers, (key) => this.#table.put({ ...key, generation }, notNewer(generation)));
    await inParallel(WRITES_AT_ONCE, rows, ({ type, id, digest, content }) =>
      this.#table.put({ ...content, type, id, digest, generation }, notNewer(generation)),
    );
  }

  /** Deletes rows, then their pointers, but none that are kept. */
  async #delete(
    rows: readonly ListedRow[],
    generation: number,
    compare: '<=' | '=',
    kept: { readonly rows: ReadonlyMap<string, unknown>; readonly pointers: ReadonlyMap<string, unknown> } = NOTHING,
  ): Promise<void> {
    const condition = compareTo('generation', compare, generation);
    const gone = rows.filter(([type, id]) => !kept.rows.has(toKey(type, id)));
    await inParallel(WRITES_AT_ONCE, gone, ([type, id]) => this.#table.delete({ type, id }, condition));
    const pointers = [...listPointers(rows)].flatMap(([key, pointer]) => (kept.pointers.has(key) ? [] : pointer));
    await inParallel(WRITES_AT_ONCE, pointers, (key) => this.#table.delete({ ...key }, condition));
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

const NOTHING = { rows: new Map<string, unknown>(), pointers: new Map<string, unknown>() };

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

function listRow({ type, id, digest, pointers }: OwnedRow): ListedRow {
  return [type, id, digest, pointers];
}

/** The pointers of rows, each once. */
function listPointers(rows: readonly ListedRow[]): ReadonlyMap<string, RowKey> {
  const pointers = rows.flatMap(([, id, , listed]) => listed.map((type) => ({ type, id })));
  return new Map(pointers.map((pointer) => [toKey(pointer.type, pointer.id), pointer]));
}

function notNewer(generation: number) {
  return anyOf(attributeNotExists('generation'), compareTo('generation', '<=', generation));
}
