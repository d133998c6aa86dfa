/**
 * Programs that were made for one part of the language each, with what real Puppet made of them.
 */
import { describe, expect, it } from 'vitest';
import { findDifference, listJudgedFixtures, outcomeHere, readJudgedCases } from '../helpers/judged-cases.ts';
import type { GradedOutcome } from '../helpers/parity-score.ts';
import { ISSUES_WITHOUT_CASE } from './issues-without-case.ts';

describe.each(listJudgedFixtures())('%s', (name) => {
  const fixture = readJudgedCases(name);

  it.each(fixture.cases)('$id', (judged) => {
    expect(findDifference(judged, outcomeHere(fixture, judged))).toBeNull();
  });
});

describe("Puppet's issue catalogue", () => {
  const { issues = {}, cases } = readJudgedCases('issue-codes.json');
  const seen = new Set(cases.flatMap(({ outcome }) => codesOf(outcome)));

  it('has 171 issues', () => {
    expect(Object.keys(issues)).toHaveLength(171);
  });

  it.each(Object.entries(issues))('%s has a case, or a reason why it can have none', (_, code) => {
    expect(seen.has(code) || code in ISSUES_WITHOUT_CASE).toBe(true);
  });

  it('has a case for none of those that are said to have none', () => {
    expect(Object.keys(ISSUES_WITHOUT_CASE).filter((code) => seen.has(code))).toEqual([]);
  });
});

function codesOf({ error, logs = [] }: GradedOutcome): unknown[] {
  return [error?.issue_code, ...logs.map((entry) => entry.issue_code)];
}
