import { describe, expect, it } from 'vitest';
import { ChangeGroups } from '../../../../shared/fleet/previews/change-groups.ts';
import type { CatalogChange } from '../../../../shared/fleet/previews/list-catalog-changes.ts';

const content = (resource: string, from: string, to: string): CatalogChange => ({
  kind: 'changed',
  resource,
  parameter: 'content',
  from,
  to,
});

function group(nodes: Readonly<Record<string, readonly CatalogChange[]>>) {
  const groups = new ChangeGroups();
  for (const [certname, changes] of Object.entries(nodes)) groups.add(certname, changes);
  return groups.list();
}

describe('groups of changes', () => {
  it('are one for the same parameter, whatever its values, with the shortest of them', () => {
    const found = group({
      'web1.test': [content('File[/etc/x]', 'one long text', 'two')],
      'web2.test': [content('File[/etc/x]', 'a', 'b')],
      'web3.test': [content('File[/etc/x]', 'four', 'five')],
    });
    expect(found).toEqual([
      { nodes: ['web1.test', 'web2.test', 'web3.test'], count: 3, differences: [content('File[/etc/x]', 'a', 'b')] },
    ]);
  });

  it('hold causes together that the same nodes have, in whatever order, and show the largest first', () => {
    const [x, y, z] = ['x', 'y', 'z'].map((name): CatalogChange => ({ kind: 'added', resource: `Package[${name}]` }));
    if (!x || !y || !z) throw new Error('three changes');
    expect(group({ a: [z], b: [x, y, z], c: [y, x, z] })).toEqual([
      { nodes: ['a', 'b', 'c'], count: 3, differences: [z] },
      { nodes: ['b', 'c'], count: 2, differences: [x, y] },
    ]);
  });

  it('mask the names of nodes, and count a node once', () => {
    const found = group({
      'web01.test': [content('File[/etc/web01.test.conf]', 'a', 'b'), content('File[/etc/web01.test.conf]', 'a', 'b')],
      'web02.test': [content('File[/etc/web02.test.conf]', 'a', 'b')],
    });
    expect(found).toEqual([
      {
        nodes: ['web01.test', 'web02.test'],
        count: 2,
        differences: [content('File[/etc/<certname>.conf]', 'a', 'b')],
      },
    ]);
    expect(group({ 'web01.test': [content('File[/web01.test]', 'a', 'b')] })[0]?.differences).toEqual([
      content('File[/web01.test]', 'a', 'b'),
    ]);
  });
});
