import { WORKER_CONNECTIONS } from '../../config/settings.ts';
import { StoreRefused, StoreUnavailable } from '../../store/ports/store-errors.ts';
import { PostgresConnection } from '../../store/postgres/connection.ts';
import { DatabaseClock } from '../../store/postgres/database-clock.ts';
import { describeDatabase, MOST_OFFSET_MS } from '../../store/postgres/database-state.ts';
import { measureMedian } from '../../store/postgres/measure-median.ts';
import { readDatabasePlace } from '../../store/postgres/place.ts';
import { POSTGRES_TABLES, requireTables } from '../../store/postgres/schema.ts';
import { numberOfColumn, textOfColumn } from '../../store/sql/connection.ts';
import { countUnits } from '../../util/count-units.ts';
import type { PreflightFinding } from '../preflight/run-preflight.ts';

/** The servers that are to share the database. */
interface Sharing {
  readonly servers: number;
  /** Connections and compile workers of each, as `--database-connections` and `--workers`. */
  readonly databaseConnections: number;
  readonly workers: number;
}

type Found = Omit<PreflightFinding, 'check'>;
type Check = (database: PostgresConnection, sharing: Sharing) => Promise<Found>;

/** The checks in the order of the output. All that follow the first need a connection. */
const CHECKS: Readonly<Record<string, Check>> = {
  version: checkVersion,
  encoding: checkEncoding,
  tables: checkTables,
  privileges: checkPrivileges,
  settings: checkSettings,
  replication: checkReplication,
  checksums: checkChecksums,
  clock: checkClock,
  connections: checkConnections,
  latency: checkLatency,
  commit: checkCommit,
};

const LEAST_VERSION = 13;
/** Medians in milliseconds. Beyond them agents wait noticeably: a request needs some trips. */
const [SLOW_TRIP_MS, SLOW_COMMIT_MS] = [5, 50];

const ok = (text: string): Found => ({ verdict: 'ok', text });
const warns = (text: string): Found => ({ verdict: 'warns', text });
const fails = (text: string): Found => ({ verdict: 'fails', text });

/**
 * Checks whether servers can work on a database, and changes nothing. Throws StoreRefused for an
 * address that is none.
 */
export async function checkSharedDatabase(url: string, sharing: Sharing): Promise<readonly PreflightFinding[]> {
  const place = readDatabasePlace(url);
  const database = new PostgresConnection(place, { connections: 1, name: 'understudy check' });
  const findings: PreflightFinding[] = [];
  try {
    await database.get('SELECT 1 AS one');
    findings.push({ check: 'connection', ...ok(`${database.shown} takes writes`) });
    for (const [check, run] of Object.entries(CHECKS)) {
      findings.push({ check, ...(await run(database, sharing).catch(explainFault)) });
    }
  } catch (error) {
    findings.push({ check: 'connection', ...explainFault(error) });
  } finally {
    await database.close();
  }
  return findings;
}

function explainFault(error: unknown): Found {
  if (error instanceof StoreRefused || error instanceof StoreUnavailable) return fails(error.message);
  throw error;
}

async function checkVersion(database: PostgresConnection): Promise<Found> {
  const row = (await database.get("SELECT current_setting('server_version') AS version")) ?? {};
  const version = textOfColumn(row, 'version');
  const text = `PostgreSQL ${version}`;
  return Number.parseInt(version, 10) >= LEAST_VERSION ? ok(text) : fails(`${text}: ${LEAST_VERSION} is the oldest`);
}

async function checkEncoding(database: PostgresConnection): Promise<Found> {
  const row = (await database.get("SELECT current_setting('server_encoding') AS encoding")) ?? {};
  const encoding = textOfColumn(row, 'encoding');
  return encoding === 'UTF8' ? ok(encoding) : fails(`${encoding}: make the database with ENCODING 'UTF8'`);
}

async function checkTables(database: PostgresConnection): Promise<Found> {
  const release = await requireTables(database);
  return ok(release === 'this' ? 'those of this release' : 'those of a newer release, which this one may use');
}

async function checkPrivileges(database: PostgresConnection): Promise<Found> {
  const rows = await database.selectAll(
    `SELECT name, current_user AS role FROM unnest(string_to_array(?, ' ')) AS name
     WHERE to_regclass(name) IS NOT NULL AND EXISTS (SELECT 1 FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
       AS privilege WHERE NOT has_table_privilege(to_regclass(name), privilege)) ORDER BY name`,
    POSTGRES_TABLES.join(' '),
  );
  const [first] = rows;
  if (first !== undefined) {
    const names = rows.map((row) => textOfColumn(row, 'name'));
    const shown = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
    return fails(`${textOfColumn(first, 'role')} may not read and write ${shown}: it should own the tables`);
  }
  const sql = "SELECT has_schema_privilege(current_schema(), 'CREATE') AS may, current_user AS role";
  const row = (await database.get(sql)) ?? {};
  const role = textOfColumn(row, 'role');
  if (row.may === 1) return ok(`${role} may read, write and make tables`);
  return warns(`${role} may make no tables: 'understudy database prepare' of a newer release needs another role`);
}

/** Values that servers need, and what happens with others. */
const SETTINGS: readonly (readonly [name: string, good: RegExp, otherwise: string])[] = [
  ['fsync', /^on$/, 'a crash of its machine damages the database'],
  ['full_page_writes', /^on$/, 'a crash of its machine damages the database'],
  ['synchronous_commit', /^(?!off$)/, 'a crash loses what was answered'],
  ['autovacuum', /^on$/, 'tables grow without end'],
  ['default_transaction_read_only', /^off$/, 'nothing can be written'],
  ['default_transaction_isolation', /^read committed$/, 'servers end the transactions of each other'],
];

async function checkSettings(database: PostgresConnection): Promise<Found> {
  const columns = SETTINGS.map(([name]) => `current_setting('${name}') AS ${name}`);
  const row = (await database.get(`SELECT ${columns.join(', ')}`)) ?? {};
  const faults = SETTINGS.flatMap(([name, good, otherwise]) => {
    const value = textOfColumn(row, name);
    return good.test(value) ? [] : [`${name} is ${value} (${otherwise})`];
  });
  return faults.length === 0 ? ok('safe') : fails(faults.join('; '));
}

async function checkReplication(database: PostgresConnection): Promise<Found> {
  const { replication, lagBytes } = await describe(database);
  if (replication === 'none') return warns('no standby is connected: what its machine loses is lost');
  if (replication === 'unknown') return warns('it cannot be seen: GRANT pg_monitor to the role of the servers');
  const text = `${replication}${lagBytes === null ? '' : `, ${countUnits(lagBytes, 'byte')} behind`}`;
  if (replication === 'synchronous') return ok(text);
  return warns(`${text}: the last answers are lost when a standby takes over (see synchronous_standby_names)`);
}

async function checkChecksums(database: PostgresConnection): Promise<Found> {
  const { hasChecksums } = await describe(database);
  return hasChecksums ? ok('on') : warns('off: damaged pages are not found (see pg_checksums)');
}

async function checkClock(database: PostgresConnection): Promise<Found> {
  const { clockOffsetMs } = await describe(database);
  const text = `this machine is ${clockOffsetMs} ms off`;
  return Math.abs(clockOffsetMs) > MOST_OFFSET_MS ? warns(text) : ok(text);
}

async function describe(database: PostgresConnection) {
  const clock = await DatabaseClock.start(database);
  clock.stop();
  return describeDatabase(database, clock);
}

async function checkConnections(database: PostgresConnection, sharing: Sharing): Promise<Found> {
  const { servers, databaseConnections, workers } = sharing;
  const row = await database.get(
    `SELECT least(
       current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
       (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
       (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS most`,
  );
  const most = numberOfColumn(row ?? {}, 'most');
  const needed = servers * (databaseConnections + WORKER_CONNECTIONS * workers);
  const text = `${countUnits(servers, 'server')} may take ${needed} of ${most}`;
  return needed <= most ? ok(text) : fails(`${text}: raise max_connections, or lower --database-connections`);
}

async function checkLatency(database: PostgresConnection): Promise<Found> {
  const took = await measureMedian(() => database.get('SELECT 1 AS one'));
  const text = `a round trip takes ${took.toFixed(1)} ms`;
  return took > SLOW_TRIP_MS ? warns(`${text}: bring servers and database closer together`) : ok(text);
}

/** Writes a message to the log, which nobody reads: no table changes. */
async function checkCommit(database: PostgresConnection): Promise<Found> {
  const sql = "SELECT pg_logical_emit_message(true, 'understudy', 'check')::text AS place";
  const took = await measureMedian(() => database.runInTransaction((on) => on.get(sql))).catch(explainFault);
  if (typeof took !== 'number') return fails(`${took.text}: is a standby of synchronous_standby_names away?`);
  const text = `a commit takes ${took.toFixed(1)} ms`;
  return took > SLOW_COMMIT_MS ? warns(`${text}: its disks, or its synchronous standby, are slow`) : ok(text);
}
