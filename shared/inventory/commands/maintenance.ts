import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection, DatabaseTask, InventoryDatabase } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import { writeTime } from '../query/timestamps.ts';
import { listFactPaths } from './fact-path-list.ts';
import { requireMap } from './payload.ts';
import { deleteReportsOf, dropReportsBefore } from './report-days.ts';
import { readWireJson } from './wire-json.ts';

/** Retention of each kind of data, in milliseconds; null for ever. */
export interface InventoryRetention {
  /** A node without facts, catalog or report for so long expires. */
  readonly nodeMs: number | null;
  /** A node that expired or was deactivated so long ago is deleted with all its data. */
  readonly purgeMs: number | null;
  /** Reports of days (UTC) before that are deleted. */
  readonly reportMs: number | null;
}

/** The hour, in UTC, whose pass deletes unused paths of facts: it reads the facts of many nodes. */
const PATHS_HOUR = 3;
/** Milliseconds between two passes. */
export const MAINTENANCE_MS = 3600_000;

/**
 * When the next pass is due: an hour after the last one of any server; after the first look, where
 * there was none.
 */
export async function nextMaintenance(database: InventoryDatabase, now: number): Promise<number> {
  const rows = await database.transaction(async (connection) => {
    await connection.run(
      sql`insert into maintenance (done) select ${bind(writeTime(now), 'timestamptz')}
        where not exists (select from maintenance)`.render(),
    );
    return connection.run({ text: 'select extract(epoch from max(done)) * 1000 from maintenance', values: [] });
  });
  return Number(rows[0]?.[0]) + MAINTENANCE_MS;
}

/** Expires, purges and deletes what is old, and then what nothing refers to any more. */
export async function maintainInventory(
  database: InventoryDatabase,
  { nodeMs, purgeMs, reportMs }: InventoryRetention,
  now: number,
): Promise<void> {
  const steps: readonly ((connection: DatabaseConnection) => Promise<unknown>)[] = [
    ...(nodeMs === null ? [] : [(connection: DatabaseConnection) => expireNodes(connection, now - nodeMs, now)]),
    ...(purgeMs === null ? [] : [(connection: DatabaseConnection) => purgeNodes(connection, now - purgeMs)]),
    ...UNUSED.map((text) => (connection: DatabaseConnection) => connection.run({ text, values: [] })),
    (connection) => connection.run(sql`update maintenance set done = ${bind(writeTime(now), 'timestamptz')}`.render()),
  ];
  if (new Date(now).getUTCHours() === PATHS_HOUR) await database.perform(DELETE_UNUSED_PATHS, null);
  if (reportMs !== null) await dropReportsBefore(database, now - reportMs);
  for (const step of steps) await database.transaction(step);
}

/** Rows of shared tables that no node needs. */
const UNUSED: readonly string[] = [
  `delete from resources where not exists (select from catalog_resources where resource_id = resources.id)
    and not exists (select from edges where source_id = resources.id or target_id = resources.id)`,
  'delete from packages where not exists (select from certname_packages where package_id = packages.id)',
  `delete from environments where not exists (select from factsets where environment_id = environments.id)
    and not exists (select from catalogs where environment_id = environments.id)
    and not exists (select from reports where environment_id = environments.id)`,
];

async function expireNodes(connection: DatabaseConnection, before: number, now: number): Promise<void> {
  const stale = bind(writeTime(before), 'timestamptz');
  const expired = await connection.run(
    sql`update certnames set expired = ${bind(writeTime(now), 'timestamptz')}
      where deactivated is null and expired is null
        and not exists (select from catalogs where certname_id = certnames.id and producer_timestamp >= ${stale})
        and not exists (select from factsets where certname_id = certnames.id and producer_timestamp >= ${stale})
        and not exists (select from certname_fact_expiration cfe where cfe.certname_id = certnames.id
          and (not cfe.expire or cfe.updated >= ${stale}))
        and (latest_report_timestamp is null or latest_report_timestamp < ${stale})
        and (catalog_inputs_timestamp is null or catalog_inputs_timestamp < ${stale}) returning certname`.render(),
  );
  for (const [certname] of expired) {
    await noteTopicChange(connection, { kind: 'nodes', names: [], certname: certname ?? '' });
  }
}

async function purgeNodes(connection: DatabaseConnection, before: number): Promise<void> {
  const time = bind(writeTime(before), 'timestamptz');
  const old = sql`(deactivated < ${time} or expired < ${time})`;
  await connection.run(
    sql`delete from fed_nodes where certname in (select certname from certnames where ${old})`.render(),
  );
  await deleteReportsOf(connection, sql`select certname from certnames where ${old}`);
  await connection.run(sql`delete from certnames where ${old}`.render());
}

/** Factsets that are read at a time. */
const PAGE = 100;

/**
 * Deletes the paths of facts that no node has any more; returns their number. The thread of the
 * database imports it by its name. Nodes with the same paths share a hash of them, so the facts of
 * one node for each hash are read.
 */
export async function deleteUnusedPaths(connection: DatabaseConnection, _: null): Promise<number> {
  // Whoever adds a path waits until the unused ones are gone.
  await connection.run({ text: 'lock table fact_paths in exclusive mode', values: [] });
  const used = new Set<string>();
  for (let after: string | null = ''; after !== null; ) after = await addPaths(connection, after, used);
  const rows = await connection.run({ text: 'select id, path, value_type from fact_paths', values: [] });
  const unused = rows.filter(([, path, type]) => !used.has(`${path} ${type}`)).map(([id]) => String(id));
  await connection.run(sql`delete from fact_paths where id = any(${bindTexts(unused)}::int[])`.render());
  return unused.length;
}

/** `deleteUnusedPaths` as a task. */
const DELETE_UNUSED_PATHS: DatabaseTask<null, number> = {
  module: import.meta.url,
  name: 'deleteUnusedPaths',
  run: deleteUnusedPaths,
};

/** Adds the paths of the hashes after `after`; returns the last one, null at the end. */
async function addPaths(connection: DatabaseConnection, after: string, used: Set<string>): Promise<string | null> {
  const rows = await connection.run(
    sql`select distinct on (paths_hash) paths_hash, stable, volatile from factsets
      where paths_hash > ${bind(after)} order by paths_hash limit ${bind(String(PAGE), 'int')}`.render(),
  );
  for (const [, ...documents] of rows) {
    for (const document of documents) {
      const facts = requireMap(readWireJson(document ?? '{}'), 'the stored facts');
      for (const { path, type } of listFactPaths(facts)) used.add(`${path} ${type}`);
    }
  }
  return rows.length < PAGE ? null : String(rows.at(-1)?.[0]);
}
