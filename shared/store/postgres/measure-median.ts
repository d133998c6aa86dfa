import { performance } from 'node:perf_hooks';

const MEASUREMENTS = 9;

/**
 * The median time of some calls, in milliseconds. The first call, which may be slower, does not
 * count.
 */
export async function measureMedian(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run <= MEASUREMENTS; run += 1) {
    const before = performance.now();
    await call();
    times.push(performance.now() - before);
  }
  return times.slice(1).toSorted((a, b) => a - b)[Math.floor(MEASUREMENTS / 2)] ?? 0;
}
