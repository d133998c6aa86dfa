import { afterAll, beforeAll, expect, it } from 'vitest';
import { maintainInventory, nextMaintenance } from '../../../../shared/inventory/commands/maintenance.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';

let world: InventoryWorld;
beforeAll(async () => {
  world = await openInventoryWorld();
});
afterAll(() => world.remove());

const DAY_MS = 24 * 3600_000;
const NOW = Date.UTC(2026, 10, 20);
const RETENTION = { nodeMs: 7 * DAY_MS, purgeMs: 14 * DAY_MS, reportMs: 14 * DAY_MS };
const timeOf = (day: number) => new Date(Date.UTC(2026, 10, day)).toISOString();

const facts = (certname: string, day: number) => ({
  certname,
  values: { a: 1 },
  environment: `env_${certname}`,
  producer: null,
  producer_timestamp: timeOf(day),
});

async function read(text: string): Promise<unknown> {
  const rows: unknown[] = [];
  for await (const batch of world.database.read({ text, values: [] }, { timeMs: 10_000, rows: 100 }))
    rows.push(...batch);
  return rows;
}

it('is due an hour after the last pass of any server', async () => {
  expect(await nextMaintenance(world.database, NOW - 2 * DAY_MS)).toBe(NOW - 2 * DAY_MS + 3600_000);
  expect(await nextMaintenance(world.database, NOW)).toBe(NOW - 2 * DAY_MS + 3600_000);
});

it('expires nodes, purges them later, and deletes old reports and what nothing needs', async () => {
  await world.apply('replace facts', 5, { ...facts('new', 19), package_inventory: [['bash', '5', 'apt']] });
  await world.apply('replace facts', 5, facts('stale', 10));
  await world.apply('replace facts', 5, facts('kept', 10));
  await world.apply('configure expiration', 1, {
    certname: 'kept',
    expire: { facts: false },
    producer_timestamp: timeOf(10),
  });
  await world.apply('replace facts', 5, { ...facts('gone', 1), package_inventory: [['vim', '9', 'apt']] });
  await world.apply('deactivate node', 3, { certname: 'gone', producer_timestamp: timeOf(2) });
  const report = (day: number) => ({
    ...{ certname: 'new', puppet_version: '8', report_format: 12, configuration_version: '1', environment: 'env_new' },
    ...{
      start_time: timeOf(day),
      end_time: timeOf(day),
      producer_timestamp: timeOf(day),
      producer: null,
      status: 'changed',
    },
    ...{ resources: [], logs: [], metrics: [], noop: false, noop_pending: false, transaction_uuid: null },
  });
  await world.apply('store report', 8, report(3));
  await world.apply('store report', 8, report(18));

  await maintainInventory(world.database, RETENTION, NOW);
  expect(await read('select certname, expired is not null from certnames order by 1')).toEqual([
    ['kept', 'f'],
    ['new', 'f'],
    ['stale', 't'],
  ]);
  expect(await read('select producer_timestamp::date from reports')).toEqual([['2026-11-18']]);
  expect(await read('select name from packages')).toEqual([['bash']]);
  expect(await read('select environment from environments order by 1')).toEqual([
    ['env_kept'],
    ['env_new'],
    ['env_stale'],
  ]);
  expect(await nextMaintenance(world.database, NOW)).toBe(NOW + 3600_000);

  await world.apply('replace facts', 5, facts('stale', 21));
  expect(await read("select expired from certnames where certname = 'stale'")).toEqual([[null]]);
});

it('deletes paths of facts that no node has any more, once a day', async () => {
  const store = (certname: string, day: number, values: object) =>
    world.apply('replace facts', 5, { ...facts(certname, day), values });
  const paths = () => read("select path, value_type from fact_paths where name like 'path_%' order by 1, 2");
  await store('new', 20, { path_a: 1, path_b: { x: [1, 'y'] }, path_c: true });
  await store('other', 21, { path_a: 1 });
  await store('new', 21, { path_a: 'text', path_b: { x: [1] } });
  await store('new', 22, { path_a: 'text', path_b: { x: [2] } });
  const all = await paths();
  await maintainInventory(world.database, RETENTION, Date.UTC(2026, 10, 23, 2));
  expect(await paths()).toEqual(all);
  await maintainInventory(world.database, RETENTION, Date.UTC(2026, 10, 23, 3));
  expect(await paths()).toEqual([
    ['path_a', 'integer'],
    ['path_a', 'string'],
    ['path_b', 'json'],
    ['path_b#~x#~0', 'integer'],
  ]);
});
