import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TimeBudget, TimeLimitExceeded } from '../../../../shared/puppet/ruby/channel.ts';
import { parseSchedstat, readProcessorWait, readThreadId } from '../../../../shared/puppet/ruby/processor-wait.ts';

/** Words that nobody changes, so that a wait ends with its budget. */
const words = () => new Int32Array(new SharedArrayBuffer(4));

it.each([
  ['never waited for a processor', [0, 0], 2],
  ['waited once', [3, 13, 13], 3],
  ['waited twice', [3, 13, 20, 20], 4],
])('ends a wait when the other side %s', (_what, waits, reads) => {
  let read = 0;
  const budget = new TimeBudget(501, () => waits[read++] ?? Number.NaN);
  expect(() => budget.wait(words(), 0, 0)).toThrow(TimeLimitExceeded);
  expect(read).toBe(reads);
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
