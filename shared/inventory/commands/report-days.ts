import { DAY_MS } from '../../util/day.ts';
import { type DatabaseConnection, DatabaseError, type InventoryDatabase } from '../database/inventory-database.ts';
import { bind, constantSql, sql } from '../database/sql.ts';

/**
 * The partitions of reports and of their events: one for each day (UTC). Reports whose time is far
 * from that of their receipt share the partition of `NO_DAY`, so that wrong clocks cannot make
 * partitions without bound; there, old ones are deleted by their rows.
 */

const PARENTS = ['reports', 'resource_events'] as const;
/** The day of reports whose time is no good. */
const NO_DAY = '0001-01-01';
/** Reports of days longer ago than this, or further ahead, have no partition of their own. */
const [MOST_DAYS_AGO, MOST_DAYS_AHEAD] = [400, 2];
/** Timeout for dropping a partition while readers use it; new readers wait behind it. */
const LOCK_TIMEOUT_MS = 3000;
/** PostgreSQL's code for a lock that was not to be had in time. */
const LOCKED = '55P03';
/** All servers that make partitions take this lock, an arbitrary number. */
const MAKING_LOCK = 716_202_611;

/** The day of a report's partition, which is made if it is the first one. */
export async function ensureReportDay(connection: DatabaseConnection, time: string, received: string): Promise<string> {
  const day = chooseDay(Date.parse(time), Date.parse(received));
  if (!(await hasPartition(connection, day))) await makePartitions(connection, day);
  return day;
}

function chooseDay(time: number, received: number): string {
  const daysAgo = (received - time) / DAY_MS;
  return daysAgo > MOST_DAYS_AGO || daysAgo < -MOST_DAYS_AHEAD ? NO_DAY : writeDay(time);
}

const writeDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
const nameOf = (parent: string, day: string): string => `${parent}_${day.replaceAll('-', '')}`;

async function hasPartition(connection: DatabaseConnection, day: string): Promise<boolean> {
  const [row] = await connection.run(sql`select to_regclass(${bind(nameOf('reports', day))})`.render());
  return row?.[0] !== null && row?.[0] !== undefined;
}

/** A table that is attached later blocks neither readers nor writers, other than `partition of`. */
async function makePartitions(connection: DatabaseConnection, day: string): Promise<void> {
  await connection.run({ text: `select pg_advisory_xact_lock(${MAKING_LOCK})`, values: [] });
  if (await hasPartition(connection, day)) return;
  const next = writeDay(Date.parse(day) + DAY_MS);
  for (const parent of PARENTS) {
    const name = nameOf(parent, day);
    await connection.run({ text: `create table ${name} (like ${parent} including defaults)`, values: [] });
    const text = `alter table ${parent} attach partition ${name} for values from ('${day}') to ('${next}')`;
    await connection.run({ text, values: [] });
  }
}

/**
 * Deletes the reports of the days before that of a time, with their events. A partition that is
 * being read stays until the next call.
 */
export async function dropReportsBefore(database: InventoryDatabase, before: number): Promise<void> {
  const first = writeDay(before);
  await database.transaction((connection) => deleteUndated(connection, first));
  for (const day of await listDays(database)) {
    if (day === NO_DAY || day >= first) continue;
    await database
      .transaction((connection) => dropPartitions(connection, day))
      .catch((error: unknown) => {
        if (!(error instanceof DatabaseError && error.code === LOCKED)) throw error;
      });
  }
}

/** Nodes whose latest report is old have none; old reports without a day of their own go. */
async function deleteUndated(connection: DatabaseConnection, first: string): Promise<void> {
  const isOld = sql`< ${bind(`${first}T00:00:00Z`, 'timestamptz')}`;
  const columns = LATEST.map((name) => `latest_report_${name} = null`).join(', ');
  await connection.run(
    sql`update certnames set ${constantSql(columns)}
      where latest_report_timestamp ${isOld} and latest_report_id is not null`.render(),
  );
  const isUndated = sql`day = ${bind(NO_DAY, 'date')}`;
  await connection.run(
    sql`with old as (delete from reports where ${isUndated} and producer_timestamp ${isOld} returning id)
      delete from resource_events where ${isUndated} and report_id in (select id from old)`.render(),
  );
}

const LATEST = [
  'id',
  'hash',
  'status',
  'noop',
  'noop_pending',
  'end_time',
  'job_id',
  'cached_catalog_status',
  'environment_id',
];

async function listDays(database: InventoryDatabase): Promise<readonly string[]> {
  const rows = await database.transaction((connection) =>
    connection.run({
      text: `select to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') from pg_inherits i
        join pg_class c on c.oid = i.inhrelid where i.inhparent = 'reports'::regclass order by 1`,
      values: [],
    }),
  );
  return rows.map(([day]) => day ?? '');
}

async function dropPartitions(connection: DatabaseConnection, day: string): Promise<void> {
  await connection.run({ text: `set local lock_timeout = ${LOCK_TIMEOUT_MS}`, values: [] });
  const names = PARENTS.map((parent) => nameOf(parent, day)).join(', ');
  await connection.run({ text: `drop table ${names}`, values: [] });
}

/** Deletes the reports of nodes, with their events. `certnames` selects names. */
export async function deleteReportsOf(
  connection: DatabaseConnection,
  certnames: ReturnType<typeof sql>,
): Promise<void> {
  await connection.run(
    sql`with old as (delete from reports where certname in (${certnames}) returning id, day)
      delete from resource_events using old
        where resource_events.report_id = old.id and resource_events.day = old.day`.render(),
  );
}
