import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { DEFAULT_EXPORT_TIMING } from '../../../shared/fleet/compiles/export-interval.ts';
import { WorkerPool } from '../../../shared/local/worker-pool.ts';
import type { ReceivedCompileJob } from '../../../shared/store/ports/compile-queue.ts';
import { systemClock } from '../../../shared/store/system-clock.ts';

/** A worker that runs `body` once it started; `parentPort` is at hand. */
function workerModule(body: string): URL {
  return new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${body}`)}`,
  );
}

function startPool(
  body: string,
  limitMs: number,
  connect = () => ({ directory: '', writes: new MessageChannel().port1 }),
) {
  const pauses: number[] = [];
  const crashes: string[] = [];
  const jobs: (ReceivedCompileJob | null)[] = [];
  const messages: string[] = [];
  const pool = new WorkerPool({
    module: workerModule(body),
    count: 1,
    settings: {
      server: { name: 'puppet', ip: '127.0.0.1' },
      ruby: { host: 'wasm', user: null, memoryLimitBytes: null },
      limitMs,
      timing: DEFAULT_EXPORT_TIMING,
      maxLoad: null,
      strictness: { language: 'openvox-8', strict: 'error', strictVariables: true },
    },
    connect,
    clock: {
      ...systemClock,
      sleep: (pauseMs) => {
        pauses.push(pauseMs);
        return systemClock.sleep(10);
      },
    },
    limitMs,
    onMessage: (message) => messages.push(message.kind),
    onCrash: (error, job) => {
      crashes.push(error instanceof Error ? error.message : String(error));
      jobs.push(job);
    },
  });
  return { pool, pauses, crashes, jobs, messages };
}

const JOB: ReceivedCompileJob = {
  job: { certname: 'web.example.com', generation: 1, reason: 'x', at: 1 },
  id: '7',
  receipt: '7.1',
  queue: 'express',
  receiveCount: 1,
};
const BEGIN = `parentPort.postMessage(${JSON.stringify({ kind: 'began', job: JOB })});`;
const FAULT = `parentPort.postMessage({ kind: 'fault', certname: null, message: 'x' });`;

it('ends a worker whose compile takes too long, and starts another', async () => {
  const { pool, crashes } = startPool(`${BEGIN} for (;;);`, 200);
  await expect.poll(() => crashes.length).toBeGreaterThan(1);
  expect(crashes[0]).toBe('the compile of web.example.com took longer than 200 ms');
  await pool.stop(0);
});

it('hands on news, and does not mind a worker that waits for long', async () => {
  const { pool, crashes, messages } = startPool(
    `${BEGIN} ${FAULT} parentPort.once('message', () => process.exit(0));`,
    200,
  );
  await expect.poll(() => messages).toEqual(['fault']);
  await systemClock.sleep(400);
  expect(crashes).toEqual([]);
  await pool.stop(5000);
});

it('starts a worker again that died', async () => {
  const { pool, crashes } = startPool(`throw new Error('out of memory');`, 1000);
  await expect.poll(() => crashes.length).toBeGreaterThan(1);
  expect(crashes[0]).toBe('out of memory');
  await pool.stop(0);
});

it('pauses longer and longer while no worker can start, and starts them when they can', async () => {
  let descriptors = -8;
  const { pool, pauses, crashes, messages } = startPool(`${FAULT} setInterval(() => {}, 1000);`, 1000, () => {
    descriptors += 1;
    if (descriptors <= 0) throw new Error('EMFILE: too many open files');
    return { directory: '', writes: new MessageChannel().port1 };
  });
  await expect.poll(() => messages).toEqual(['fault']);
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  expect(new Set(crashes)).toEqual(new Set(['EMFILE: too many open files']));
  await pool.stop(0);
});

it('pauses shortly again after a worker that worked', async () => {
  const { pool, pauses } = startPool(`${FAULT} setImmediate(() => { throw new Error('x'); });`, 1000);
  await expect.poll(() => pauses.length).toBeGreaterThan(2);
  expect(new Set(pauses)).toEqual(new Set([1000]));
  await pool.stop(0);
});

it.each([
  ['at it', `${BEGIN} setImmediate(() => { throw new Error('x'); });`, JOB],
  ['done with it', `${BEGIN} ${FAULT} setImmediate(() => { throw new Error('x'); });`, null],
])('tells which job a worker had that died while it was %s', async (_, body, job) => {
  const { pool, jobs } = startPool(body, 10_000);
  await expect.poll(() => jobs.length).toBeGreaterThan(0);
  await pool.stop(0);
  expect(jobs[0]).toEqual(job);
});
