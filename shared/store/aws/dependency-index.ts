import { inParallel } from '../in-parallel.ts';
import type { DependencyRegistration } from '../ports.ts';
import { number, text } from './attributes.ts';
import type { Table } from './table.ts';

/** Says that all paths of the set are written. No certname has a slash in it. */
const COMPLETE = '/complete';
const QUERIES_AT_ONCE = 32;

/**
 * The way back from a path to the nodes that used it or looked for it: `path#<environment>#<path>` -> sets,
 * `set#<environment>#<id>` -> certnames with the generation that registered them. Rows that a later commit made stale stay until
 * they are met.
 */
export class DependencyIndex {
  readonly #table: Table;
  readonly #nodes: Table;

  constructor(table: Table, nodes: Table) {
    this.#table = table;
    this.#nodes = nodes;
  }

  async register({ certname, generation, environment, id, paths }: DependencyRegistration): Promise<void> {
    const set = `set#${environment}#${id}`;
    if (!(await this.#table.get({ from: set, to: COMPLETE }))) {
      await this.#table.batchPut(paths.map((path) => ({ from: `path#${environment}#${path}`, to: id })));
      await this.#table.put({ from: set, to: COMPLETE });
    }
    await this.#table.put({ from: set, to: certname, generation });
  }

  async dependants(environment: string, paths: readonly string[]): Promise<readonly string[]> {
    const ids = await inParallel(QUERIES_AT_ONCE, paths, async (path) =>
      (await this.#rowsFrom(`path#${environment}#${path}`)).map((row) => text(row, 'to')),
    );
    const found = await inParallel(QUERIES_AT_ONCE, new Set(ids.flat()), (id) => this.#members(environment, id));
    return [...new Set(found.flat())].sort();
  }

  /** Members count when the node's last commit has the set, or when the compile that registered it may still commit. */
  async #members(environment: string, id: string): Promise<readonly string[]> {
    const from = `set#${environment}#${id}`;
    const rows = (await this.#rowsFrom(from)).filter(({ to }) => to !== COMPLETE);
    const items = await this.#nodes.batchGet(rows.map(({ to }) => ({ certname: to })));
    const nodes = new Map(items.map((item) => [item.certname, item]));
    const members: string[] = [];
    for (const row of rows) {
      const node = nodes.get(row.to);
      const generation = number(row, 'generation');
      if (node && (generation > number(node, 'built') || node.dependencySet === id)) members.push(text(row, 'to'));
      else await this.#drop(from, text(row, 'to'), generation);
    }
    return members;
  }

  async #drop(from: string, to: string, generation: number): Promise<void> {
    const unchanged = { text: '#generation = :generation', values: { ':generation': generation } };
    await this.#table.delete({ from, to }, unchanged);
  }

  #rowsFrom(from: string) {
    return this.#table.query({ text: '#from = :from', values: { ':from': from } });
  }
}
