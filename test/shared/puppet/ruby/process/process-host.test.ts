import { describe, expect, it } from 'vitest';
import { processWeaknesses } from '../../../../../shared/puppet/ruby/process/process-host.ts';

describe('processWeaknesses', () => {
  const same = expect.stringMatching(/^Ruby runs as the user of the compiler: /);

  it.each([
    ['the same user', {}, true],
    ['the same user by number', { user: { uid: 1000, gid: 1000 } }, true],
    ['root', { user: { uid: 0, gid: 0 } }, true],
    ['another user', { user: { uid: 1001, gid: 1001 } }, false],
  ])('tells of %s', (_what, options, isTold) => {
    const told = processWeaknesses(options, 1000);
    expect(told).toHaveLength(isTold ? 3 : 2);
    if (isTold) expect(told[0]).toEqual(same);
  });
});
