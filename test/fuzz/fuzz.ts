/**
 * `npm run fuzz [-- --seconds N | --nightly] [--seed N] [--target NAME]… [--requests N]`: feeds
 * each reader of foreign input with generated and mutated inputs: manifests, templates, Hiera data,
 * facts, certificate requests, archives, HTTP requests and PCP frames. The readers get `--seconds`
 * together (60 by default; `--nightly`: 10 minutes); `--requests` malformed requests follow (20,000
 * by default; `--nightly`: 100,000), then 100,000 PCP frames, and 10,000 connections with WebSocket
 * frames. Prints a table; exits with 1 on a finding, which `--target NAME --seed N --input NUMBER`
 * repeats.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { fuzzBroker } from './fuzz-broker.ts';
import { fuzzFrontDoor } from './fuzz-front-door.ts';
import { inputOf, readCorpus, type TargetFigures } from './fuzz-target.ts';
import { findTarget, TARGET_NAMES } from './fuzz-targets.ts';
import type { FuzzThreadData } from './fuzz-thread.ts';
import { fuzzWebSockets } from './fuzz-web-sockets.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    requests: { type: 'string' },
    nightly: { type: 'boolean', default: false },
    target: { type: 'string', multiple: true },
    input: { type: 'string' },
  },
});

/** An input that takes more CPU hangs. Time on the wall says little on a busy machine. */
const HANG_CPU_MS = 30_000;
/** An input that takes longer waits for something that does not come. */
const HANG_MS = 300_000;
const POLL_MS = 500;
const FRAMES = 100_000;
const CONNECTIONS = 10_000;
const SHOWN = 600;

const seed = Number(options.seed);
const seconds = Number(options.seconds ?? (options.nightly ? 600 : 60));
const requests = Number(options.requests ?? (options.nightly ? 100_000 : 20_000));
const print = (line: string) => process.stdout.write(`${line}\n`);

if (options.input === undefined) process.exitCode = (await fuzzAll()) > 0 ? 1 : 0;
else await repeat(options.target?.[0] ?? '', Number(options.input));

/** Returns the number of findings. */
async function fuzzAll(): Promise<number> {
  const names = options.target ?? TARGET_NAMES;
  let findings = 0;
  print('target       inputs accepted  refused  slowest  findings');
  for (const name of names) findings += await fuzzInThread(name, seconds / names.length);
  if (options.target === undefined) findings += (await fuzzRequests()) + fuzzFrames() + (await fuzzConnections());
  return findings;
}

async function fuzzInThread(target: string, budget: number): Promise<number> {
  const progress = new SharedArrayBuffer(4);
  const workerData: FuzzThreadData = { target, seed, inputs: 10_000_000, seconds: budget, progress };
  const worker = new Worker(new URL('./fuzz-thread.ts', import.meta.url), { workerData });
  const figures = await Promise.race([
    new Promise<TargetFigures>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
      worker.once('exit', (code) => reject(new Error(`the thread of '${target}' ended with code ${code}`)));
    }),
    untilHang(worker, new Int32Array(progress)),
  ]).catch((error: unknown) => String(error));
  await worker.terminate();
  if (typeof figures !== 'object') {
    const number = new Int32Array(progress)[0];
    print(`${target}: ${figures}; npm run fuzz -- --target ${target} --seed ${seed} --input ${number} repeats it`);
    return 1;
  }
  const { inputs, accepted, refused, slowestMs, findings } = figures;
  const columns = [inputs, accepted, refused].map((value) => String(value).padStart(8));
  print(
    `${target.padEnd(10)} ${columns.join(' ')} ${`${Math.round(slowestMs)} ms`.padStart(8)} ${String(findings.length).padStart(9)}`,
  );
  for (const { number, fault } of findings) {
    print(`  input ${number}: ${fault.slice(0, SHOWN)}`);
    print(`  npm run fuzz -- --target ${target} --seed ${seed} --input ${number} repeats it`);
  }
  return findings.length;
}

/** Resolves with the news when an input takes too long. */
async function untilHang(worker: Worker, present: Int32Array): Promise<string> {
  let [last, since, usedBefore] = [-1, 0, 0];
  for (;;) {
    await pause(POLL_MS, null, { ref: false });
    const now = Atomics.load(present, 0);
    // A thread in native code may not answer.
    const usage = await Promise.race([readUsage(worker), pause(HANG_MS, null, { ref: false })]);
    if (usage === null) return `input ${now} took more than ${HANG_MS / 1000} s`;
    const used = (usage.user + usage.system) / 1000;
    if (now !== last) [last, since, usedBefore] = [now, performance.now(), used];
    if (used - usedBefore > HANG_CPU_MS) return `input ${now} took more than ${HANG_CPU_MS / 1000} s of CPU`;
    if (performance.now() - since > HANG_MS) return `input ${now} took more than ${HANG_MS / 1000} s`;
  }
}

/** The CPU of the thread; none of a thread that has ended: its figures are under way. */
function readUsage(worker: Worker): Promise<NodeJS.CpuUsage> {
  return worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
}

/** Runs one input in this thread, and prints it with what came of it. */
async function repeat(name: string, number: number): Promise<void> {
  const { target, close } = findTarget(name);
  const input = await inputOf(target, readCorpus(name), seed, number);
  print(`${input.toString('base64')}\n\n${input.toString('utf8')}\n`);
  print(JSON.stringify(await target.run(input)));
  close();
}

async function fuzzRequests(): Promise<number> {
  const { faults, unlogged, heapGrowth, unsendable, byStatus } = await fuzzFrontDoor(requests, seed);
  print(`\n${requests} requests, ${unsendable} of them with an invalid URL: ${JSON.stringify(byStatus)}`);
  print(`faults: ${faults.length}, answers of 500 without a log entry: ${unlogged.length}`);
  print(`heap kept after the second half: ${Math.round(heapGrowth / 1024)} KiB`);
  for (const { request, cause } of faults.slice(0, 5)) {
    print(`${request.method} ${request.url.slice(0, SHOWN)}\n  ${causeText(cause)}`);
  }
  return faults.length + unlogged.length;
}

function fuzzFrames(): number {
  const { byAnswer, faults, disturbances } = fuzzBroker(FRAMES, seed);
  print(`\n${FRAMES} frames to the PCP broker: ${JSON.stringify(byAnswer)}`);
  print(`faults: ${faults.length}, disturbances of others: ${disturbances}`);
  for (const { frame, cause } of faults.slice(0, 5)) print(`${frame}\n  ${causeText(cause)}`);
  return faults.length + disturbances;
}

/** WebSockets to the PCP broker. */
async function fuzzConnections(): Promise<number> {
  const { byEnd, disturbances, left } = await fuzzWebSockets(CONNECTIONS, seed);
  print(`\n${CONNECTIONS} connections to the PCP broker: ${JSON.stringify(byEnd)}`);
  print(`connections left: ${left}, disturbances of others: ${disturbances}`);
  return left + disturbances;
}

function causeText(cause: unknown): string {
  const [, error] = Array.isArray(cause) ? cause : [cause, cause];
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
