import { describe, expect, it } from 'vitest';
import { CachedProgram } from '../../../../../shared/puppet/ruby/native/program-cache.ts';

/** Counts the calls that are left to Ruby before the next try, which fails. */
function skipUntilFailure(program: CachedProgram<string>): number {
  let skipped = 0;
  while (program.skip()) skipped += 1;
  program.count(true);
  return skipped;
}

describe('A program that Ruby had to run instead', () => {
  it('is tried again, less and less often', () => {
    const program = new CachedProgram('code');
    const pauses = Array.from({ length: 16 }, () => skipUntilFailure(program));
    expect(pauses).toEqual([0, 0, 0, 0, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096, 4096, 4096]);
  });

  it('is tried at each call after it ran once', () => {
    const program = new CachedProgram('code');
    for (let failure = 0; failure < 6; failure += 1) skipUntilFailure(program);
    while (program.skip());
    program.count(false);
    expect(program.skip()).toBe(false);
    expect([0, 1].map(() => skipUntilFailure(program))).toEqual([0, 16]);
  });

  it('is never tried when it does not compile', () => {
    expect(Array.from({ length: 10_000 }, () => new CachedProgram(null).skip())).not.toContain(false);
  });
});
