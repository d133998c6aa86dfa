import { existsSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { TimeBudget, TimeLimitExceeded } from '../../../../shared/puppet/ruby/channel.ts';
import { parseSchedstat, readProcessorWait, readThreadId } from '../../../../shared/puppet/ruby/processor-wait.ts';

/** Words that nobody changes, so that a wait ends with its budget. */
const words = () => new Int32Array(new SharedArrayBuffer(4));

afterEach(() => vi.restoreAllMocks());

it.each([
  ['never waited for a processor', [0, 0], 501],
  ['waited once', [3, 13, 13], 511],
  ['waited twice', [3, 13, 20, 20], 518],
])('ends a wait when the other side %s', (_what, waits, until) => {
  let now = 0;
  vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => BigInt(now * 1e6));
  vi.spyOn(Atomics, 'wait').mockImplementation((_words, _word, _value, timeout = 0) => {
    now += timeout;
    return 'timed-out';
  });
  const left = [...waits];
  const budget = new TimeBudget(501, () => left.shift() ?? Number.NaN);
  expect(() => budget.wait(words(), 0, 0)).toThrow(TimeLimitExceeded);
  expect([now, left]).toEqual([until, []]);
});

it('asks for no waits while answers come at once', () => {
  const budget = new TimeBudget(5, () => {
    throw new Error('asked');
  });
  expect(() => budget.wait(words(), 0, 1)).not.toThrow();
});

it('reads what a thread waited', () => {
  expect(parseSchedstat('1200345 2500000 7\n')).toBe(2.5);
  expect(parseSchedstat('')).toBe(0);
  expect(readProcessorWait(2 ** 30)).toBe(0);
});

it.skipIf(!existsSync('/proc/thread-self'))('knows its thread', () => {
  expect(existsSync(`/proc/${process.pid}/task/${readThreadId()}`)).toBe(true);
});
