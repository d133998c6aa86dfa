import { inParallel } from '../../util/in-parallel.ts';
import type { DependencyRegistration } from '../ports/dependency-set.ts';
import { systemClock } from '../system-clock.ts';
import { pack, readNumber, readText, unpack } from './attributes.ts';
import { compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

/** Key of the row that lists all paths of a set once they are written. No certname has a slash. */
const COMPLETE = '/complete';
const QUERIES_AT_ONCE = 32;
const DELETES_AT_ONCE = 16;
/**
 * An item has at most 400 KB. The paths of a larger set are not listed, and the set is never
 * deleted.
 */
const MOST_LISTED_BYTES = 300_000;

/**
 * Reverse index from a path to the nodes that read it or looked for it: `path#<environment>#<path>`
 * -> sets, `set#<environment>#<id>` -> certnames with the generation that registered them. Later
 * commits leave stale rows; a read that finds one deletes it. A set is deleted with its last
 * member.
 *
 * Deletion cannot race with registration. A member writes its own row first, then checks that the
 * set is complete. A deleter marks the set first, then checks for members. So one of the two sees
 * the other. A member that finds the mark writes all paths again under a new epoch, and a deletion
 * removes only rows of the marked epoch.
 */
export class AwsDependencyIndex {
  readonly #table: Table;
  readonly #nodes: Table;

  constructor(table: Table, nodes: Table) {
    this.#table = table;
    this.#nodes = nodes;
  }

  async register({ certname, generation, environment, id, paths }: DependencyRegistration): Promise<void> {
    const from = setKey(environment, id);
    await this.#table.put({ from, to: certname, generation });
    const complete = await this.#table.get({ from, to: COMPLETE });
    if (complete && complete.retiring !== true) return;
    const epoch = systemClock.random().toString(36).slice(2);
    await this.#table.batchPut(paths.map((path) => ({ from: pathKey(environment, path), to: id, epoch })));
    const listed = pack(paths);
    const list = listed.byteLength <= MOST_LISTED_BYTES ? { paths: listed } : {};
    await this.#table.put({ from, to: COMPLETE, epoch, ...list });
  }

  async findDependants(environment: string, paths: readonly string[]): Promise<readonly string[]> {
    const ids = await inParallel(QUERIES_AT_ONCE, paths, async (path) =>
      (await this.#rowsFrom(pathKey(environment, path))).map((row) => readText(row, 'to')),
    );
    const found = await inParallel(QUERIES_AT_ONCE, new Set(ids.flat()), (id) => this.#listMembers(environment, id));
    return [...new Set(found.flat())].sort();
  }

  /** Removes a node from a set. */
  async forget(certname: string, environment: string, id: string): Promise<void> {
    await this.#table.delete({ from: setKey(environment, id), to: certname });
    await this.#retire(environment, id);
  }

  /**
   * Lists the members of a set. A member counts when the node's last commit has the set, or when
   * the compile that registered it may still commit.
   */
  async #listMembers(environment: string, id: string): Promise<readonly string[]> {
    const from = setKey(environment, id);
    const rows = (await this.#rowsFrom(from)).filter(({ to }) => to !== COMPLETE);
    const items = await this.#nodes.batchGet(rows.map(({ to }) => ({ certname: to })));
    const nodes = new Map(items.map((item) => [item.certname, item]));
    const { members = [], stale = [] } = Object.groupBy(rows, (row) => {
      const node = nodes.get(row.to);
      const stands = node && (readNumber(row, 'generation') > readNumber(node, 'built') || node.dependencySet === id);
      return stands ? 'members' : 'stale';
    });
    await inParallel(DELETES_AT_ONCE, stale, (row) =>
      this.#drop(from, readText(row, 'to'), readNumber(row, 'generation')),
    );
    if (members.length === 0) await this.#retire(environment, id);
    return members.map((row) => readText(row, 'to'));
  }

  async #drop(from: string, to: string, generation: number): Promise<void> {
    await this.#table.delete({ from, to }, compareTo('generation', '=', generation));
  }

  /**
   * Deletes a set without members. An interrupted deletion is resumed by the next read of the set.
   */
  async #retire(environment: string, id: string): Promise<void> {
    const key = { from: setKey(environment, id), to: COMPLETE };
    const complete = await this.#table.get(key);
    const paths = complete && unpack<readonly string[]>(complete, 'paths');
    if (!complete || !paths || (await this.#hasMembers(key.from))) return;
    const epoch = readText(complete, 'epoch');
    const same = compareTo('epoch', '=', epoch);
    const marked: Item = { ...complete, retiring: true };
    if (!(await this.#table.put(marked, same))) return;
    if (await this.#hasMembers(key.from)) {
      await this.#table.put(complete, same);
      return;
    }
    await inParallel(DELETES_AT_ONCE, paths, (path) =>
      this.#table.delete({ from: pathKey(environment, path), to: id }, same),
    );
    await this.#table.delete(key, same);
  }

  async #hasMembers(from: string): Promise<boolean> {
    const rows = await this.#table.query({ where: compareTo('from', '=', from), limit: 2 });
    return rows.some(({ to }) => to !== COMPLETE);
  }

  #rowsFrom(from: string) {
    return this.#table.query({ where: compareTo('from', '=', from) });
  }
}

function setKey(environment: string, id: string): string {
  return `set#${environment}#${id}`;
}

function pathKey(environment: string, path: string): string {
  return `path#${environment}#${path}`;
}
