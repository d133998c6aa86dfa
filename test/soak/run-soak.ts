import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClients } from '../chaos/chaos-clients.ts';
import { ServerLife } from '../chaos/server-life.ts';
import { VersionedRepo } from '../chaos/versioned-repo.ts';
import { SeededChance } from '../fuzz/seeded-chance.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { type ProcessSample, sampleProcess } from './process-sample.ts';
import { LoadCounts, runClient } from './soak-load.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly everySeconds: number;
  readonly clients: number;
  /** Gets each sample as it is taken. */
  readonly onSample: (sample: SoakSample) => void;
}

/** One row of the curve. */
export interface SoakSample extends ProcessSample {
  readonly second: number;
  /** Requests since the start. */
  readonly requests: number;
  /** Of the catalogs since the last row, in milliseconds; null without a catalog. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export interface SoakResult {
  readonly samples: readonly SoakSample[];
  /** The process after a time without load. */
  readonly idle: ProcessSample;
  readonly byStatus: Readonly<Record<string, number>>;
  /** What is wrong: the server ended, or something grows without end. */
  readonly faults: readonly string[];
}

const NODES = 24;
const NODES_WITH_DATA = 8;
const GROUPS = 4;
/** Idle connections are closed by then. */
const IDLE_MS = 40_000;
/** Descriptors and threads that an idle server may have more than at its start. */
const SPARE = 16;
/** The last third of a curve may lie above the second one by this share. */
const MOST_GROWTH = 0.15;
/** Shorter runs do not tell growth from warming up. */
const LEAST_SAMPLES = 15;

/** Runs a server under a mixed load and samples its process. */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-soak-'));
  const place = {
    data: join(folder, 'data'),
    controlRepo: join(folder, 'control-repo'),
    compileCache: join(folder, 'compile-cache'),
    port: await findFreePort(),
  };
  const names = Array.from({ length: NODES }, (_, index) => `n${String(index).padStart(2, '0')}.example.com`);
  const repo = new VersionedRepo(place.controlRepo, names.slice(0, NODES_WITH_DATA), GROUPS);
  const clients = await createClients(place.data, names);
  const server = new ServerLife(place, null, { onLine: () => undefined, onEvent: () => undefined });
  try {
    await server.untilListening();
    for (const certname of names) {
      const classification = { classes: [], parameters: { group: 'g1' }, environment: null };
      await clients.stores.nodes.classify(certname, classification, 'soak', clients.stores.clock.now());
    }
    return await measure(server, { clients, port: place.port, repo }, options);
  } finally {
    await server.kill();
    clients.stores.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  server: ServerLife,
  target: Parameters<typeof runClient>[0],
  { seed, minutes, everySeconds, clients, onSample }: SoakOptions,
): Promise<SoakResult> {
  const counts = new LoadCounts();
  const stopping = new AbortController();
  const before = sampleProcess(server.pid);
  const began = performance.now();
  const load = Array.from({ length: clients }, (_, index) =>
    runClient(target, new SeededChance(seed + index), counts, stopping.signal),
  );
  const samples: SoakSample[] = [];
  while (server.isAlive && performance.now() - began < 60_000 * minutes) {
    await Promise.race([server.ended, pause(1000 * everySeconds)]);
    if (!server.isAlive) break;
    const catalogs = counts.takeCatalogMs();
    const second = Math.round((performance.now() - began) / 1000);
    const { requests } = counts;
    const [p50Ms, p99Ms] = [findPercentile(catalogs, 0.5), findPercentile(catalogs, 0.99)];
    const sample = { second, ...sampleProcess(server.pid), requests, p50Ms, p99Ms };
    samples.push(sample);
    onSample(sample);
  }
  stopping.abort();
  await Promise.all(load);
  const byStatus = Object.fromEntries([...counts.byStatus].sort(([one], [other]) => one - other));
  if (!server.isAlive) return { samples, idle: before, byStatus, faults: ['the server ended under load'] };
  await pause(IDLE_MS);
  const idle = sampleProcess(server.pid);
  return { samples, idle, byStatus, faults: findGrowth(samples, before, idle) };
}

/** What grew: descriptors and threads of the idle process, and the memory of a long run. */
export function findGrowth(
  samples: readonly Pick<SoakSample, 'residentMb'>[],
  before: ProcessSample,
  idle: ProcessSample,
): readonly string[] {
  const faults: string[] = [];
  for (const name of ['descriptors', 'threads'] as const) {
    if (idle[name] > before[name] + SPARE) faults.push(`${name} grew from ${before[name]} to ${idle[name]} when idle`);
  }
  if (samples.length < LEAST_SAMPLES) return faults;
  const third = Math.floor(samples.length / 3);
  const mean = (some: readonly Pick<SoakSample, 'residentMb'>[]) =>
    some.reduce((sum, { residentMb }) => sum + residentMb, 0) / some.length;
  const [middle, last] = [mean(samples.slice(third, 2 * third)), mean(samples.slice(2 * third))];
  if (last > middle * (1 + MOST_GROWTH)) {
    faults.push(`memory grew from ${Math.round(middle)} MB in the second third to ${Math.round(last)} MB in the last`);
  }
  return faults;
}

function findPercentile(ascending: readonly number[], share: number): number | null {
  const value = ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)];
  return value === undefined ? null : Math.round(value);
}
