import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { PostgresConnection } from '../../shared/store/postgres/connection.ts';
import { readDatabasePlace } from '../../shared/store/postgres/place.ts';
import { prepareTables } from '../../shared/store/postgres/schema.ts';
import { openPostgresStores, type PostgresStores } from '../../shared/store/postgres/stores.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import { runAgent } from '../chaos/chaos-agent.ts';
import { prepareClients } from '../chaos/chaos-clients.ts';
import { type ChaosFigures, ChaosWorld, createFigures } from '../chaos/chaos-world.ts';
import { bringToRest, checkAtRest, checkSameAgain } from '../chaos/rest-check.ts';
import { SeededChance } from '../fuzz/seeded-chance.ts';
import { Balancer } from './balancer.ts';
import { CertificateModel } from './certificate-model.ts';
import { PostgresPair } from './postgres-pair.ts';
import { Operator, REAL_MANIFEST, REAL_NODES, RealAgent, readCertificates } from './real-agents.ts';
import { findServerPorts, ServerFleet } from './server-fleet.ts';
import { ServersClient } from './servers-client.ts';

export interface ServersOptions {
  readonly seed: number;
  readonly servers: number;
  /** Simulated nodes. */
  readonly nodes: number;
  /** Nodes with the installed Puppet and a PXP agent. */
  readonly realAgents: number;
  /** Disturbances, one after another. */
  readonly disturbances: number;
  /** Disturbances end at this time, by `performance.now()`. */
  readonly until: number;
  readonly logFile: string;
  /** The folder for all files: on a disk, for PostgreSQL syncs. */
  readonly parent: string;
}

export interface ServersResult {
  readonly figures: ChaosFigures;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly certificates: number;
  readonly revoked: number;
  readonly longestWaitMs: number;
  /** Good runs of real agents, and the longest time between two of one. */
  readonly realRuns: number;
  readonly longestRealPauseMs: number;
  /** Jobs that ran a command on all real agents, once on each. */
  readonly jobs: number;
  readonly violations: readonly string[];
}

const AGENTS = 4;
const LOG_MS = 10_000;
/** The balancer has looked at all servers by then. */
const BALANCED_MS = 2000;
/** A node may ask in vain for as long as the database is away, and this long. */
const WAIT_BOUND_MS = 30_000;
const LONGEST_OUTAGE_MS = 8_000;
const JOB_PAUSE_MS = 2000;
/** A lease, an outage, and the time until an agent has come back to another server. */
const LONGEST_JOB_SECONDS = 90;
const KINDS = ['kill a server', 'stop a server', 'fail over', 'restart the database', 'kill two servers'] as const;

/**
 * Runs servers over a PostgreSQL with a synchronous standby, behind haproxy, under agents, deploys
 * and certificate requests. One after another, a server, the primary or several are taken away.
 * Everything is compared with a model.
 */
export async function runServers(options: ServersOptions): Promise<ServersResult> {
  const folder = mkdtempSync(join(options.parent, 'understudy-servers-'));
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  const pair = await PostgresPair.start(join(folder, 'postgres'));
  const closers: (() => void | Promise<void>)[] = [() => pair.stop()];
  try {
    return await runOver(pair, folder, options, closers);
  } finally {
    for (const close of closers.toReversed()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOver(
  pair: PostgresPair,
  folder: string,
  { seed, servers, nodes, realAgents, disturbances, until, logFile }: ServersOptions,
  closers: (() => void | Promise<void>)[],
): Promise<ServersResult> {
  const chance = new SeededChance(seed);
  const world = new ChaosWorld(join(folder, 'control-repo'), createFigures(), nodes);
  // A run that is cut off has its log, too.
  const writing = setInterval(() => world.log.write(logFile), LOG_MS);
  closers.push(() => clearInterval(writing));
  const stores = await openDatabase(pair.url, folder);
  closers.push(() => stores.close());
  const fleet = await ServerFleet.prepare(folder, pair.url, servers, world);
  const names = world.nodes.map(({ certname }) => certname);
  const clients = await prepareClients(stores, openKeyFileVault(fleet.caKeyFile, false), names, true);
  closers.push(() => fleet.stop());
  await Promise.all(fleet.backends.map((backend) => fleet.start(backend)));
  const front = await findServerPorts();
  const { port } = front;
  const balancer = Balancer.start(folder, front, fleet.backends);
  closers.push(() => balancer.stop());
  const client = new ServersClient(world, clients, port, stores);
  const certificates = new CertificateModel(world, port, clients.administrator);
  separateRealNodes(world.repo.directory);
  await client.deploy();
  await pause(BALANCED_MS);
  const real: RealAgent[] = [];
  for (let number = 1; number <= realAgents; number += 1) {
    const agent = await RealAgent.join(`real${number}.example.com`, front);
    closers.push(() => agent.pxp.kill());
    real.push(agent);
  }
  const operator = realAgents === 0 ? null : await Operator.open(stores, front, await readCertificates(stores));
  let [realRuns, longestRealPauseMs, jobs] = [0, 0, 0];
  const noteRun = (sinceMs: number) => {
    realRuns += 1;
    longestRealPauseMs = Math.max(longestRealPauseMs, sinceMs);
  };
  await inParallel(AGENTS, world.nodes, (node) => client.move(node, node.group.accepted));
  await inParallel(AGENTS, world.nodes, (node) => client.checkIn(node, node.facts.accepted));
  world.isServerUp = true;
  const stopping = new AbortController();
  const working = [
    ...Array.from({ length: AGENTS }, () =>
      runAgent(world, client, new SeededChance(chance.below(2 ** 31)), stopping.signal),
    ),
    keepIssuing(certificates, stopping.signal),
    keepOrdering(world, real, operator, stopping.signal, () => {
      jobs += 1;
    }),
    ...real.map((agent) => agent.keepRunning(stopping.signal, noteRun)),
  ];
  const done: Record<string, number> = {};
  try {
    for (
      let number = 0;
      number < disturbances && performance.now() < until && world.violations.length === 0;
      number += 1
    ) {
      const kind = number < KINDS.length ? (KINDS[number] ?? 'fail over') : chance.of(KINDS);
      done[kind] = (done[kind] ?? 0) + 1;
      world.log.note(`DISTURBANCE ${kind}`);
      await disturb(kind, pair, fleet, chance);
      await pause(3000 + chance.below(4000));
    }
  } finally {
    stopping.abort();
    await Promise.all(working);
  }
  const ports = { stores, database: stores.database };
  await bringToRest(world, client, ports);
  const catalogs = await checkAtRest(world, client, ports, chance);
  await checkSameAgain(world, client, ports, catalogs);
  await certificates.check();
  await checkRealAgents(world, real, operator);
  if (client.longestWaitMs > LONGEST_OUTAGE_MS + WAIT_BOUND_MS) {
    world.report(`a node asked in vain for ${Math.round(client.longestWaitMs / 1000)} s`);
  }
  if (world.violations.length > 0) world.log.write(logFile);
  return {
    figures: world.figures,
    disturbances: done,
    certificates: certificates.issued,
    revoked: certificates.revoked,
    longestWaitMs: client.longestWaitMs,
    realRuns,
    longestRealPauseMs,
    jobs,
    violations: world.violations,
  };
}

/** Prepares the database, and opens it as a command does. */
export async function openDatabase(url: string, directory: string): Promise<PostgresStores> {
  const database = new PostgresConnection(readDatabasePlace(url), { connections: 1, name: 'prepare' });
  await prepareTables(database);
  await database.close();
  return openPostgresStores(url, { directory, connections: 4, isCommand: true });
}

/** Real nodes have a catalog of their own, which the model does not know. */
function separateRealNodes(directory: string): void {
  const site = join(directory, 'environments/production/manifests/site.pp');
  writeFileSync(site, `if ${REAL_NODES} {\n  ${REAL_MANIFEST}\n} else {\n  include chaos\n}\n`);
}

/** Each can run, and its PXP agent has come back to some server. */
async function checkRealAgents(
  world: ChaosWorld,
  real: readonly RealAgent[],
  operator: Operator | null,
): Promise<void> {
  if (operator === null) return;
  const names = real.map(({ puppet }) => puppet.certname);
  const outputs = await operator.runCommand('echo well', names);
  for (const name of names)
    if (outputs[name] !== 'well\n') world.report(`${name} did not run a command: ${outputs[name]}`);
  for (const agent of real) {
    const { code, output } = await agent.run();
    if (code !== 0 && code !== 2) world.report(`${agent.puppet.certname} ran with ${code}: ${output.slice(-500)}`);
  }
}

async function disturb(
  kind: (typeof KINDS)[number],
  pair: PostgresPair,
  fleet: ServerFleet,
  chance: SeededChance,
): Promise<void> {
  const [first, second] = fleet.backends.toSorted(() => chance.next() - 0.5);
  if (first === undefined) return;
  if (kind === 'fail over') {
    await pair.failOver(1000 + chance.below(3000));
    await pause(2000);
    await pair.repair();
  } else if (kind === 'restart the database') await pair.restart(1000 + chance.below(4000));
  else {
    const victims = kind === 'kill two servers' && second !== undefined ? [first, second] : [first];
    const signal = kind === 'stop a server' ? 'SIGTERM' : 'SIGKILL';
    await Promise.all(victims.map((one) => fleet.end(one, signal)));
    await pause(chance.below(6000));
    await Promise.all(victims.map((one) => fleet.start(one)));
  }
}

/** Runs jobs on all real agents, one after another: each ends, and runs once on each node. */
async function keepOrdering(
  world: ChaosWorld,
  real: readonly RealAgent[],
  operator: Operator | null,
  signal: AbortSignal,
  onJob: () => void,
): Promise<void> {
  const names = real.map(({ puppet }) => puppet.certname);
  for (let number = 0; operator !== null && !signal.aborted; number += 1) {
    const began = performance.now();
    const outputs = await operator.runCommand(`echo ${number}`, names);
    for (const name of names)
      if (outputs[name] !== `${number}\n`) world.report(`${name}: job ${number} gave ${JSON.stringify(outputs[name])}`);
    const seconds = Math.round((performance.now() - began) / 1000);
    if (seconds > LONGEST_JOB_SECONDS) world.report(`job ${number} took ${seconds} s`);
    onJob();
    await pause(JOB_PAUSE_MS);
  }
}

async function keepIssuing(certificates: CertificateModel, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number += 1) {
    await certificates.step(number);
    await pause(1500);
  }
}
