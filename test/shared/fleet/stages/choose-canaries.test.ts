import { describe, expect, it } from 'vitest';
import { pickCanaries } from '../../../../shared/fleet/stages/choose-canaries.ts';
import { createStagePlan, parseCanaries } from '../../../../shared/fleet/stages/stage-plan.ts';

const names = (role: string, count: number) => Array.from({ length: count }, (_, index) => `${role}${index}`);
const roleOf = (name: string) => name.replace(/\d+$/, '');
const countRoles = (chosen: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(chosen, roleOf)].map(([role, { length }]) => [role, length]).sort());

describe('the choice of canaries', () => {
  const groups = new Map([
    ['a', names('web', 80)],
    ['b', names('db', 20)],
    ['c', names('mail', 1)],
  ]);

  it.each([
    [1, { web: 1 }],
    [3, { db: 1, mail: 1, web: 1 }],
    [11, { db: 2, mail: 1, web: 8 }],
    [500, { db: 20, mail: 1, web: 80 }],
  ])('spreads %i over groups', (wanted, roles) => {
    const chosen = pickCanaries(groups, wanted);
    expect(countRoles(chosen)).toEqual(roles);
    expect(chosen).toEqual([...new Set(chosen)].sort());
  });

  it('is the same whatever the order, and moves little when nodes come', () => {
    const turned = new Map([...groups].reverse().map(([set, members]) => [set, members.toReversed()]));
    expect(pickCanaries(turned, 11)).toEqual(pickCanaries(groups, 11));
    const grown = new Map(groups).set('a', names('web', 84));
    const kept = pickCanaries(grown, 11).filter((name) => pickCanaries(groups, 11).includes(name));
    expect(kept.length).toBeGreaterThanOrEqual(9);
  });
});

describe('what an operator writes', () => {
  it.each([
    ['5', { count: 5 }],
    ['2.5%', { percent: 2.5 }],
    ['web1.example.com, db1.example.com', { nodes: ['web1.example.com', 'db1.example.com'] }],
  ])('%s', (text, choice) => {
    expect(parseCanaries(text)).toEqual(choice);
  });

  it.each([
    ['0', 'a stage has from 1 to 1000 canaries, not 0'],
    ['1001', 'a stage has from 1 to 1000 canaries, not 1001'],
    [' ', 'a stage has from 1 to 1000 canaries, not 0'],
    ['0%', 'a share of canaries is above 0% and below 100%'],
    ['100%', 'a share of canaries is above 0% and below 100%'],
    ['web1;rm', "'web1;rm' is not a certname"],
  ])('%s is refused', (text, message) => {
    expect(() => parseCanaries(text)).toThrow(message);
  });

  it('makes a plan that holds when in doubt', () => {
    expect(createStagePlan({})).toEqual({
      waitMs: 3_600_000,
      whenGood: 'promote',
      whenWorse: 'hold',
      whenLate: 'hold',
      countsChanges: false,
    });
  });

  it.each([
    [{ minutes: 0 }, "canaries have from 1 to 10080 minutes to run, not '0'"],
    [{ minutes: Number.NaN }, "canaries have from 1 to 10080 minutes to run, not 'NaN'"],
    [{ whenWorse: 'promote' }, "when canaries are worse, a stage can hold or abort, not 'promote'"],
    [{ whenLate: 'wait' }, "when canaries are late, a stage can hold or promote or abort, not 'wait'"],
  ])('refuses the plan %j', (options, message) => {
    expect(() => createStagePlan(options)).toThrow(message);
  });
});
