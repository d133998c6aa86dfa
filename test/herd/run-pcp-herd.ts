import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { openHerdAuthority } from './herd-authority.ts';
import { writeHerdCode } from './herd-code.ts';
import { type HerdNode, requestCatalog } from './herd-node.ts';
import type { AgentsOrder, AgentsState } from './pcp-agents.ts';

export interface PcpHerdOptions {
  readonly agents: number;
  /** Nodes that ask for catalogs, again and again, each over a new connection. */
  readonly nodes: number;
  /** What the agents' waits are multiplied with. */
  readonly timeScale: number;
  /** How the server ends before it is started again. */
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** Flags of the server. */
  readonly flags?: readonly string[];
}

/** What happened from the restart until all agents were back. Times are in milliseconds. */
export interface PcpHerdResult {
  /** Catalogs by status; 0: no answer. */
  readonly answers: ReadonlyMap<number, number>;
  /** Ascending. */
  readonly catalogMs: readonly number[];
  /** The same for a while after that, when nobody connects any more. */
  readonly calmMs: readonly number[];
  readonly backMs: number;
  /** Connections that agents made, and tries that failed. */
  readonly connects: number;
  readonly failures: number;
}

const AGENTS_IN_ONE_PROCESS = 500;
const LOOK_MS = 100;
const CATALOG_PAUSE_MS = 100;
const LIMIT_MS = 15 * 60_000;
const CALM_MS = 20_000;

/**
 * Starts a server with agents, ends it, and starts it again: the agents come back at once, while
 * other nodes ask for catalogs.
 */
export async function runPcpHerd(options: PcpHerdOptions): Promise<PcpHerdResult> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-pcp-herd-'));
  const place = { data: join(folder, 'data'), controlRepo: join(folder, 'control-repo') };
  writeHerdCode(place.controlRepo);
  const stores = openEmbeddedStores(place.data);
  const agents: ChildProcess[] = [];
  try {
    return await measure(options, place, stores, agents);
  } finally {
    for (const one of agents) one.disconnect();
    stores.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  { agents: count, nodes, timeScale, signal, flags = [] }: PcpHerdOptions,
  place: { readonly data: string; readonly controlRepo: string },
  stores: EmbeddedStores,
  agents: ChildProcess[],
): Promise<PcpHerdResult> {
  const authority = await openHerdAuthority(place.data, stores);
  const issue = async (index: number): Promise<HerdNode> => {
    return { index, ...(await authority.generate(`node${index}.example.com`, [], false)) };
  };
  const asking = await Promise.all(Array.from({ length: nodes }, (_, index) => issue(index)));
  const own = await issue(nodes);
  const [port, pcpPort] = [await findFreePort(), await findFreePort()];
  const start = () => LocalProcess.start({ ...place, port, flags: ['--pcp-port', String(pcpPort), ...flags] });
  let server = await start();
  try {
    await server.waitFor(/wss:\/\/localhost:\d+\/pcp2/);
    for (let first = 0; first < count; first += AGENTS_IN_ONE_PROCESS) {
      const share = Math.min(AGENTS_IN_ONE_PROCESS, count - first);
      const order = { ...own, port: pcpPort, trusted: authority.certificatePem, first, count: share, timeScale };
      agents.push(startAgents(order));
    }
    await waitForAll(agents, count);
    const before = await readState(agents);
    // After the restart, no catalog waits for its first compile.
    await Promise.all(asking.map((node) => requestCatalog(node, port)));
    await server.end(signal);
    server = await start();
    const began = performance.now();
    const stopping = new AbortController();
    const asked = Promise.all(asking.map((node) => askOn(node, port, stopping.signal)));
    await waitForAll(agents, count, before.connects + count);
    const backMs = performance.now() - began;
    stopping.abort();
    const answers = (await asked).flat();
    const calm = AbortSignal.timeout(timeScale * CALM_MS);
    const calmAnswers = (await Promise.all(asking.map((node) => askOn(node, port, calm)))).flat();
    const { connects, failures } = await readState(agents);
    const byStatus = Map.groupBy(answers, ({ status }) => status);
    return {
      answers: new Map([...byStatus].map(([status, some]) => [status, some.length])),
      catalogMs: sortTimes(answers),
      calmMs: sortTimes(calmAnswers),
      backMs,
      connects: connects - before.connects,
      failures: failures - before.failures,
    };
  } finally {
    await server.end('SIGKILL');
  }
}

/** Asks for the node's catalog until the signal aborts, once at least. */
async function askOn(node: HerdNode, port: number, signal: AbortSignal) {
  const answers: { readonly status: number; readonly tookMs: number }[] = [];
  do {
    const { status, tookMs } = await requestCatalog(node, port);
    answers.push({ status, tookMs });
    await setTimeout(CATALOG_PAUSE_MS);
  } while (!signal.aborted);
  return answers;
}

function sortTimes(answers: readonly { readonly tookMs: number }[]): readonly number[] {
  return answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
}

function startAgents(order: AgentsOrder): ChildProcess {
  const child = fork(join(import.meta.dirname, 'pcp-agents.ts'));
  child.send(order);
  return child;
}

async function waitForAll(agents: readonly ChildProcess[], count: number, connects = 0): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const state = await readState(agents);
    if (state.open === count && state.connects >= connects) return;
    if (performance.now() > deadline) throw new Error(`only ${state.open} of ${count} agents are connected`);
    await setTimeout(LOOK_MS);
  }
}

async function readState(agents: readonly ChildProcess[]): Promise<AgentsState> {
  const states = await Promise.all(
    agents.map(async (child): Promise<AgentsState> => {
      child.send('state');
      const [state] = await once(child, 'message');
      return state;
    }),
  );
  const sum = (read: (state: AgentsState) => number) => states.reduce((total, state) => total + read(state), 0);
  return { open: sum(({ open }) => open), connects: sum((s) => s.connects), failures: sum((s) => s.failures) };
}
