import { expect, it } from 'vitest';
import {
  type CatalogJson,
  compareCatalogs,
  listEdges,
  readContainment,
  refOf,
} from '../../../../../shared/console/client/data/catalog-view.ts';

const CATALOG: CatalogJson = {
  resources: [
    { type: 'Class', title: 'Main' },
    { type: 'File', title: '/a', parameters: { require: ['Package[p]'], mode: '0644', notify: 'Service[s]' } },
    { type: 'Package', title: 'p', parameters: { before: 'Service[s]' } },
    { type: 'Service', title: 's', parameters: { subscribe: 'File[/a]' } },
  ],
  edges: [
    { source: 'Class[Main]', target: 'File[/a]' },
    { source: 'Class[Main]', target: 'Package[p]' },
    { source: 'File[/a]', target: 'Class[Main]' },
  ],
};

it('reads containment, and no cycle of it', () => {
  const { roots, childrenOf } = readContainment(CATALOG);
  expect(roots.map(refOf)).toEqual(['Class[Main]', 'Service[s]']);
  expect(childrenOf('Class[Main]').map(refOf)).toEqual(['File[/a]', 'Package[p]']);
});

it('reads relationships in the direction of their order', () => {
  expect(listEdges(CATALOG).filter(({ kind }) => kind !== 'contains')).toEqual([
    { source: 'File[/a]', target: 'Service[s]', kind: 'notifies' },
    { source: 'Package[p]', target: 'File[/a]', kind: 'before' },
    { source: 'Package[p]', target: 'Service[s]', kind: 'before' },
    { source: 'File[/a]', target: 'Service[s]', kind: 'notifies' },
  ]);
});

it('compares resources and parameters', () => {
  const after = {
    ...CATALOG,
    resources: [
      ...CATALOG.resources.slice(0, 1),
      { type: 'File', title: '/a', parameters: { require: ['Package[p]'], mode: '0600', owner: 'root' } },
      ...CATALOG.resources.slice(3),
      { type: 'Notify', title: 'n' },
    ],
  };
  expect(compareCatalogs(CATALOG, after)).toEqual([
    {
      ref: 'File[/a]',
      kind: 'changed',
      parameters: [
        { name: 'mode', from: '0644', to: '0600' },
        { name: 'notify', from: 'Service[s]', to: undefined },
        { name: 'owner', from: undefined, to: 'root' },
      ],
    },
    { ref: 'Notify[n]', kind: 'added', parameters: [] },
    { ref: 'Package[p]', kind: 'removed', parameters: [] },
  ]);
});
