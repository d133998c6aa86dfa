import { describe, expect, it } from 'vitest';
import { Catalog } from '../../../../shared/puppet/catalog/catalog.ts';
import { CatalogResource } from '../../../../shared/puppet/catalog/resource.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';

function resource(type: string, title: string, parameters: Record<string, Value> = {}, line = 1): CatalogResource {
  const made = new CatalogResource({ type, title, kind: 'unknown', file: '/m.pp', line }, ['name']);
  for (const [name, value] of Object.entries(parameters)) {
    made.set({ name, value, unit: null, append: false, file: undefined, line: undefined });
  }
  return made;
}

describe('Catalog', () => {
  it('finds resources by title, by alias and by identity', () => {
    const catalog = new Catalog('node', 'production');
    const one = resource('Foo', 'one', { alias: ['uno', 'ein'] });
    catalog.add(one, ['/one']);
    expect(catalog.find('Foo', 'one')).toBe(one);
    expect(catalog.find('Foo', 'ein')).toBe(one);
    expect(catalog.findByIdentity('Foo', ['/one'])).toBe(one);
    expect(catalog.find('Bar', 'one')).toBeUndefined();
  });

  it.each([
    [
      resource('Foo', 'a', {}, 2),
      ['a'],
      'Duplicate declaration: Foo[a] is already declared at (file: /m.pp, line: 1); cannot redeclare (file: /m.pp, line: 2)',
    ],
    [
      resource('Foo', 'b', { alias: 'a' }, 2),
      ['b'],
      'Cannot alias Foo[b] to "a" at (file: /m.pp, line: 2); resource ["Foo", "a"] already declared (file: /m.pp, line: 1)',
    ],
    [
      resource('Foo', 'b', {}, 2),
      [null, 'a'],
      'Cannot alias Foo[b] to [nil, "a"] at (file: /m.pp, line: 2); resource ["Foo", nil, "a"] already declared (file: /m.pp, line: 1)',
    ],
  ])('refuses a second %s', (second, identity, message) => {
    const catalog = new Catalog('node', 'production');
    catalog.add(resource('Foo', 'a'), [null, 'a']);
    expect(() => catalog.add(second, identity)).toThrow(message);
  });

  it('keeps edges by source and by target', () => {
    const catalog = new Catalog('node', 'production');
    const [a, b] = [resource('Foo', 'a'), resource('Foo', 'b')];
    for (const each of [a, b]) catalog.add(each, null);
    catalog.addEdge(a, b);
    expect([catalog.hasEdge(a, b), catalog.hasEdge(b, a)]).toEqual([true, false]);
    expect([catalog.targetsOf(a), catalog.sourcesOf(b), catalog.targetsOf(b)]).toEqual([[b], [a], []]);
  });
});

describe('CatalogResource', () => {
  it.each<[string, Record<string, Value>, Record<string, Value>]>([
    ['a title that is the name', {}, {}],
    ['a name of its own', { name: 'other' }, { name: 'other' }],
    ['names with upper case', { b: 1, aB: 2, fileMode: '0644' }, { b: 1, ab: 2, filemode: '0644' }],
    ['names that differ in case alone', { aB: 1, b: 2, ab: 3 }, { ab: 3, b: 2 }],
    ['a name in upper case that the title repeats', { nAme: 'a', b: 1 }, { b: 1 }],
    ['values that are undef', { x: null, y: 1n }, { y: 1n }],
  ])('shows %s', (_what, parameters, shown) => {
    expect(Object.fromEntries(resource('Foo', 'a', parameters).catalogParameters())).toEqual(shown);
  });

  it('shows the name of the main class, which equals its title', () => {
    expect([...resource('Class', 'main').catalogParameters()]).toEqual([['name', 'main']]);
  });
});
