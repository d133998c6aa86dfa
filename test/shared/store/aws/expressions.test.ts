import { describe, expect, it } from 'vitest';
import {
  allOf,
  anyOf,
  attribute,
  attributeExists,
  attributeNotExists,
  beginsWith,
  buildCondition,
  buildKeyCondition,
  buildUpdate,
  type Condition,
  compareTo,
  type Update,
} from '../../../../shared/store/aws/expressions.ts';

describe('an update', () => {
  it.each<[string, Update, string, readonly unknown[]]>([
    ['sets values', { set: { a: 1, b: null } }, 'SET #a = :v0, #b = :v1', [1, null]],
    ['leaves out what is undefined', { set: { a: undefined, b: '' } }, 'SET #b = :v0', ['']],
    ['sets an attribute to a sum', { set: { a: attribute('b', 1) } }, 'SET #a = #b + :v0', [1]],
    ['copies an attribute', { set: { a: attribute('b') } }, 'SET #a = #b', []],
    ['adds to a number', { add: { a: 2 } }, 'SET #a = #a + :v0', [2]],
    ['sets what is absent', { setIfAbsent: { a: 0 } }, 'SET #a = if_not_exists(#a, :v0)', [0]],
    ['appends to a list', { append: { a: ['x'] } }, 'SET #a = list_append(#a, :v0)', [['x']]],
    ['removes', { remove: ['a', 'b'] }, 'REMOVE #a, #b', []],
    [
      'does all of it at once',
      { remove: ['e'], append: { d: ['x'] }, setIfAbsent: { c: 0 }, add: { b: 1 }, set: { a: 'y' } },
      'SET #a = :v0, #b = #b + :v1, #c = if_not_exists(#c, :v2), #d = list_append(#d, :v3) REMOVE #e',
      ['y', 1, 0, ['x']],
    ],
  ])('%s', (_, update, text, values) => {
    const built = buildUpdate(update);
    expect([built.UpdateExpression, Object.values(built.ExpressionAttributeValues ?? {})]).toEqual([text, values]);
    expect(built).not.toHaveProperty('ConditionExpression');
  });

  it('has one set of names and values for its change and its condition', () => {
    const when = allOf(attributeExists('id'), compareTo('wanted', '=', 3));
    expect(buildUpdate({ set: { at: 7 }, add: { wanted: 1 }, remove: ['size'], when })).toEqual({
      UpdateExpression: 'SET #at = :v0, #wanted = #wanted + :v1 REMOVE #size',
      ConditionExpression: 'attribute_exists(#id) AND #wanted = :v2',
      ExpressionAttributeNames: { '#at': 'at', '#wanted': 'wanted', '#size': 'size', '#id': 'id' },
      ExpressionAttributeValues: { ':v0': 7, ':v1': 1, ':v2': 3 },
    });
  });

  it('names no values when it has none, which DynamoDB refuses', () => {
    expect(buildUpdate({ remove: ['a'] })).toEqual({
      UpdateExpression: 'REMOVE #a',
      ExpressionAttributeNames: { '#a': 'a' },
    });
  });
});

describe('a condition', () => {
  const a = compareTo('a', '<', 1);
  const b = compareTo('b', '>=', attribute('c'));
  it.each<[string, Condition, string, readonly unknown[]]>([
    ['compares with a value', a, '#a < :v0', [1]],
    ['compares with null', compareTo('a', '=', null), '#a = :v0', [null]],
    ['compares two attributes', b, '#b >= #c', []],
    ['asks for an attribute', attributeExists('a'), 'attribute_exists(#a)', []],
    ['asks for none', attributeNotExists('a'), 'attribute_not_exists(#a)', []],
    ['asks for a prefix', beginsWith('a', 'x/'), 'begins_with(#a, :v0)', ['x/']],
    ['wants all', allOf(a, undefined, b), '#a < :v0 AND #b >= #c', [1]],
    ['wants one', anyOf(a, b), '#a < :v0 OR #b >= #c', [1]],
    [
      'wants one among all',
      allOf(a, anyOf(b, undefined, attributeExists('d'))),
      '#a < :v0 AND (#b >= #c OR attribute_exists(#d))',
      [1],
    ],
    ['wants all of one', anyOf(allOf(a, b), b), '(#a < :v0 AND #b >= #c) OR #b >= #c', [1]],
  ])('%s', (_, condition, text, values) => {
    const built = buildCondition(condition);
    expect(built).toMatchObject({ ConditionExpression: text });
    expect(Object.values(('ExpressionAttributeValues' in built && built.ExpressionAttributeValues) || {})).toEqual(
      values,
    );
    expect(buildKeyCondition(condition).KeyConditionExpression).toBe(text);
  });

  it('may be missing', () => {
    expect(buildCondition(undefined)).toEqual({});
  });
});
