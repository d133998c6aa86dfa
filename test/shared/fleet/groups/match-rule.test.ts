import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GroupRefused } from '../../../../shared/fleet/groups/group-refused.ts';
import { readGroupRule } from '../../../../shared/fleet/groups/group-rule.ts';
import { explainRule, matchesRule, type RuleSubject, valuesOf } from '../../../../shared/fleet/groups/match-rule.ts';
import { parseJson } from '../../../../shared/puppet/serialization/json.ts';
import { BESIDE, isBeside } from '../../../helpers/material-beside.ts';

const NODE: RuleSubject = {
  name: 'app7.lab.example.net',
  fact: {
    kernel: 'Linux',
    virtual: false,
    cpus: 8,
    load: 0.5,
    release: '10.04',
    blank: '',
    nothing: null,
    disks: [{ name: 'sda' }, { name: 'sdb' }],
    networking: { fqdn: 'app7.lab.example.net', 'a b': 'c' },
    padded: '0042',
    scientific: '2e3',
    hexadecimal: '0x1f',
  },
  trusted: { certname: 'app7.lab.example.net', extensions: { pp_role: 'app', '1.3.6.1.4.1.34380.1.2.9': 'x' } },
};

const matches = (rule: unknown, node = NODE) => matchesRule(readGroupRule(rule), valuesOf(node));

describe('a rule', () => {
  it.each<[unknown, boolean]>([
    [['=', 'name', 'app7.lab.example.net'], true],
    [['=', 'name', 'APP7.lab.example.net'], false],
    [['~', 'name', 'lab'], true],
    [['~', 'name', '^app\\d\\.'], true],
    [['~', 'name', '^lab'], false],
    [['=', ['fact', 'virtual'], 'false'], true],
    [['=', ['fact', 'cpus'], '8'], true],
    [['=', ['fact', 'cpus'], '8.0'], false],
    [['=', ['fact', 'load'], '0.5'], true],
    [['=', ['fact', 'blank'], ''], true],
    [['~', ['fact', 'blank'], '.*'], true],
    [['=', ['fact', 'nothing'], ''], false],
    [['~', ['fact', 'nothing'], '.*'], false],
    [['not', ['=', ['fact', 'nothing'], '']], true],
    [['~', ['fact', 'networking'], 'app7'], false],
    [['=', ['fact', 'disks', 1, 'name'], 'sdb'], true],
    [['=', ['fact', 'disks', '1', 'name'], 'sdb'], false],
    [['=', ['fact', 'disks', 2, 'name'], 'sdb'], false],
    [['=', ['fact', 'networking', 'a b'], 'c'], true],
    [['=', ['fact', 'kernel', 'name'], 'Linux'], false],
    [['=', ['fact', 'toString'], 'x'], false],
    [['>', ['fact', 'cpus'], '7.9'], true],
    [['>=', ['fact', 'cpus'], '8'], true],
    [['<', ['fact', 'release'], '10.1'], true],
    [['<=', ['fact', 'padded'], '42'], true],
    [['>', ['fact', 'scientific'], '1999'], true],
    [['>', ['fact', 'hexadecimal'], '0'], false],
    [['>', ['fact', 'virtual'], '-1'], false],
    [['>', ['fact', 'blank'], '-1'], false],
    [['>', ['fact', 'cpus'], 'few'], false],
    [['=', ['trusted', 'extensions', 'pp_role'], 'app'], true],
    [['=', ['trusted', 'extensions', '1.3.6.1.4.1.34380.1.2.9'], 'x'], true],
    [['and', ['=', ['fact', 'kernel'], 'Linux'], ['>', ['fact', 'cpus'], '4']], true],
    [['and', ['=', ['fact', 'kernel'], 'Linux'], ['>', ['fact', 'cpus'], '9']], false],
    [['or', ['=', ['fact', 'kernel'], 'AIX'], ['>', ['fact', 'cpus'], '4']], true],
    [['not', ['or', ['=', ['fact', 'kernel'], 'AIX'], ['>', ['fact', 'cpus'], '9']]], true],
  ])('%j matches: %j', (rule, expected) => {
    expect(matches(rule)).toBe(expected);
  });

  it('reads hashes of Puppet as it reads JSON', () => {
    const read = (value: unknown) => parseJson(JSON.stringify(value));
    const node = { name: NODE.name, fact: read(NODE.fact), trusted: read(NODE.trusted) };
    expect(matches(['=', ['fact', 'cpus'], '8'], node)).toBe(true);
    expect(matches(['=', ['fact', 'disks', 0, 'name'], 'sda'], node)).toBe(true);
    expect(matches(['=', ['trusted', 'extensions', 'pp_role'], 'app'], node)).toBe(true);
  });

  it.each<[string, string, boolean]>([
    ['^app$', 'app\nother', false],
    ['^app$', 'app\n', true],
    ['(?m)^other$', 'app\nother', true],
    ['(?i)APP', 'app', true],
    ['(?i:A)pp', 'app', true],
    ['(?s)a.b', 'a\nb', true],
    ['a.b', 'a\nb', false],
    ['\\Qa.b\\E+', 'a.bbb', true],
    ['\\Qa.b\\E+', 'axb', false],
    ['a\\hb', 'a\tb', true],
    ['[\\h]b', ' b', true],
    ['[$^]', 'a$', true],
    ['a++b', 'aab', true],
    ['(?<one>a)\\k<one>', 'aa', true],
    ['\\p{Alpha}{3}', 'abc', true],
    ['[a-z&&[^aeiou]]', 'aei', false],
    ['(?:a|b)?c$', 'xc', true],
    ['(?=a)(?!b)a', 'a', true],
  ])('searches %j in %j as Java does: %j', (pattern, text, expected) => {
    expect(matches(['~', ['fact', 'text'], pattern], { ...NODE, fact: { text } })).toBe(expected);
  });

  it('with a pattern that backtracks without end finds nothing', () => {
    const node = { ...NODE, fact: { text: `${'a'.repeat(5000)}b` } };
    expect(matches(['~', ['fact', 'text'], '^(a|a)*(a+)+(a|aa)+$'], node)).toBe(false);
  });

  it.each<[unknown, string]>([
    [null, 'a rule is a list that begins with an operator, not null'],
    [{ and: [] }, 'a rule is a list that begins with an operator, not {"and":[]}'],
    [['or'], '\'or\' needs at least one condition, not ["or"]'],
    [['not', ['=', 'name', 'a'], ['=', 'name', 'b']], "'not' needs exactly one condition"],
    [['is', 'name', 'a'], 'the operator of a rule is one of = ~ > >= < <= and or not'],
    [['=', 'name', 'a', 'b'], "'=' needs a fact path and a value"],
    [['=', 'name', true], 'the value of a condition is a string'],
    [['=', 'certname', 'a'], 'a fact path is "name", or ["fact" or "trusted", a name, then names and indexes]'],
    [['=', ['fact', 'a', -1], 'a'], 'a fact path is "name"'],
    [['=', ['fact', 'a', 0.5], 'a'], 'a fact path is "name"'],
    [['~', 'name', '('], "the regular expression '(' is malformed"],
  ])('%j is refused', (rule, message) => {
    const refusal = captureRefusal(() => readGroupRule(rule));
    expect(refusal.kind).toBe('schema-violation');
    expect(refusal.message).toContain(`The rule is invalid: ${message}`);
  });

  it('of more than 100 levels is refused', () => {
    let rule: unknown = ['=', 'name', 'a'];
    for (let level = 0; level < 101; level += 1) rule = ['not', rule];
    expect(captureRefusal(() => readGroupRule(rule)).message).toContain('a rule has at most 100 levels');
  });

  it('is explained with the values that the node has', () => {
    const rule = readGroupRule(['and', ['>', ['fact', 'cpus'], '4'], ['not', ['=', ['fact', 'absent'], 'x']]]);
    expect(explainRule(rule, NODE)).toEqual({
      value: true,
      form: [
        'and',
        { value: true, form: ['>', { path: ['fact', 'cpus'], value: 8 }, '4'] },
        {
          value: true,
          form: ['not', { value: false, form: ['=', { path: ['fact', 'absent'], value: null }, 'x'] }],
        },
      ],
    });
  });
});

function captureRefusal(work: () => unknown): GroupRefused {
  try {
    work();
  } catch (error) {
    if (error instanceof GroupRefused) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

interface RecordedRule {
  readonly rule: unknown;
  readonly match?: boolean;
  readonly invalid?: string;
}

describe.skipIf(!isBeside('accessExamples'))('the rules beside this clone', () => {
  const read = (name: string) => readFileSync(join(BESIDE.accessExamples, name), 'utf8');
  const cases: readonly RecordedRule[] = isBeside('accessExamples')
    ? read('rules.jsonl')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

  it.each(cases.map((one) => [JSON.stringify(one.rule), one] as const))('%s', (_, { rule, match, invalid }) => {
    const node = JSON.parse(read('rules-node.json')) as RuleSubject;
    if (invalid === undefined) expect(matches(rule, node)).toBe(match);
    else expect(captureRefusal(() => readGroupRule(rule)).kind).toBe(invalid);
  });
});
