import { describe, expect, it } from 'vitest';
import { NO_RULE, readRuleForm, writeRule } from '../../../../../shared/console/client/data/rule-form.ts';

const KERNEL = ['=', ['fact', 'kernel'], 'Linux'];
const ROLE = ['~', ['trusted', 'extensions', 'pp_role'], '^web'];
const kernel = { path: 'fact.kernel', operator: '=', value: 'Linux', isNot: false };
const role = { path: 'trusted.extensions.pp_role', operator: '~', value: '^web', isNot: false };

describe('a form of a rule', () => {
  it.each([
    [['and', KERNEL, ROLE], { match: 'and', conditions: [kernel, role], pins: [] }],
    [['or', KERNEL, ['not', ROLE]], { match: 'or', conditions: [kernel, { ...role, isNot: true }], pins: [] }],
    [
      ['or', ['and', KERNEL], ['=', 'name', 'a'], ['=', 'name', 'b']],
      { match: 'and', conditions: [kernel], pins: ['a', 'b'] },
    ],
    [['or', ['=', 'name', 'a']], { match: 'and', conditions: [], pins: ['a'] }],
  ])('reads %j and writes it back', (rule, form) => {
    const read = readRuleForm(rule);
    expect(read).toEqual(form);
    expect(read && writeRule(read)).toEqual(rule);
  });

  it('takes a single condition for one of a list, and no rule for an empty form', () => {
    expect(readRuleForm(KERNEL)).toEqual({ match: 'and', conditions: [kernel], pins: [] });
    expect(readRuleForm(null)).toEqual(NO_RULE);
    expect(writeRule(NO_RULE)).toBeNull();
  });

  it.each([
    [['and', ['or', KERNEL, ROLE], ROLE]],
    [['not', ['and', KERNEL]]],
    [['=', ['fact', 'a.b'], 'x']],
    [['or', ['and', KERNEL], ROLE]],
  ])('leaves %j to JSON', (rule) => {
    expect(readRuleForm(rule)).toBeNull();
  });
});

it.each([
  ['os.family', ['and', ['=', ['fact', 'os', 'family'], 'x']]],
  ['trusted.extensions.pp_role', ['and', ['=', ['trusted', 'extensions', 'pp_role'], 'x']]],
  ['fact.', null],
  ['trusted', null],
  [' ', null],
])('takes a path without a root as that of a fact, and leaves out one without a name: %j', (path, rule) => {
  expect(writeRule({ ...NO_RULE, conditions: [{ path, operator: '=', value: 'x', isNot: false }] })).toEqual(rule);
});
