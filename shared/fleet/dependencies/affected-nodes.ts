import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { diffSnapshots } from '../../puppet/environment/snapshot-diff.ts';
import { HieraCache } from '../../puppet/hiera/hiera-cache.ts';
import { MEMBER_SHARDS, type Observations, type RegisteredPart } from '../../store/ports/dependency-index.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { pathsOf } from './cut-files.ts';
import { nameOfPart } from './part-name.ts';
import { digestStates } from './part-states.ts';
import { type ReadableFiles, snapshotFiles } from './readable-files.ts';

type IndexPorts = Pick<Stores, 'dependencies'>;
type ComparePorts = Pick<Stores, 'dependencies' | 'blobs'>;

/** A switch between two snapshots of an environment; null: not deployed, or unknown. */
export interface CodeStep {
  readonly before: Snapshot | null;
  readonly after: Snapshot | null;
}

/** Dependencies that a switch affects. */
export interface AffectedDependencies {
  /** The changed paths, as `diffSnapshots` lists them. */
  readonly paths: readonly string[];
  /** Ids of parts with a changed state. */
  readonly parts: ReadonlySet<string>;
}

const MEMBERS_A_PAGE = 1000;
const SHARDS_AT_ONCE = 16;

/**
 * The changed paths of a switch, and the parts whose states differ between the two snapshots: a
 * part that looks at a changed file, but at nothing of it that changed, is not affected.
 */
export async function findAffectedParts(
  environment: string,
  { before, after }: CodeStep,
  { dependencies, blobs }: ComparePorts,
): Promise<AffectedDependencies> {
  const paths = after ? diffSnapshots(before, after) : diffSnapshots(null, before ?? NO_SNAPSHOT);
  const changed = new Set(paths);
  const data = new HieraCache();
  const [old, next] = [snapshotFiles(null, before, blobs, data), snapshotFiles(null, after, blobs, data)];
  const digest = (files: ReadableFiles, observations: Observations) =>
    files.read((present) => digestStates(observations, present));
  const parts: RegisteredPart[] = [];
  for (const part of await dependencies.findParts(environment, paths.map(nameOfPart))) {
    const { observations } = part;
    if (observations && !pathsOf(observations).some((path) => changed.has(path))) continue;
    if (observations && (await digest(old, observations)) === (await digest(next, observations))) continue;
    parts.push(part);
  }
  return { paths, parts: new Set(parts.map(({ id }) => id)) };
}

/** The parts that look at one of the paths, whether it changed or not. */
export async function findPartsOf(
  environment: string,
  paths: readonly string[],
  { dependencies }: IndexPorts,
): Promise<AffectedDependencies> {
  const wanted = new Set(paths);
  const found = await dependencies.findParts(environment, paths.map(nameOfPart));
  const parts = found.filter(
    ({ observations }) => observations === null || pathsOf(observations).some((path) => wanted.has(path)),
  );
  return { paths, parts: new Set(parts.map(({ id }) => id)) };
}

/** All nodes that depend on the parts or paths, sorted. */
export async function listAffectedNodes(
  environment: string,
  { paths, parts }: AffectedDependencies,
  { dependencies }: IndexPorts,
): Promise<readonly string[]> {
  const found = new Set(await dependencies.findOwners(environment, paths));
  const sets = await dependencies.findSets(environment, parts);
  // The embedded store answers at once: between two pages, requests get their turn.
  let turn: Promise<unknown> = Promise.resolve();
  const takeTurn = () => {
    turn = turn.then(() => nextTurn());
    return turn;
  };
  await inParallel(SHARDS_AT_ONCE, listChains(sets), async ({ set, shard }) => {
    let after: string | null = null;
    do {
      await takeTurn();
      const page = await dependencies.listMembers(environment, set, shard, after, MEMBERS_A_PAGE);
      for (const certname of page.certnames) found.add(certname);
      after = page.next;
    } while (after !== null);
  });
  return [...found].sort();
}

/**
 * The first `limit` nodes behind `after` of what `listAffectedNodes` lists. It reads no more than
 * `limit` members of each shard of a set.
 */
export async function listFirstAffected(
  environment: string,
  { paths, parts }: AffectedDependencies,
  { after, limit }: { readonly after: string | null; readonly limit: number },
  { dependencies }: IndexPorts,
): Promise<readonly string[]> {
  const owners = await dependencies.findOwners(environment, paths);
  const found = new Set(owners.filter((certname) => after === null || certname > after));
  const sets = await dependencies.findSets(environment, parts);
  await inParallel(SHARDS_AT_ONCE, listChains(sets), async ({ set, shard }) => {
    let count = 0;
    let from = after;
    do {
      const page = await dependencies.listMembers(environment, set, shard, from, limit - count);
      for (const certname of page.certnames) found.add(certname);
      count += page.certnames.length;
      from = page.next;
    } while (from !== null && count < limit);
  });
  return [...found].sort().slice(0, limit);
}

function listChains(sets: readonly string[]) {
  return sets.flatMap((set) => Array.from({ length: MEMBER_SHARDS }, (_, shard) => ({ set, shard })));
}

const NO_SNAPSHOT: Snapshot = { environment: '', files: {} };
