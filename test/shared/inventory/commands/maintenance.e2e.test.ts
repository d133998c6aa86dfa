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

const report = (day: number, certname = 'new') => ({
  ...{ certname, puppet_version: '8', report_format: 12, configuration_version: '1', environment: 'env_new' },
  ...{ start_time: timeOf(day), end_time: timeOf(day), producer_timestamp: timeOf(day), producer: null },
  ...{ status: 'changed', logs: [], metrics: [], noop: false, noop_pending: false, transaction_uuid: null },
  resources: [
    {
      ...{
        skipped: false,
        timestamp: timeOf(day),
        resource_type: 'File',
        resource_title: '/a',
        file: null,
        line: null,
      },
      ...{ containment_path: [], corrective_change: false },
      events: [
        { status: 'success', timestamp: timeOf(day), property: 'ensure', new_value: 1, old_value: 2, message: '' },
      ],
    },
  ],
});

const facts = (certname: string, day: number) => ({
  certname,
  values: { a: 1 },
  environment: `env_${certname}`,
  producer: null,
  producer_timestamp: timeOf(day),
});

async function read(text: string): Promise<unknown> {
  const rows: unknown[] = [];
  for await (const batch of world.database.read({ text, values: [] }, { timeMs: 10_000, rows: 100, megabytes: 64 }))
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

it('keeps reports in a partition for each day, which goes when it is old', async () => {
  const days = () =>
    read("select inhrelid::regclass from pg_inherits where inhparent = 'reports'::regclass order by 1::text");
  const kept = () =>
    read(`select r.producer_timestamp::date, count(re.*) from reports r left join resource_events re
      on re.report_id = r.id and re.day = r.day where r.certname = 'reporter' group by 1 order by 1`);
  const latest = () =>
    read("select latest_report_status, latest_report_end_time::date from certnames where certname = 'reporter'");
  const store = (day: number) => world.apply('store report', 8, report(day, 'reporter'));
  for (const day of [1, 3, 4]) await store(day);
  await store(3);
  // Clocks that are wrong by years make no partitions of their own.
  for (const day of [-900, -901, 9000]) await store(day);
  expect(await days()).toEqual([
    ['reports_00010101'],
    ['reports_20261101'],
    ['reports_20261103'],
    ['reports_20261104'],
  ]);
  expect(await latest()).toEqual([['changed', timeOf(9000).slice(0, 10)]]);

  const keepReports = { nodeMs: null, purgeMs: null, reportMs: 14 * DAY_MS };
  await maintainInventory(world.database, keepReports, Date.UTC(2026, 10, 18, 5));
  expect(await days()).toEqual([['reports_00010101'], ['reports_20261104']]);
  expect(await kept()).toEqual([
    ['2026-11-04', '1'],
    [timeOf(9000).slice(0, 10), '1'],
  ]);
  await maintainInventory(world.database, keepReports, Date.UTC(2060, 0, 1));
  expect([await days(), await kept(), await latest()]).toEqual([[['reports_00010101']], [], [[null, null]]]);
  expect(await read('select count(*) from resource_events')).toEqual([['0']]);
});
