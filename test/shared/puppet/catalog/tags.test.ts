import { describe, expect, it } from 'vitest';
import { TagSet } from '../../../../shared/puppet/catalog/tags.ts';
import { ClassType, ResourceType } from '../../../../shared/puppet/types/catalog-types.ts';

describe('TagSet', () => {
  it.each([
    ['one', ['one']],
    ['One', ['one']],
    ['a::b::C', ['a::b::c', 'a', 'b', 'c']],
    [
      ['x', ['y', null]],
      ['x', 'y'],
    ],
    ['ünï', ['ünï']],
    [3n, ['3']],
    ['a.b-c:d', ['a.b-c:d']],
    [new ResourceType('Notify', 'n'), []],
    [new ClassType('x'), []],
  ])('adds %o as %o', (value, expected) => {
    const tags = new TagSet();
    tags.add(value);
    expect([...tags]).toEqual(expected);
  });

  it.each(['has blank', '', '-x', 'a/b'])('refuses %j', (value) => {
    const tags = new TagSet();
    expect(() => tags.add(value)).toThrow(`Invalid tag '${value}'`);
    tags.addIfValid(value);
    expect([...tags]).toEqual([]);
  });

  it.each([3, 12, 13, 40])('keeps %d tags once each, in order, its own before those of another', (count) => {
    const own = Array.from({ length: count }, (_, index) => `t${index}`);
    const [tags, other] = [new TagSet(), new TagSet()];
    tags.add([...own, ...own]);
    other.add(['x', 't1', 'y']);
    tags.merge(other);
    expect([...tags]).toEqual([...own, 'x', 'y']);
    expect([tags.has('t1'), tags.has('y'), tags.has('z')]).toEqual([true, true, false]);
  });
});
