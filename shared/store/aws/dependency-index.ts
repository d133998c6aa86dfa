import { inParallel } from '../../util/in-parallel.ts';
import type {
  DependencyIndex,
  DependencySet,
  MemberPage,
  Observations,
  Part,
  RegisteredPart,
  Registration,
  Retired,
} from '../ports/dependency-index.ts';
import { pack, readNumber, readText, unpack } from './attributes.ts';
import { retireDependencies } from './dependency-retirement.ts';
import {
  certnameOfRow,
  createRowToken,
  leavingRow,
  membershipRow,
  membersKey,
  ownKey,
  partRow,
  partsKey,
  setsKey,
} from './dependency-rows.ts';
import { allOf, compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

const QUERIES_AT_ONCE = 32;
/** Sets in memory at a time. Nodes share them, so that most environments have one page. */
const SETS_A_PAGE = 1000;
/** An item has at most 400 KB. Larger observations are left out. */
const MOST_OBSERVED_BYTES = 300_000;

/**
 * The dependency index in one table:
 *
 * - `members#<environment>#<set>#<shard>`: `<certname>#<token>` with the generation that registered
 *   the membership;
 * - `own#<environment>#<path>`: `<certname>#<token>`;
 * - `parts#<environment>#<name>`: ids of parts with their observations;
 * - `sets#<environment>`: ids of sets with the parts' ids and names;
 * - `left#<shard>`: what registrations may have left behind, by time (`retireDependencies`).
 *
 * Deletion cannot race with registration. A member writes its own row first, then checks that the
 * set is complete. A deleter marks the set first, then checks for members. So one of the two sees
 * the other. A member that finds the mark defines the set again. In the same way, a set is written
 * before its parts are checked, and a part is marked before the sets are checked. Rows of members
 * and owners are never written twice, so they are deleted by key alone.
 */
export class AwsDependencyIndex implements DependencyIndex {
  readonly #table: Table;
  readonly #nodes: Table;

  constructor(table: Table, nodes: Table) {
    this.#table = table;
    this.#nodes = nodes;
  }

  async register(registration: Registration): Promise<boolean> {
    const { certname, generation, environment, joins, leaves, ownPaths, at } = registration;
    const to = `${certname}#${createRowToken()}`;
    const own = ownPaths.map((path): Item => ({ from: ownKey(environment, path), to }));
    if (!joins) {
      await this.#table.batchPut(own);
      return true;
    }
    const joined = { ...joins, environment };
    const left = { certname, generation, memberships: [joined, ...(leaves ? [leaves] : [])], own: [] };
    await this.#table.batchPut([{ ...membershipRow(certname, joined), generation }, ...own, leavingRow(left, at)]);
    const set = await this.#table.get({ from: setsKey(environment), to: joins.set });
    return set?.complete === true && set.retiring !== true;
  }

  async define({ environment, id, parts }: DependencySet): Promise<void> {
    const row: Item = {
      from: setsKey(environment),
      to: id,
      epoch: createRowToken(),
      parts: pack(parts.map((part) => [part.id, part.name])),
    };
    await this.#table.put({ ...row, complete: false });
    const keys = parts.map((part) => partRow(environment, part));
    const found = await this.#table.batchGet(keys, ['to', 'retiring']);
    const known = new Set(found.flatMap(({ to, retiring }) => (retiring === true ? [] : [to])));
    const missing = parts.filter((part) => !known.has(part.id));
    await this.#table.batchPut(missing.map((part) => ({ ...partRow(environment, part), ...packObservations(part) })));
    await this.#table.put({ ...row, complete: true });
  }

  async findParts(environment: string, names: Iterable<string>): Promise<readonly RegisteredPart[]> {
    const rows = await inParallel(QUERIES_AT_ONCE, new Set(names), (name) =>
      this.#table.query({ where: compareTo('from', '=', partsKey(environment, name)) }),
    );
    return rows
      .flat()
      .map((row) => ({ id: readText(row, 'to'), observations: unpack<Observations>(row, 'observations') }));
  }

  async findSets(environment: string, parts: ReadonlySet<string>): Promise<readonly string[]> {
    const found: string[] = [];
    let after: Item | undefined;
    if (parts.size === 0) return found;
    do {
      const rows: readonly Item[] = await this.#table.query({
        where: compareTo('from', '=', setsKey(environment)),
        limit: SETS_A_PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const row of rows) if (hasPart(row, parts)) found.push(readText(row, 'to'));
      const last = rows.length < SETS_A_PAGE ? undefined : rows.at(-1);
      after = last && { from: last.from, to: last.to };
    } while (after !== undefined);
    return found;
  }

  async listMembers(
    environment: string,
    set: string,
    shard: number,
    after: string | null,
    limit: number,
  ): Promise<MemberPage> {
    const from = membersKey(environment, set, shard);
    const where = allOf(compareTo('from', '=', from), after === null ? undefined : compareTo('to', '>', after));
    const rows = await this.#table.query({ where, limit });
    const keys = new Set(rows.map(certnameOfRow));
    const nodes = await this.#nodes.batchGet(
      [...keys].map((certname) => ({ certname })),
      ['certname', 'built', 'dependencySet'],
    );
    const byName = new Map(nodes.map((node) => [node.certname, node]));
    const counts = (row: Item) => {
      const node = byName.get(certnameOfRow(row));
      return node && (readNumber(row, 'generation') > readNumber(node, 'built') || node.dependencySet === set);
    };
    const last = rows.at(-1);
    return {
      certnames: [...new Set(rows.filter(counts).map(certnameOfRow))],
      next: last && rows.length >= limit ? readText(last, 'to') : null,
    };
  }

  async findOwners(environment: string, paths: Iterable<string>): Promise<readonly string[]> {
    const rows = await inParallel(QUERIES_AT_ONCE, new Set(paths), (path) =>
      this.#table.query({ where: compareTo('from', '=', ownKey(environment, path)) }),
    );
    return [...new Set(rows.flat().map(certnameOfRow))].sort();
  }

  async forget({ certname, environment, leaves, ownPaths, at }: Omit<Registration, 'joins' | 'generation'>) {
    const memberships = leaves ? [leaves] : [];
    const own = ownPaths.map((path) => ownKey(environment, path));
    await this.#table.put(leavingRow({ certname, generation: 0, memberships, own }, at));
  }

  retire(before: number, limit: number): Promise<Retired> {
    return retireDependencies({ table: this.#table, nodes: this.#nodes }, before, limit);
  }
}

function hasPart(row: Item, parts: ReadonlySet<string>): boolean {
  return (unpack<[string, string][]>(row, 'parts') ?? []).some(([id]) => parts.has(id));
}

function packObservations({ observations }: Part): Item {
  const packed = pack(observations);
  return packed.byteLength <= MOST_OBSERVED_BYTES ? { observations: packed } : {};
}
