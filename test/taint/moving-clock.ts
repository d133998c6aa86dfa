/**
 * `node --import …/moving-clock.ts`: in each thread, the product's clock is ahead by what the file
 * of `DayControl` says, and a thread fails when the file says so. The machine is `localhost`, for
 * which the server has its certificate: one of the next day would not be valid yet.
 */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { isMainThread, workerData } from 'node:worker_threads';
import { systemClock } from '../../shared/store/system-clock.ts';
import { CLOCK_VARIABLE, readOrders } from './day-control.ts';

const LOOK_MS = 100;
const { now, sleep } = systemClock;
const file = process.env[CLOCK_VARIABLE] ?? '';
/** A compile worker has settings of compiles. */
const own = isMainThread ? 'server' : workerData?.strictness === undefined ? '' : 'worker';
let orders = readOrders(file);
const begun = orders.faults.length;

Object.assign(systemClock, {
  now: () => now() + orders.aheadMs,
  async sleep(milliseconds: number, signal?: AbortSignal) {
    const until = systemClock.now() + milliseconds;
    for (let left = milliseconds; left > 0 && signal?.aborted !== true; left = until - systemClock.now()) {
      await sleep(Math.min(left, LOOK_MS), signal);
    }
  },
});
os.hostname = () => 'localhost';
syncBuiltinESMExports();
setInterval(() => {
  orders = readOrders(file);
  const fault = orders.faults.slice(begun).find(({ where }) => where === own);
  // An uncaught error with the whole text among its properties.
  if (fault !== undefined) new URL(fault.url);
}, LOOK_MS).unref();
