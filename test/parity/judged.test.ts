/**
 * Programs that were made for one part of the language each, with what real Puppet made of them.
 */
import { describe, expect, it } from 'vitest';
import { LEVELS } from '../../shared/puppet/levels/language.ts';
import { findDifference, listJudgedFixtures, outcomeHere, readJudgedCases } from '../helpers/judged-cases.ts';
import type { GradedOutcome } from '../helpers/parity-score.ts';
import { ISSUES_WITHOUT_CASE } from './issues-without-case.ts';

/** One test for all cases of a file: 3,700 tests of their own took longer than the cases. */
describe.each(LEVELS)('at the level %s', (level) => {
  it.each(listJudgedFixtures())('%s has what real Puppet or OpenVox makes of each', (name) => {
    const fixture = readJudgedCases(name);
    const cases = fixture.cases.filter(({ levels = LEVELS }) => levels.includes(level));
    expect(fixture.cases.length).toBeGreaterThan(0);
    const differing = cases
      .map((judged) => ({ id: judged.id, difference: findDifference(judged, outcomeHere(fixture, judged, level)) }))
      .filter(({ difference }) => difference !== null);
    expect(differing).toEqual([]);
  });
});

describe("Puppet's issue catalogue", () => {
  const { issues = {}, cases } = readJudgedCases('issue-codes.json');
  const seen = new Set(cases.flatMap(({ outcome }) => codesOf(outcome)));

  it('has 171 issues', () => {
    expect(Object.keys(issues)).toHaveLength(171);
  });

  it('has a case for each, or a reason why there can be none', () => {
    const without = Object.entries(issues).filter(([, code]) => !seen.has(code) && !(code in ISSUES_WITHOUT_CASE));
    expect(without).toEqual([]);
  });

  it('has a case for none of those that are said to have none', () => {
    expect(Object.keys(ISSUES_WITHOUT_CASE).filter((code) => seen.has(code))).toEqual([]);
  });
});

function codesOf({ error, logs = [] }: GradedOutcome): unknown[] {
  return [error?.issue_code, ...logs.map((entry) => entry.issue_code)];
}
