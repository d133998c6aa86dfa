import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreRefused } from '../../ports/store-errors.ts';
import { unusableDirectoryError } from '../database-errors.ts';
import { DATABASE } from '../directory-files.ts';
import { type DamagedRow, findDamagedRows, registerDigests } from '../row-digests.ts';
import { DIGESTED_TABLES, SCHEMA } from '../schema.ts';
import { findSchemaFaults, findSchemaState } from '../schema-check.ts';
import { noteDamage } from './damage-log.ts';

/** Faults and rows beyond them are not listed. */
const MOST = 20;

export interface DatabaseDamage {
  /** Finds what SQLite's own check finds, and tables that differ from the schema. */
  readonly faults: readonly string[];
  /** Looked for only without faults. */
  readonly rows: readonly DamagedRow[];
}

/**
 * Reads all of the database of a data directory, and notes damage. Throws StoreRefused for one that
 * cannot be read at all, or is of another version.
 */
export function checkDatabase(directory: string): DatabaseDamage {
  return withPlainConnection(directory, (connection) => {
    if (findSchemaState(connection, directory) === 'older') {
      throw new StoreRefused(`data directory '${directory}' was written by an older release: start the server once`);
    }
    const checked = connection.prepare(`PRAGMA integrity_check(${MOST})`).all();
    const faults = [
      ...checked.map(({ integrity_check: text }) => String(text)).filter((text) => text !== 'ok'),
      ...findSchemaFaults(connection, SCHEMA),
    ];
    const rows = faults.length > 0 ? [] : findDamagedRows(connection, DIGESTED_TABLES, MOST);
    for (const name of faults) noteDamage(directory, { kind: 'database', name });
    for (const { key, table } of rows) noteDamage(directory, { kind: 'row', name: `${key} of table ${table}` });
    return { faults, rows };
  });
}

/**
 * Calls `work` with a connection that checks nothing by itself. Throws StoreRefused, naming the
 * directory, for SQLite's errors.
 */
export function withPlainConnection<T>(directory: string, work: (connection: DatabaseSync) => T): T {
  try {
    const connection = new DatabaseSync(join(directory, DATABASE), { timeout: 10_000 });
    try {
      registerDigests(connection, directory, DIGESTED_TABLES);
      return work(connection);
    } finally {
      connection.close();
    }
  } catch (error) {
    throw unusableDirectoryError(directory, error);
  }
}
