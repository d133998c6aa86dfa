import { expect, it } from 'vitest';
import { describeTaskFields, readTaskFields } from '../../../../../shared/console/client/data/task-fields.ts';

it.each([
  ['String[1]', 'text', true],
  ['Optional[String]', 'text', false],
  ["Enum['a', 'b']", 'choice', true],
  ['Optional[Enum[start, stop]]', 'choice', false],
  ['Boolean', 'boolean', true],
  ['Integer[1, 9]', 'integer', true],
  ['Optional[Float]', 'number', false],
  ['Variant[Undef, Hash]', 'json', false],
  ['Array[String]', 'json', true],
  ['Stdlib::Absolutepath', 'text', true],
  ['Sensitive[String]', 'password', true],
])('finds a control for %s', (type, kind, isRequired) => {
  expect(describeTaskFields({ p: { type } })).toMatchObject([{ kind, isRequired }]);
});

it('lists the choices of an enumeration', () => {
  const choicesOf = (type: string) => describeTaskFields({ p: { type } })[0]?.choices;
  expect(choicesOf('Enum[\'start\', "stop"]')).toEqual(['start', 'stop']);
  expect(choicesOf('Optional[Enum[start, stop]]')).toEqual(['start', 'stop']);
});

it('requires no value where there is a default', () => {
  expect(describeTaskFields({ p: { type: 'Integer', default: 0 } })).toMatchObject([
    { isRequired: false, preset: '0' },
  ]);
});

it('reads values by their types, leaves empty ones out, and names what is wrong', () => {
  const fields = describeTaskFields({
    count: { type: 'Integer' },
    ratio: { type: 'Float' },
    force: { type: 'Boolean' },
    list: { type: 'Array[String]' },
    any: {},
    name: { type: 'String' },
    more: { type: 'Optional[String]' },
  });
  const typed = { count: '3', ratio: '0.5', force: 'false', list: '["a"]', any: 'text', name: 'x' };
  expect(readTaskFields(fields, typed)).toEqual({
    params: { count: 3, ratio: 0.5, force: false, list: ['a'], any: 'text', name: 'x' },
    faults: {},
  });
  expect(
    readTaskFields(fields, { count: '3.5', ratio: 'a', force: 'true', list: 'a', any: '{', name: '' }).faults,
  ).toEqual({
    count: 'This is no whole number.',
    ratio: 'This is no number.',
    list: 'Write a Array[String] as JSON.',
    any: 'Write a Data as JSON.',
    name: 'A value is required.',
  });
});
