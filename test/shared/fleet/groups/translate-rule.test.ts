import { expect, it } from 'vitest';
import { readGroupRule } from '../../../../shared/fleet/groups/group-rule.ts';
import { translateRule } from '../../../../shared/fleet/groups/translate-rule.ts';

const ofPath = (path: readonly unknown[], operator: string, value: unknown) => [
  'in',
  'certname',
  ['extract', 'certname', ['select_fact_contents', ['and', ['=', 'path', path], [operator, 'value', value]]]],
];

it.each<[unknown, unknown, unknown]>([
  [
    ['=', 'name', 'a'],
    ['=', 'certname', 'a'],
    ['=', 'certname', 'a'],
  ],
  [
    ['=', ['fact', 'virtual'], 'true'],
    ['or', ['=', ['fact', 'virtual'], 'true'], ['=', ['fact', 'virtual'], true]],
    ['or', ['=', 'facts.virtual', 'true'], ['=', 'facts.virtual', true]],
  ],
  [
    ['=', ['fact', 'cpus'], '4'],
    ['or', ['=', ['fact', 'cpus'], '4'], ['=', ['fact', 'cpus'], 4]],
    ['or', ['=', 'facts.cpus', '4'], ['=', 'facts.cpus', 4]],
  ],
  [
    ['=', ['fact', 'release'], '04'],
    ['=', ['fact', 'release'], '04'],
    ['=', 'facts.release', '04'],
  ],
  [
    ['>', ['fact', 'cpus'], '4'],
    ['>', ['fact', 'cpus'], 4],
    ['>', 'facts.cpus', 4],
  ],
  [['~', ['fact', 'disks', 0, 'a.b'], 's'], ofPath(['disks', 0, 'a.b'], '~', 's'), ['~', 'facts.disks[0]."a.b"', 's']],
  [
    ['=', ['trusted', 'extensions', 'pp_role'], 'web'],
    ofPath(['trusted', 'extensions', 'pp_role'], '=', 'web'),
    ['=', 'trusted.extensions.pp_role', 'web'],
  ],
  [
    ['and', ['not', ['=', 'name', 'a']], ['~', 'name', 'b']],
    ['and', ['not', ['=', 'certname', 'a']], ['~', 'certname', 'b']],
    ['and', ['not', ['=', 'certname', 'a']], ['~', 'certname', 'b']],
  ],
])('%j is a query for nodes and for the inventory', (rule, nodes, inventory) => {
  expect(translateRule(readGroupRule(rule), 'nodes')).toEqual(nodes);
  expect(translateRule(readGroupRule(rule), 'inventory')).toEqual(inventory);
});

it.each<[unknown, string]>([
  [['>', ['fact', 'cpus'], 'four'], "'four' is no number, so that '>' has no meaning"],
  [['<', 'name', 'b'], "PuppetDB does not compare names with '<'"],
  [['=', ['fact', 'a"b'], 'x'], "a name in a dotted path has no quotes, as 'a\"b' has"],
])('%j has no query', (rule, reason) => {
  const message = `The rule cannot be written as a query: ${reason}`;
  const refusal = expect.objectContaining({ kind: 'untranslatable-rule', message });
  expect(() => translateRule(readGroupRule(rule), 'inventory')).toThrow(refusal);
});
