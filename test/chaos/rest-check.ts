import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Stores } from '../../shared/store/ports/stores.ts';
import type { Row, SqlConnection } from '../../shared/store/sql/connection.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import type { SeededChance } from '../fuzz/seeded-chance.ts';
import type { ChaosClient } from './chaos-client.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { comparableCatalog, compileFresh } from './fresh-compile.ts';

/** What checks at rest look at, beside the server. */
export interface RestPorts {
  readonly stores: Stores;
  readonly database: SqlConnection;
}

const ATTEMPTS = 20;
const RETRY_MS = 250;
/**
 * Nothing may be outstanding after this time. A job that lost its priority just when a worker had
 * received it is sent again by the feeder, which works once a minute.
 */
const SETTLING_MS = 90_000;
/** All nodes of a large fleet may be outstanding. */
const SETTLING_MS_A_NODE = 100;
const MOST_DEAD_LETTERS = 10_000;
/** Of the five tries of a job. Kills and lost answers of the queue may be the others. */
const LEAST_FAILURES = 3;
const AT_ONCE = 4;
const SAMPLE = 3;
/** Records of nodes that the log shows when work is left. */
const MOST_SHOWN = 10;
const NODES_A_PAGE = 1000;

/** The catalogs of all nodes at rest, in bytes. */
export type RestingCatalogs = ReadonlyMap<string, Buffer>;

/**
 * Has every request that was not acknowledged repeated, and no other: what was acknowledged must
 * not be lost. Then waits until nothing is outstanding.
 */
export async function bringToRest(world: ChaosWorld, client: ChaosClient, ports: RestPorts): Promise<void> {
  await inParallel(AT_ONCE, world.nodes, async (node) => {
    for (let attempt = 0; node.group.isUncertain && attempt < ATTEMPTS; attempt += 1) {
      await client.move(node, node.group.accepted);
      if (node.group.isUncertain) await pause(RETRY_MS);
    }
    for (let attempt = 0; node.facts.isUncertain && attempt < ATTEMPTS; attempt += 1) {
      await client.checkIn(node, node.facts.accepted);
      if (node.facts.isUncertain) await pause(RETRY_MS);
    }
    if (node.group.isUncertain || node.facts.isUncertain)
      world.report(`${node.certname}: no request of it is accepted`);
  });
  for (let attempt = 0; !isAllDeployed(world) && attempt < ATTEMPTS; attempt += 1) {
    if (!(await client.deploy())) await pause(RETRY_MS);
  }
  if (!isAllDeployed(world)) world.report('no deploy is accepted');
  await settle(world, ports);
}

function isAllDeployed({ repo, deployed }: ChaosWorld): boolean {
  return [...repo.newest].every(([file, number]) => deployed.get(file) === number);
}

async function settle(world: ChaosWorld, ports: RestPorts): Promise<void> {
  const began = performance.now();
  const boundMs = SETTLING_MS + world.nodes.length * SETTLING_MS_A_NODE;
  let left = await countWork(ports);
  while (left.length > 0 && performance.now() - began < boundMs) {
    world.log.note(`left: ${left.join(', ')}`);
    await pause(RETRY_MS);
    left = await countWork(ports);
  }
  world.figures.slowestSettlingMs = Math.max(world.figures.slowestSettlingMs, performance.now() - began);
  if (left.length > 0) {
    for (const node of await ports.stores.nodes.listOutstanding(Number.MAX_SAFE_INTEGER, MOST_SHOWN))
      world.log.note(`outstanding: ${JSON.stringify(node)}`);
    for (const row of (await listJobsLeft(ports)).slice(0, MOST_SHOWN)) world.log.note(`job: ${JSON.stringify(row)}`);
    world.report(`work is left after ${boundMs / 1000} s at rest: ${left.join(', ')}`);
  }
  await judgeDeadLetters(world, ports.stores);
}

/** A job is given up only when injected faults failed it again and again. */
async function judgeDeadLetters(world: ChaosWorld, { queue }: Stores): Promise<void> {
  for (const { id, content: job } of await queue.listDeadLetters(MOST_DEAD_LETTERS)) {
    if (world.judgedLetters.has(id)) continue;
    world.judgedLetters.add(id);
    world.figures.deadLetters += 1;
    const failed = world.countFailedJobs(job.certname ?? '');
    if (failed >= LEAST_FAILURES) continue;
    world.report(`${job.certname}: a dead letter after ${failed} injected faults: ${JSON.stringify(job)}`);
  }
}

/**
 * Jobs that have something to do. One that met the lease of its node's other job comes back when
 * that lease would end, minutes after the node was built, and is dropped.
 */
async function listJobsLeft({ database }: RestPorts): Promise<readonly Row[]> {
  const sql = `SELECT jobs.*, nodes.built, nodes.wanted FROM jobs LEFT JOIN nodes ON nodes.certname = jobs.certname
    WHERE queue <> 2`;
  const isLeft = ({ job, built, wanted }: Row) =>
    built === undefined ||
    built === null ||
    Number(built) < Math.max(Number(wanted), JSON.parse(String(job)).generation);
  return (await database.selectAll(sql)).filter(isLeft);
}

/** What is still to be done, in words; empty at rest. */
async function countWork(ports: RestPorts): Promise<readonly string[]> {
  const { stores, database } = ports;
  const { outstanding } = await stores.nodes.getCounts();
  // A message of a fan-out that is settled has nothing to do, and goes with the next deploy.
  const unsettled = (await stores.environments.list()).filter(({ settled, revision }) => settled < revision);
  const counts = {
    jobs: (await listJobsLeft(ports)).length,
    'outstanding nodes': outstanding,
    'changes of exports': (await database.get('SELECT count(*) AS n FROM export_changes'))?.n,
    'unsettled environments': unsettled.length,
  };
  return Object.entries(counts).flatMap(([name, number]) => (number === 0 ? [] : [`${number} ${name}`]));
}

/** Each node checks in without a change: it gets exactly what the model says, and no compile. */
export async function checkAtRest(
  world: ChaosWorld,
  client: ChaosClient,
  { stores }: RestPorts,
  chance: SeededChance,
): Promise<RestingCatalogs> {
  const catalogs = await withoutCompiles(world, stores, 'unchanged nodes checked in', () => askAll(world, client));
  const sample = world.nodes.map((node) => ({ node, at: chance.next() })).sort((one, other) => one.at - other.at);
  for (const { node } of sample.slice(0, SAMPLE)) {
    const text = catalogs.get(node.certname)?.toString('utf8');
    if (text === undefined) continue;
    world.figures.freshCompiles += 1;
    const fresh = await compileFresh(node, world.repo.directory, stores);
    if (isDeepStrictEqual(comparableCatalog(text), fresh)) continue;
    world.report(`${node.certname}: a fresh compile gives another catalog: ${JSON.stringify(fresh)}`);
  }
  return catalogs;
}

/** Nodes that check in again get the same bytes, without a compile. */
export async function checkSameAgain(
  world: ChaosWorld,
  client: ChaosClient,
  { stores }: RestPorts,
  before: RestingCatalogs,
): Promise<void> {
  const after = await withoutCompiles(world, stores, 'nodes asked again', () => askAll(world, client));
  for (const [certname, bytes] of before) {
    world.figures.reserved += 1;
    if (after.get(certname)?.equals(bytes) !== true)
      world.report(`${certname}: it got other bytes when it asked again`);
  }
}

/** A deploy that changes nothing that a node depends on leads to no compile. */
export async function checkUnusedDeploy(world: ChaosWorld, client: ChaosClient, ports: RestPorts): Promise<void> {
  await withoutCompiles(world, ports.stores, 'an unused file was deployed', async () => {
    world.repo.editUnused(`# ${world.figures.deploys}\n`);
    if (!(await client.deploy())) world.report('the deploy of an unused file failed');
    await settle(world, ports);
  });
}

async function askAll(world: ChaosWorld, client: ChaosClient): Promise<RestingCatalogs> {
  const catalogs = new Map<string, Buffer>();
  await inParallel(AT_ONCE, world.nodes, async (node) => {
    const bytes = await client.checkIn(node, node.facts.accepted, true);
    if (bytes === null) world.report(`${node.certname}: it gets no catalog at rest`);
    else catalogs.set(node.certname, bytes);
  });
  return catalogs;
}

async function withoutCompiles<T>(
  world: ChaosWorld,
  { nodes }: Stores,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const before = await countCompiles(nodes);
  const result = await work();
  for (const [certname, compiles] of await countCompiles(nodes)) {
    const more = compiles - (before.get(certname) ?? 0);
    if (more > 0) world.report(`${certname}: ${more} compiles though ${what}`);
  }
  return result;
}

async function countCompiles(nodes: Stores['nodes']): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let last: string | null = null; ; ) {
    const page = await nodes.list(last, NODES_A_PAGE);
    for (const { certname, compiles } of page) counts.set(certname, compiles);
    last = page.at(-1)?.certname ?? null;
    if (page.length < NODES_A_PAGE || last === null) return counts;
  }
}
