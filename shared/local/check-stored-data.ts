import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checkInThread, type DatabaseCheck } from '../store/embedded/damage/check-in-thread.ts';
import { ROW_REMEDIES } from '../store/embedded/damage/repair-database.ts';
import { DATABASE } from '../store/embedded/directory-files.ts';
import type { Clock } from '../store/ports/clock.ts';
import { DAY_MS } from '../util/day.ts';
import type { LocalLog } from './local-log.ts';

/** A start has other things to do first. */
const FIRST_PAUSE_MS = 60_000;
const PAUSE_MS = DAY_MS;
/** Reading that much takes ten seconds of a processor. */
const MOST_BYTES = 1024 ** 3;

type Log = Pick<LocalLog, 'logEntry' | 'logError'>;

/**
 * Reads all of the database after a minute and then once a day, until `signal` aborts: damage can
 * hide a row from its index, so that nobody finds it. What is found is logged and noted. A database
 * of more than 1 GB is left to `understudy verify`.
 * A test flipped 1,500 bits: 70 hid a row from a reader that asks by key. The checksums of all rows
 * find 69 of them, SQLite's `integrity_check` 39 with the last one, its `quick_check` 13; reads
 * with `cell_size_check` find none (November 2026).
 */
export async function keepChecking(
  directory: string,
  clock: Pick<Clock, 'sleep'>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause = PAUSE_MS) {
    await clock.sleep(pause, signal);
    if (signal.aborted) return;
    const size = statSync(join(directory, DATABASE), { throwIfNoEntry: false })?.size;
    if (size === undefined || size > MOST_BYTES) continue;
    const found = await checkInThread(directory, signal).catch((error: unknown) => {
      log.logError('The database could not be checked', error);
      return null;
    });
    for (const line of describeCheck(found)) log.logEntry(line);
  }
}

function describeCheck(found: DatabaseCheck | null): readonly string[] {
  if (found === null) return [];
  const { failure, faults, rows } = found;
  const lines = [
    ...(failure === null ? [] : [failure]),
    ...faults.map((fault) => `The database is damaged: ${fault}`),
    ...rows.map(({ table, key }) => `The row ${key} of table ${table} is damaged: ${ROW_REMEDIES[table]?.text}`),
  ];
  return lines.map((line) => `${line}; see 'understudy verify'`);
}
