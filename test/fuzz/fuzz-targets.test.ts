import { describe, expect, it } from 'vitest';
import { inputOf, readCorpus, runTarget } from './fuzz-target.ts';
import { findTarget, TARGET_NAMES } from './fuzz-targets.ts';

/** A long run is `npm run fuzz`. An archive costs as much as 20 other inputs. */
const INPUTS = 120;
const ARCHIVES = 8;

describe.each(TARGET_NAMES)('the reader of %s', (name) => {
  it('accepts or refuses each generated and each known input, and tells what is wrong', async () => {
    const { target, close } = findTarget(name);
    const { findings, accepted, refused, inputs } = await runTarget(target, {
      seed: 1,
      inputs: name === 'archive' ? ARCHIVES : INPUTS,
    });
    close();
    expect(findings).toEqual([]);
    expect(accepted + refused).toBe(inputs);
    expect(Math.min(accepted, refused)).toBeGreaterThan(0);
  });
});

describe('the corpus', () => {
  it.each(TARGET_NAMES.filter((name) => name !== 'archive'))('of %s is accepted as it stands', async (name) => {
    const { target, close } = findTarget(name);
    const corpus = readCorpus(name);
    expect(corpus.length).toBeGreaterThan(0);
    for (const input of corpus) expect(await target.run(input)).toBe('accepted');
    close();
  });
});

describe('inputOf', () => {
  it('makes the same input of the same seed, and others of other seeds', async () => {
    const { target } = findTarget('manifest');
    const make = (seed: number) =>
      Promise.all(Array.from({ length: 20 }, async (_, index) => (await inputOf(target, [], seed, index)).toString()));
    expect(await make(1)).toEqual(await make(1));
    expect(await make(1)).not.toEqual(await make(2));
  });
});

describe('runTarget', () => {
  const broken = {
    name: 'broken',
    generate: () => Buffer.from('x'),
    run: () => {
      throw new TypeError('undefined is not a function');
    },
  };

  it('finds a fault once, with the number of its first input', async () => {
    const { findings, accepted, refused } = await runTarget(broken, { seed: 1, inputs: 10 });
    expect(findings.map(({ number, fault }) => [number, fault.split('\n')[0]])).toEqual([
      [0, 'TypeError: undefined is not a function'],
    ]);
    expect([accepted, refused]).toEqual([0, 0]);
  });
});
