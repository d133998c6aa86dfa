import { expect, it } from 'vitest';
import {
  draftOf,
  listGroupChanges,
  readGroupDraft,
  writeGroupEdit,
} from '../../../../../shared/console/client/data/group-draft.ts';
import type { GroupSummary } from '../../../../../shared/console/client/data/group-shapes.ts';

const GROUP: GroupSummary = {
  id: 'g',
  name: 'Web',
  parent: 'p',
  description: 'd',
  environment: 'production',
  environment_trumps: false,
  rule: ['and', ['=', ['fact', 'kernel'], 'Linux']],
  classes: { apache: { port: 80 } },
  config_data: {},
  variables: { tier: 'gold' },
};

it('reads back what it shows', () => {
  const { id: _, ...body } = GROUP;
  expect(readGroupDraft(draftOf(GROUP, 'x'))).toEqual({ body, rule: GROUP.rule, faults: {} });
});

it('names each field that cannot be read', () => {
  const nested = draftOf({ ...GROUP, rule: ['not', ['and', ['=', 'name', 'a']]] }, 'x');
  const draft = { ...nested, name: ' ', ruleText: '{}', classes: '[]', variables: '{', data: '1' };
  expect(readGroupDraft(draft).faults).toEqual({
    name: 'A group needs a name.',
    rule: 'Write a rule as JSON, such as ["=", ["fact", "kernel"], "Linux"].',
    classes: 'Write an object as JSON.',
    variables: 'Write an object as JSON.',
    data: 'Write an object as JSON.',
  });
});

it('lists what another one changed', () => {
  expect(listGroupChanges(GROUP, { ...GROUP, environment: 'dev', classes: {} })).toEqual(['environment', 'classes']);
  expect(listGroupChanges(GROUP, { ...GROUP })).toEqual([]);
});

it('removes by null what the draft left out, because the server merges edits', () => {
  const before: GroupSummary = {
    ...GROUP,
    classes: { apache: { port: 80, docroot: '/srv' }, ntp: {} },
    config_data: { ntp: { servers: ['a'] } },
    variables: { tier: 'gold', site: 'a' },
  };
  const body = {
    name: 'Web',
    classes: { apache: { port: 81 }, php: {} },
    config_data: {},
    variables: { tier: 'gold' },
  };
  expect(writeGroupEdit(before, body)).toEqual({
    name: 'Web',
    classes: { apache: { port: 81, docroot: null }, php: {}, ntp: null },
    config_data: { ntp: null },
    variables: { tier: 'gold', site: null },
  });
});
