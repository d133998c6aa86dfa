import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';

/** SQLite's result code where another connection holds a lock. */
export const BUSY = 5;

/** SQLite result codes that go away: BUSY, LOCKED, NOMEM, INTERRUPT, PROTOCOL. */
const TRANSIENT = new Set([BUSY, 6, 7, 9, 15]);
/**
 * ... and those that somebody has to mend: PERM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, AUTH,
 * NOTADB.
 */
const PERMANENT = new Set([3, 8, 10, 11, 13, 14, 23, 26]);

/** An error of SQLite's as one of the store's that names the directory; any other as it is. */
export function translateDatabaseError(directory: string, error: unknown): unknown {
  const code = resultCode(error);
  if (code === null) return error;
  const what = `data directory '${directory}': ${messageOf(error)}`;
  if (TRANSIENT.has(code)) return new StoreUnavailable(what, error);
  return PERMANENT.has(code) ? new StoreRefused(what, error) : error;
}

/** What keeps a data directory from being opened, with its name. */
export function unusableDirectoryError(directory: string, error: unknown): Error {
  if (resultCode(error) !== null && TRANSIENT.has(resultCode(error) ?? 0)) {
    return new StoreUnavailable(`data directory '${directory}' is busy: ${messageOf(error)}`, error);
  }
  return new StoreRefused(`data directory '${directory}' cannot be used: ${messageOf(error)}`, error);
}

/** SQLite's primary result code, or null when the error is none of SQLite's. */
export function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
