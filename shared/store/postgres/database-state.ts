import type { DatabaseState, Replication } from '../ports/servers.ts';
import { numberOfColumn, type Row, textOfColumn } from '../sql/connection.ts';
import type { PostgresConnection } from './connection.ts';
import type { DatabaseClock } from './database-clock.ts';

const STATE = `SELECT current_setting('server_version') AS version,
  current_setting('data_checksums') AS checksums,
  current_setting('synchronous_commit') AS synchronous_commit`;

/** `sync_state` and the rest are null to a role that may not see them. */
const STANDBYS = `SELECT count(*) AS standbys, pg_has_role('pg_read_all_stats', 'USAGE') AS may_see, count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) AS synchronous,
  max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint AS lag FROM pg_stat_replication`;

/** Describes the database that servers share. */
export async function describeDatabase(database: PostgresConnection, clock: DatabaseClock): Promise<DatabaseState> {
  const [state, standbys] = [(await database.get(STATE)) ?? {}, (await database.get(STANDBYS)) ?? {}];
  return {
    address: database.shown,
    version: textOfColumn(state, 'version'),
    replication: replicationOf(state, standbys),
    lagBytes: typeof standbys.lag === 'number' ? standbys.lag : null,
    hasChecksums: state.checksums === 'on',
    clockOffsetMs: clock.describe().machineMs,
    connections: database.use,
  };
}

function replicationOf(state: Row, standbys: Row): Replication {
  if (numberOfColumn(standbys, 'standbys') === 0) return 'none';
  if (standbys.may_see !== 1) return 'unknown';
  const isWaited = !['off', 'local'].includes(textOfColumn(state, 'synchronous_commit'));
  return isWaited && numberOfColumn(standbys, 'synchronous') > 0 ? 'synchronous' : 'asynchronous';
}

/** Warnings of weaknesses that an operator should mend before a fleet depends on the database. */
export function warnOfDatabase({ replication, hasChecksums, clockOffsetMs }: DatabaseState): readonly string[] {
  return [
    ...(replication === 'asynchronous' ? [ASYNCHRONOUS] : []),
    ...(replication === 'unknown' ? [UNKNOWN] : []),
    ...(hasChecksums ? [] : ['the database has no data checksums (see pg_checksums): damage is not found']),
    ...(Math.abs(clockOffsetMs) > MOST_OFFSET_MS
      ? [`the clock of this machine is ${Math.round(clockOffsetMs / 1000)} s off that of the database`]
      : []),
  ];
}

const ASYNCHRONOUS =
  'the database replicates asynchronously: when a standby takes over, the last certificates, revocations and deploys that were answered may be lost (see synchronous_standby_names)';
const UNKNOWN = 'the replication of the database cannot be seen: GRANT pg_monitor to the role of the servers';
/** More than this should be mended. */
export const MOST_OFFSET_MS = 5000;
