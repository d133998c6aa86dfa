/**
 * `node test/fleet/inventory.ts [postgresql://USER@HOST/EMPTY] NODES...`: fills the inventory with
 * copies of one node, then counts rows that changes write and that queries read. It empties the
 * database before. Without one, it starts Debian's PostgreSQL with a folder of its own.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyCommand } from '../../shared/inventory/commands/apply-command.ts';
import { dropReportsBefore } from '../../shared/inventory/commands/report-days.ts';
import type { InventoryDatabase } from '../../shared/inventory/database/inventory-database.ts';
import { PostgresDatabase } from '../../shared/inventory/database/postgres-database.ts';
import { prepareSchema } from '../../shared/inventory/database/schema.ts';
import { InventoryReader } from '../../shared/inventory/query/inventory-reader.ts';
import { NO_PARAMETERS, readQueryText } from '../../shared/inventory/query/query-parameters.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { startPostgres } from '../helpers/real-postgres.ts';
import { end, listFamily, readCpuTime } from '../helpers/real-process.ts';

const [FACTS, RESOURCES, REPORTS] = [120, 200, 14];
const FIRST = 'n0.example.com';
const DAY_MS = 86_400_000;
const TERMS = { received: new Date().toISOString(), blockedFacts: [] };
const timeOf = (day: number) => new Date(Date.now() - day * DAY_MS).toISOString();
const head = (day: number) => ({
  certname: FIRST,
  environment: 'production',
  producer: 'p',
  producer_timestamp: timeOf(day),
});

function facts(day: number, uptime: number, kernel = 'Linux') {
  const others = Array.from({ length: FACTS }, (_, index) => [
    `fact_${index}`,
    { value: `text ${index}`, list: [index] },
  ]);
  return { ...head(day), values: { kernel, uptime, ...Object.fromEntries(others) } };
}

function catalog(day: number, changed: string) {
  const resources = Array.from({ length: RESOURCES }, (_, index) => ({
    ...{ type: 'File', title: `/etc/${index}`, tags: ['file'], exported: false, file: null, line: null },
    parameters: { ensure: 'file', content: index === 0 ? changed : `text ${index}` },
  }));
  const [changing, container, ...others] = resources.map(({ type, title }) => ({ type, title }));
  const edges = [changing, ...others].map((target) => ({ source: container, target, relationship: 'contains' }));
  const rest = { transaction_uuid: null, catalog_uuid: null, code_id: null, job_id: null };
  return { ...head(day), ...rest, version: String(day), resources, edges };
}

function report(day: number) {
  const metrics = Array.from({ length: 30 }, (_, index) => ({ category: 'time', name: `m${index}`, value: index }));
  return {
    ...{ ...head(day), puppet_version: '8.10.0', report_format: 12, configuration_version: '1' },
    ...{ start_time: timeOf(day), end_time: timeOf(day), transaction_uuid: null, status: 'unchanged', noop: false },
    ...{ noop_pending: false, corrective_change: false, logs: [], metrics, resources: [] },
  };
}

async function run(database: InventoryDatabase, text: string): Promise<readonly (readonly (string | null)[])[]> {
  return database.transaction((connection) => connection.run({ text, values: [] }));
}

async function send(database: InventoryDatabase, command: string, version: number, payload: unknown): Promise<void> {
  const one = { command, version, certname: FIRST, payload: JSON.stringify(payload) };
  await database.transaction((connection) => applyCommand(connection, one, TERMS));
}

/** Copies the first node, whose resources the copies share. */
async function copyNodes(database: InventoryDatabase, nodes: number): Promise<void> {
  const columns = async (table: string) => {
    const rows = await run(
      database,
      `select column_name from information_schema.columns where table_name = '${table}' and is_identity = 'NO'
         and column_default is null`,
    );
    return rows.map(([name]) => String(name));
  };
  // Without a check of each copied key, and with the larger index made at once.
  await run(database, 'set session_replication_role = replica');
  await run(database, 'drop index catalog_resources_resource');
  await run(
    database,
    `insert into certnames (certname, latest_report_timestamp) select 'n' || n || '.example.com', now()
       from generate_series(1, ${nodes - 1}) n`,
  );
  for (const table of ['factsets', 'catalogs', 'catalog_resources', 'edges', 'reports']) {
    const names = await columns(table);
    const values = names.map((name) => {
      if (name === 'certname_id') return 'c.id';
      if (name === 'certname') return 'c.certname';
      return name === 'hash' && table === 'reports' ? 'md5(t.hash || c.certname)' : `t."${name}"`;
    });
    await run(
      database,
      `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) select ${values.join(', ')}
         from certnames c, ${table} t where c.certname <> '${FIRST}'
           and t.certname_id = (select id from certnames where certname = '${FIRST}') order by c.id`,
    );
  }
  await run(
    database,
    `update certnames c set latest_report_id = r.id, latest_report_hash = r.hash,
       latest_report_status = case when c.id % 100 = 0 then 'failed' else r.status end,
       latest_report_noop = r.noop, latest_report_end_time = r.end_time
     from (select distinct on (certname_id) * from reports order by certname_id, producer_timestamp desc) r
     where r.certname_id = c.id`,
  );
  await run(database, 'create index catalog_resources_resource on catalog_resources (resource_id)');
  await run(database, 'set session_replication_role = default');
  await run(database, 'analyze');
}

/** Rows that were written, and read, since the database began. */
async function counters(database: InventoryDatabase): Promise<readonly [written: number, read: number]> {
  await run(database, 'select pg_stat_force_next_flush()');
  const [row] = await run(
    database,
    `select sum(n_tup_ins + n_tup_upd + n_tup_del), sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables`,
  );
  return [Number(row?.[0]), Number(row?.[1])];
}

async function measure(database: InventoryDatabase, name: string, work: () => Promise<unknown>): Promise<void> {
  await work();
  const before = await counters(database);
  const start = performance.now();
  await work();
  const milliseconds = performance.now() - start;
  const after = await counters(database);
  const row = [
    name.padEnd(46),
    `${after[0] - before[0]} written`,
    `${after[1] - before[1]} read`,
    `${milliseconds.toFixed(1)} ms`,
  ];
  console.log(row.join('  '));
}

/** The database that the command line names, or one of a PostgreSQL that is started for it. */
async function findDatabase([first = '', ...others]: readonly string[]) {
  if (first.startsWith('postgresql:')) {
    return { url: first, sizes: others.map(Number), readCpu: () => Number.NaN, stop: async () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'understudy-inventory-fleet-'));
  chmodSync(folder, 0o777);
  const port = await findFreePort();
  const child = await startPostgres(folder, port, () => undefined, console.error);
  const stop = async () => {
    await end(child, 'SIGINT');
    rmSync(folder, { recursive: true, force: true });
  };
  const readCpu = () => listFamily(child.pid ?? 0).reduce((sum, id) => sum + readCpuTime(id), 0);
  const url = `postgresql://puppetdb@127.0.0.1:${port}/puppetdb`;
  return { url, sizes: [first, ...others].map(Number), readCpu, stop };
}

/** The size of each table with its indexes, partitions together. */
async function describeStorage(database: InventoryDatabase): Promise<string> {
  const rows = await run(
    database,
    `select regexp_replace(relname, '_[0-9]{8}$', ''), sum(pg_table_size(relid)), sum(pg_indexes_size(relid))
       from pg_stat_user_tables group by 1 having sum(pg_total_relation_size(relid)) > 1e6 order by 2 desc`,
  );
  const megabytes = (size: string | null | undefined) => `${Math.round(Number(size) / 1e6)} MB`;
  return rows.map(([name, table, indexes]) => `${name} ${megabytes(table)} + ${megabytes(indexes)}`).join(', ');
}

const COMMANDS = 500;

/**
 * Sends commands of many nodes one after another; prints how much CPU each takes, here and in the
 * database, if it is our own.
 */
async function measureCommands(
  name: string,
  readCpu: () => number,
  work: (certname: string) => Promise<void>,
): Promise<void> {
  const [own, theirs, began] = [process.cpuUsage(), readCpu(), performance.now()];
  for (let index = 1; index <= COMMANDS; index += 1) await work(`n${index}.example.com`);
  const { user, system } = process.cpuUsage(own);
  const figures = [(user + system) / 1000, readCpu() - theirs, performance.now() - began];
  const [here, there, wall] = figures.map((milliseconds) => (milliseconds / COMMANDS).toFixed(2));
  console.log(`${name.padEnd(46)}  CPU ${here} ms here, ${there} ms in the database; ${wall} ms`);
}

const QUERIES = [
  `nodes[certname] { certname = "${FIRST}" }`,
  `facts[value] { certname = "${FIRST}" and name = "kernel" }`,
  'inventory[certname] { facts.kernel = "Darwin" }',
  'nodes[certname] { latest_report_status = "failed" }',
  'resources[certname] { type = "File" and title = "/etc/0" and parameters.content = "changed" }',
  `reports[hash] { certname = "${FIRST}" order by producer_timestamp desc limit 10 }`,
  'nodes[count()] {}',
];

const { url, sizes, readCpu, stop } = await findDatabase(process.argv.slice(2));
for (const nodes of sizes) {
  // One connection: the counters of others may come later.
  const database = new PostgresDatabase(url, 1);
  await run(database, 'drop schema public cascade');
  await run(database, 'create schema public');
  await prepareSchema(database);
  await send(database, 'replace facts', 5, facts(20, 1));
  await send(database, 'replace facts', 5, facts(19, 2));
  await send(database, 'replace catalog', 9, catalog(20, 'same'));
  for (let day = REPORTS + 3; day > 3; day -= 1) await send(database, 'store report', 8, report(day));
  await copyNodes(database, nodes);
  const [[size] = []] = await run(database, 'select pg_database_size(current_database())');
  console.log(`${nodes} nodes: ${Math.round(Number(size) / 1e6)} MB`);
  let round = 0;
  const next = () => {
    round += 1;
    return 2 - round / 100;
  };
  await measure(database, 'facts, nothing changed', () => send(database, 'replace facts', 5, facts(next(), 2)));
  await measure(database, 'facts, a new uptime', () => send(database, 'replace facts', 5, facts(next(), round)));
  await measure(database, 'catalog, nothing changed', () =>
    send(database, 'replace catalog', 9, catalog(next(), 'same')),
  );
  await measure(database, 'catalog, a changed resource', () =>
    send(database, 'replace catalog', 9, catalog(next(), `v${round}`)),
  );
  await measure(database, 'report', () => send(database, 'store report', 8, report(next())));
  const reader = new InventoryReader(database, { timeMs: 120_000, rows: 1_000_000, megabytes: 64 });
  for (const query of QUERIES) {
    await measure(database, query.slice(0, 46), async () => {
      const answer = await reader.read(readQueryText(query, true), NO_PARAMETERS);
      for await (const _ of answer.rows);
    });
  }
  await measureCommands('reports of many nodes, each', readCpu, (certname) =>
    send(database, 'store report', 8, { ...report(1), certname }),
  );
  await measureCommands('facts of many nodes, a new uptime, each', readCpu, (certname) =>
    send(database, 'replace facts', 5, { ...facts(1, 99), certname }),
  );
  let kept = REPORTS + 3;
  await measure(database, 'a day of reports expired', () => {
    kept -= 1;
    return dropReportsBefore(database, Date.now() - kept * DAY_MS);
  });
  console.log(await describeStorage(database));
  await database.close();
}
await stop();
