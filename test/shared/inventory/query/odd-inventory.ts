import type { InventoryWorld } from '../../../helpers/inventory-world.ts';
import { fillInventory } from '../../http/routes/inventory/inventory-data.ts';

type Apply = InventoryWorld['apply'];

/**
 * What random queries are about: the nodes of the routes' tests, and nodes of which each lacks
 * something, or has it as another type, as null, or empty.
 */
export async function fillOddInventory(apply: Apply): Promise<void> {
  await fillInventory({ apply });
  const facts = (certname: string, values: object) =>
    apply('replace facts', 5, {
      certname,
      environment: 'testing',
      producer: null,
      producer_timestamp: '2026-11-02T10:00:00Z',
      values,
    });
  await facts('gamma.test', {
    os: { family: null, release: 'none' },
    size: { below: 5 },
    list: 'red',
    disks: [],
    flag: 'true',
    mixed: [1, { k: 'red' }],
    trusted: { certname: 'gamma.test', extensions: {} },
  });
  await facts('delta.test', {
    size: 5,
    ratio: 2.5,
    list: [],
    'dot.ted': '',
    nothing: null,
    mixed: [{ k: 1 }, { k: null }],
  });
  await facts('bare.test', { only: 'this' });
  await fillCatalog(apply);
  await apply('deactivate node', 3, { certname: 'never.test', producer_timestamp: '2026-11-04T00:00:00Z' });
}

function fillCatalog(apply: Apply): Promise<void> {
  const resource = (type: string, title: string, parameters: object) => ({
    ...{ type, title, parameters, tags: [], exported: false, file: null, line: null },
  });
  return apply('replace catalog', 9, {
    certname: 'gamma.test',
    version: '8',
    environment: 'testing',
    transaction_uuid: null,
    catalog_uuid: null,
    code_id: null,
    job_id: null,
    producer: null,
    producer_timestamp: '2026-11-01T11:00:00Z',
    resources: [
      resource('Class', 'Web', {}),
      resource('File', '/etc/x', { ensure: null, mode: 420, opts: [], owners: 'root' }),
      resource('File', '/etc/y', { ensure: true, opts: { a: null }, owners: [], unset: null }),
    ],
    edges: [],
  });
}
