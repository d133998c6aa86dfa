import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import { openHerdAuthority } from './herd-authority.ts';
import { collectedNames, findFault, writeHerdCode } from './herd-code.ts';
import { type HerdAnswer, type HerdNode, readMetrics, requestCatalog } from './herd-node.ts';

export interface HerdOptions {
  readonly nodes: number;
  readonly workers: number;
  /** Connections at a time. */
  readonly sockets: number;
  /** The root of the sources whose server is measured; these by default. */
  readonly root?: string;
}

/** What happened. Times are in milliseconds. */
export interface HerdResult {
  /** Answers of the first round by status; 0: no answer. */
  readonly answers: ReadonlyMap<number, number>;
  /** 503 before the hold ended. */
  readonly earlyRefusals: number;
  /** When the last node had its first answer. */
  readonly tookMs: number;
  /** Latencies of `/status/v1/simple` during the first round, ascending. */
  readonly statusMs: readonly number[];
  /** The 99th percentile of the server's event loop lag in the first round. */
  readonly lagMs: number;
  /** From the last first answer until nothing more was queued, outstanding or announced. */
  readonly quietMs: number;
  readonly jobs: number;
  readonly compiles: number;
  /** Catalogs of the first round that lack something of the node's own, with the reason. */
  readonly faults: readonly string[];
  /** Nodes whose last catalog is not exactly what all nodes export. */
  readonly incomplete: readonly string[];
}

/** The default hold of a request, less a margin for the machine. */
const HOLD_MS = 118_000;
const QUIET_LIMIT_MS = 30 * 60_000;
/** Longer than changed exports wait for more of them. */
const STILL_MS = 20_000;
const GENERATED_AT_ONCE = 8;

/** Starts a server, and has new nodes that export and collect one type ask for catalogs at once. */
export async function runHerd(options: HerdOptions): Promise<HerdResult> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-herd-'));
  const [data, controlRepo] = [join(folder, 'data'), join(folder, 'control-repo')];
  try {
    writeHerdCode(controlRepo);
    const stores = openEmbeddedStores(data);
    try {
      const nodes = await makeNodes(options.nodes, data, stores);
      const server = await LocalProcess.start({ data, controlRepo, ...options });
      try {
        return await measure(nodes, options, server.port, data, stores);
      } finally {
        await server.end('SIGTERM');
      }
    } finally {
      stores.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeNodes(count: number, data: string, stores: Stores): Promise<readonly HerdNode[]> {
  const authority = await openHerdAuthority(data, stores);
  const numbers = Array.from({ length: count }, (_, index) => index);
  return inParallel(GENERATED_AT_ONCE, numbers, async (index): Promise<HerdNode> => {
    const certname = `node${String(index).padStart(5, '0')}.example.com`;
    return { index, ...(await authority.generate(certname, [], false)) };
  });
}

async function measure(
  nodes: readonly HerdNode[],
  { sockets }: HerdOptions,
  port: number,
  data: string,
  stores: Stores,
): Promise<HerdResult> {
  const [first] = nodes;
  if (first === undefined) throw new Error('a herd has at least one node');
  const ask = (node: HerdNode) => requestCatalog(node, port);
  // The lag is that since the last reading.
  await readMetrics(first, port);
  const probe = new Worker(new URL('./status-probe.ts', import.meta.url), { workerData: { port } });
  const began = performance.now();
  const answers = await inParallel(sockets, nodes, ask);
  const answered = performance.now();
  probe.postMessage('stop');
  const [times]: number[][] = await once(probe, 'message');
  const metrics = await readMetrics(first, port);
  await untilQuiet(data, stores);
  const quiet = performance.now();
  const last = await inParallel(sockets, nodes, ask);
  return {
    answers: new Map([...Map.groupBy(answers, ({ status }) => status)].map(([status, some]) => [status, some.length])),
    earlyRefusals: answers.filter(({ status, tookMs }) => status === 503 && tookMs < HOLD_MS).length,
    tookMs: answered - began,
    statusMs: (times ?? []).sort((a, b) => a - b),
    lagMs: 1000 * (metrics.get('nodejs_eventloop_lag_p99_seconds') ?? Number.NaN),
    quietMs: Math.max(0, quiet - answered - STILL_MS),
    jobs: countJobs(data),
    compiles: await countCompiles(stores),
    faults: nodes.flatMap((node, index) => describeFault(node, answers[index]) ?? []),
    incomplete: nodes.flatMap((node, index) => (isComplete(last[index], nodes) ? [] : [node.certname])),
  };
}

function describeFault({ certname, index }: HerdNode, answer: HerdAnswer | undefined): string | null {
  if (!answer?.catalog) return null;
  const fault = findFault(answer.catalog, certname, index);
  return fault === null ? null : `${certname}: ${fault}`;
}

function isComplete(answer: HerdAnswer | undefined, nodes: readonly HerdNode[]): boolean {
  if (!answer?.catalog) return false;
  const collected = collectedNames(answer.catalog);
  return collected.size === nodes.length && nodes.every(({ certname }) => collected.has(certname));
}

/** Waits until no job is left, no node outstanding and no changed export announced for a while. */
async function untilQuiet(data: string, stores: Stores): Promise<void> {
  const deadline = performance.now() + QUIET_LIMIT_MS;
  for (let since = performance.now(); performance.now() - since < STILL_MS; ) {
    if (performance.now() > deadline) throw new Error('the fleet did not become quiet');
    await setTimeout(500);
    const { waiting, express } = await stores.queue.getDepth();
    const left = waiting.visible + waiting.inFlight + express.visible + express.inFlight;
    const { outstanding } = await stores.nodes.getCounts();
    if (left + outstanding + readNumber(data, 'SELECT count(*) FROM export_changes') > 0) since = performance.now();
  }
}

/** Jobs that were ever put into the queue. */
function countJobs(data: string): number {
  return readNumber(data, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'jobs'");
}

async function countCompiles({ nodes }: Stores): Promise<number> {
  const all = await nodes.list(null, 1_000_000);
  return all.reduce((sum, { compiles }) => sum + compiles, 0);
}

function readNumber(data: string, sql: string): number {
  const database = new DatabaseSync(join(data, 'understudy.db'), { readOnly: true });
  const [value] = Object.values(database.prepare(sql).get() ?? {});
  database.close();
  return Number(value);
}
