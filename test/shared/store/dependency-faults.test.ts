import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAwsStores } from '../../../shared/store/aws/stores.ts';
import { type DependencySet, MEMBER_SHARDS, type Part } from '../../../shared/store/ports/dependency-index.ts';
import type { Stores } from '../../../shared/store/ports/stores.ts';
import { digestSha256 } from '../../../shared/util/digest.ts';
import { deployNames, type Emulators, startEmulators } from '../../helpers/aws-emulators.ts';
import { NO_INPUTS } from '../../helpers/no-inputs.ts';

/** Processes that die between any two writes to the table of dependencies. */
const LATER = 1_000_000;
/** More writes than any operation makes. */
const MOST_WRITES = 60;

let emulators: Emulators;
let stores: Stores;
let table: string;
/** Number of writes to the table that still succeed; all succeed at infinity. */
let left = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  emulators = await startEmulators();
  const names = await deployNames(emulators.clients, { visibilityMs: 30_000, maxReceives: 3 });
  table = names.UNDERSTUDY_DEPENDENCIES_TABLE ?? '';
  stores = openAwsStores(names, emulators.clients);
  emulators.clients.dynamodb.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        const { TableName, RequestItems } = Object(args.input);
        const isOurs = TableName === table || Object(RequestItems)[table] !== undefined;
        if (!isOurs || !/^(Put|Update|Delete|BatchWrite)/.test(commandName)) return next(args);
        left -= 1;
        if (left < 0) throw new Error('killed');
        return next(args);
      },
    { step: 'initialize', name: 'kills' },
  );
});
afterAll(() => emulators.close());

function partOf(path: string): Part {
  return { id: digestSha256(path), name: path, observations: { contents: [path], kinds: [], keys: {} } };
}

const [SHARED, OLD, NEW] = ['shared', 'old', 'new'].map(partOf) as [Part, Part, Part];

/** An environment of its own for each round, so that rounds do not see each other. */
function setsOf(environment: string) {
  const setOf = (...parts: Part[]): DependencySet => {
    return { environment, id: digestSha256(JSON.stringify([environment, parts.map(({ id }) => id)])), parts };
  };
  return { both: setOf(SHARED, OLD), next: setOf(SHARED, NEW) };
}

/** A compile that registers a set and commits it. */
async function compile(certname: string, set: DependencySet): Promise<void> {
  const { nodes, dependencies } = stores;
  await nodes.markSeen(certname, set.environment, 1);
  const node = await nodes.want(certname, 'x', 1, { asked: true });
  if (!node) throw new Error(`no node ${certname}`);
  await nodes.lease(certname, 1, 1, null);
  const generation = node.wanted;
  const token = `${generation}.${Math.random()}`;
  const { set: last, membership } = node.inputs?.dependencies ?? {};
  const { environment } = set;
  const leaves = last && membership ? { environment, set: last, token: membership } : null;
  const joins = { set: set.id, token };
  const known = await dependencies.register({ certname, generation, environment, joins, leaves, ownPaths: [], at: 1 });
  if (!known) await dependencies.define(set);
  const own = { contents: [], kinds: [], keys: {} };
  const inputs = {
    ...NO_INPUTS,
    environment,
    dependencies: { set: set.id, membership: token, own, states: '', codeId: null },
  };
  expect(await nodes.commit({ certname, generation, catalog: null, failure: null, inputs, at: 2 })).toBe(true);
}

/** Runs `work`, which dies after some writes; whether it did. */
async function diesAfter(writes: number, work: () => Promise<unknown>): Promise<boolean> {
  left = writes;
  try {
    await work();
    return false;
  } catch {
    return true;
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** The nodes that a change of the part leads to. */
async function nodesOf(environment: string, part: Part): Promise<readonly string[]> {
  const { dependencies } = stores;
  const parts = await dependencies.findParts(environment, [part.name]);
  const sets = await dependencies.findSets(environment, new Set(parts.map(({ id }) => id)));
  const found: string[] = [];
  for (const set of sets) {
    for (let shard = 0; shard < MEMBER_SHARDS; shard += 1) {
      found.push(...(await dependencies.listMembers(environment, set, shard, null, 100)).certnames);
    }
  }
  return found.sort();
}

/** Calls `round` with more writes each time, until nothing dies any more; returns the number. */
async function killEverywhere(round: (writes: number, environment: string) => Promise<boolean>): Promise<number> {
  for (let writes = 0; writes < MOST_WRITES; writes += 1) {
    if (!(await round(writes, `e${rounds++}`))) return writes;
  }
  throw new Error('the operation has no end');
}
let rounds = 0;

it('finds a node whose first registration died anywhere', async () => {
  const writes = await killEverywhere(async (kill, environment) => {
    const { both, next } = setsOf(environment);
    await compile(`${environment}-x`, both);
    const died = await diesAfter(kill, () => compile(`${environment}-y`, next));
    await compile(`${environment}-y`, next);
    expect(await nodesOf(environment, SHARED)).toEqual([`${environment}-x`, `${environment}-y`]);
    expect(await nodesOf(environment, NEW)).toEqual([`${environment}-y`]);
    return died;
  });
  expect(writes).toBe(4);
});

it('finds a node that another one helps, whose registration died', async () => {
  await killEverywhere(async (kill, environment) => {
    const { next } = setsOf(environment);
    const died = await diesAfter(kill, () => compile(`${environment}-x`, next));
    await compile(`${environment}-y`, next);
    expect(await nodesOf(environment, NEW)).toContain(`${environment}-y`);
    return died;
  });
});

it('finds a node that joins a set whose retirement died anywhere', async () => {
  const writes = await killEverywhere(async (kill, environment) => {
    const { both, next } = setsOf(environment);
    await compile(`${environment}-x`, both);
    await compile(`${environment}-x`, next);
    const died = await diesAfter(kill, () => stores.dependencies.retire(LATER, 100));
    await compile(`${environment}-y`, both);
    for (let round = 0; round < 2; round += 1) {
      expect(await nodesOf(environment, OLD)).toEqual([`${environment}-y`]);
      expect(await nodesOf(environment, SHARED)).toEqual([`${environment}-x`, `${environment}-y`]);
      while ((await stores.dependencies.retire(LATER, 100)).registrations > 0);
    }
    return died;
  });
  expect(writes).toBeGreaterThan(6);
});

it('ends a retirement that died anywhere', async () => {
  await killEverywhere(async (kill, environment) => {
    const { both, next } = setsOf(environment);
    await compile(`${environment}-x`, both);
    await compile(`${environment}-x`, next);
    const died = await diesAfter(kill, () => stores.dependencies.retire(LATER, 100));
    while ((await stores.dependencies.retire(LATER, 100)).registrations > 0);
    expect(await stores.dependencies.findParts(environment, [OLD.name])).toEqual([]);
    expect(await stores.dependencies.findSets(environment, new Set([SHARED.id]))).toEqual([next.id]);
    expect(await nodesOf(environment, SHARED)).toEqual([`${environment}-x`]);
    return died;
  });
});
