import { inParallel } from '../../util/in-parallel.ts';
import { MEMBER_SHARDS, type Retired } from '../ports/dependency-index.ts';
import { readNumber, readText, unpack } from './attributes.ts';
import {
  certnameOfRow,
  type Leaving,
  type LeavingMembership,
  leavingsKey,
  leavingTime,
  membershipRow,
  membersKey,
  partRow,
  setsKey,
} from './dependency-rows.ts';
import { allOf, attributeExists, beginsWith, compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

const WRITES_AT_ONCE = 16;
const QUERIES_AT_ONCE = 16;

interface Tables {
  readonly table: Table;
  readonly nodes: Table;
}

/** Implements `DependencyIndex.retire`. */
export async function retireDependencies(tables: Tables, before: number, limit: number): Promise<Retired> {
  let count = 0;
  const sets: string[] = [];
  for (let shard = 0; shard < MEMBER_SHARDS && count < limit; shard += 1) {
    const where = allOf(compareTo('from', '=', leavingsKey(shard)), compareTo('to', '<', leavingTime(before)));
    const rows = await tables.table.query({ where, limit: limit - count });
    if (rows.length > 0) sets.push(...(await finishLeavings(rows, tables)));
    count += rows.length;
  }
  return { registrations: count, sets };
}

/**
 * Deletes what these registrations left behind; their notes go last, so that nothing is missed.
 * Returns the retired sets.
 */
async function finishLeavings(rows: readonly Item[], tables: Tables): Promise<readonly string[]> {
  const { table, nodes } = tables;
  const leavings = rows.flatMap((row) => unpack<Leaving>(row, 'leaving') ?? []);
  // Read before the records: a node that was created anew meanwhile has other rows.
  const owners = await findOwnerRows(leavings, table);
  const names = [...new Set(leavings.map(({ certname }) => certname))];
  const records = await nodes.batchGet(
    names.map((certname) => ({ certname })),
    ['certname', 'built', 'membership'],
  );
  const byName = new Map(records.map((node) => [node.certname, node]));
  const left = leavings.flatMap(({ certname, generation, memberships }) => {
    const node = byName.get(certname);
    const isOver = ({ token }: LeavingMembership) =>
      !node || (readNumber(node, 'built') >= generation && node.membership !== token);
    return memberships.filter(isOver).map((membership) => ({ ...membership, certname }));
  });
  const members = left.map((membership) => membershipRow(membership.certname, membership));
  await table.batchDelete(findDiffering([...members, ...owners.filter((row) => !byName.has(certnameOfRow(row)))]));
  const byEnvironment = Map.groupBy(left, ({ environment }) => environment);
  const sets: string[] = [];
  for (const [environment, memberships] of byEnvironment) {
    sets.push(...(await retireSets(environment, new Set(memberships.map(({ set }) => set)), table)));
  }
  await table.batchDelete(rows.map(toKey));
  return sets;
}

async function findOwnerRows(leavings: readonly Leaving[], table: Table): Promise<readonly Item[]> {
  const wanted = leavings.flatMap(({ certname, own }) => own.map((from) => ({ from, certname })));
  const rows = await inParallel(QUERIES_AT_ONCE, wanted, ({ from, certname }) =>
    table.query({ where: allOf(compareTo('from', '=', from), beginsWith('to', `${certname}#`)) }),
  );
  return rows.flat().map(toKey);
}

/**
 * Deletes those of the sets that have no members, after their parts that no other set has. A set
 * stays marked when this is interrupted, and so do parts; who needs one writes it again. Returns
 * their ids.
 */
async function retireSets(environment: string, sets: ReadonlySet<string>, table: Table): Promise<readonly string[]> {
  const empty = await inParallel(WRITES_AT_ONCE, sets, (set) => markEmptySet(environment, set, table));
  const retiring = new Map(empty.flatMap((row) => (row ? [[readText(row, 'to'), row] as const] : [])));
  if (retiring.size === 0) return [];
  const parts = new Map([...retiring.values()].flatMap(partsOf));
  const keys = [...parts].map(([id, name]) => partRow(environment, { id, name }));
  await inParallel(WRITES_AT_ONCE, keys, (key) =>
    table.update(key, { set: { retiring: true }, when: attributeExists('to') }),
  );
  const rows = await table.query({ where: compareTo('from', '=', setsKey(environment)) });
  const others = rows.filter((row) => retiring.get(readText(row, 'to'))?.epoch !== row.epoch);
  const used = new Set(others.flatMap(partsOf).map(([id]) => id));
  const isMarked = compareTo('retiring', '=', true);
  await inParallel(WRITES_AT_ONCE, keys, async (key) => {
    if (used.has(readText(key, 'to'))) await table.update(key, { remove: ['retiring'], when: isMarked });
    else await table.delete(key, isMarked);
  });
  const gone = await inParallel(WRITES_AT_ONCE, retiring, async ([id, row]) =>
    (await table.delete(toKey(row), allOf(isMarked, compareTo('epoch', '=', row.epoch)))) ? [id] : [],
  );
  return gone.flat();
}

/** Marks a set without members; null for a set that has some, or that is gone. */
async function markEmptySet(environment: string, set: string, table: Table): Promise<Item | null> {
  const key = { from: setsKey(environment), to: set };
  if (await hasMembers(environment, set, table)) return null;
  const marked = await table.update(key, { set: { retiring: true }, when: attributeExists('to') });
  if (!marked || !(await hasMembers(environment, set, table))) return marked;
  const same = compareTo('epoch', '=', marked.epoch);
  await table.update(key, { remove: ['retiring'], when: same });
  return null;
}

async function hasMembers(environment: string, set: string, table: Table): Promise<boolean> {
  for (let shard = 0; shard < MEMBER_SHARDS; shard += 1) {
    const where = compareTo('from', '=', membersKey(environment, set, shard));
    if ((await table.query({ where, limit: 1 })).length > 0) return true;
  }
  return false;
}

function partsOf(row: Item): [id: string, name: string][] {
  return unpack<[string, string][]>(row, 'parts') ?? [];
}

function toKey({ from, to }: Item): Item {
  return { from, to };
}

/** A batch may name a key only once. */
function findDiffering(keys: readonly Item[]): readonly Item[] {
  return [...new Map(keys.map((key) => [JSON.stringify([key.from, key.to]), key])).values()];
}
