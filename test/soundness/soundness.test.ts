import { describe, expect, it } from 'vitest';
import { generateSubjects, seededRandom } from './generate.ts';
import { judge } from './judge.ts';
import { Laboratory, type Outcome, type State } from './subject.ts';

/** A sample of `npm run soundness`, and proof that it finds what a record leaves out. */
const SEEDS = [2, 3];

describe('the record of a compile', () => {
  it.each(SEEDS)('sees each change that changes the catalog: environment %d', (seed) => {
    const options = { most: 5, random: seededRandom(seed) };
    const { scores, faults } = judge(generateSubjects(seed), new Laboratory(null), options);
    expect(faults).toEqual([]);
    expect(scores.size).toBeGreaterThan(20);
    expect([...scores.values()].reduce((sum, { changed }) => sum + changed, 0)).toBeGreaterThan(40);
  });

  it.each<[string, (outcome: Outcome) => Outcome]>([
    ['facts', (outcome) => ({ ...outcome, inputs: { ...outcome.inputs, facts: {} } })],
    ['files', (outcome) => ({ ...outcome, inputs: { ...outcome.inputs, files: {} } })],
    ['keys of data', (outcome) => ({ ...outcome, inputs: { ...outcome.inputs, dataKeys: {} } })],
  ])('is found unsound when it has no %s', (_, forget) => {
    class Forgetful extends Laboratory {
      override compile(state: State): Outcome {
        return forget(super.compile(state));
      }
    }
    const options = { most: 2, random: seededRandom(2) };
    expect(judge(generateSubjects(2), new Forgetful(null), options).faults).not.toEqual([]);
  });
});
