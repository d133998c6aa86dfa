import { messageOf } from '../../util/message-of.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { noteDamage } from './damage/damage-log.ts';
import { adviseOwner } from './folder-owner.ts';

/** SQLite's result code when another connection holds a lock. */
export const BUSY = 5;

/** Transient SQLite result codes: BUSY, LOCKED, NOMEM, INTERRUPT, PROTOCOL. */
const TRANSIENT = new Set([BUSY, 6, 7, 9, 15]);
/**
 * Result codes that need an operator: PERM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, AUTH, NOTADB.
 */
const PERMANENT = new Set([3, 8, 10, 11, 13, 14, 23, 26]);

/** CORRUPT and NOTADB. */
const DAMAGED = new Set([11, 26]);

/**
 * Translates an SQLite error to a store error that names the directory; other errors pass
 * unchanged.
 */
export function translateDatabaseError(directory: string, error: unknown): unknown {
  const code = resultCode(error);
  if (code === null) return error;
  if (DAMAGED.has(code)) noteDamage(directory, { kind: 'database', name: messageOf(error) });
  const what = `data directory '${directory}': ${messageOf(error)}${adviseOwner(directory, error)}`;
  if (TRANSIENT.has(code)) return new StoreUnavailable(what, error);
  return PERMANENT.has(code) ? new StoreRefused(what, error) : error;
}

/** The error for a data directory that cannot be opened; its message names the directory. */
export function unusableDirectoryError(directory: string, error: unknown): Error {
  if (error instanceof StoreRefused) return error;
  if (resultCode(error) !== null && TRANSIENT.has(resultCode(error) ?? 0)) {
    return new StoreUnavailable(`data directory '${directory}' is busy: ${messageOf(error)}`, error);
  }
  const isDamaged = DAMAGED.has(resultCode(error) ?? 0);
  if (isDamaged) noteDamage(directory, { kind: 'database', name: messageOf(error) });
  const advice = isDamaged ? ": restore a backup ('understudy restore')" : adviseOwner(directory, error);
  return new StoreRefused(`data directory '${directory}' cannot be used: ${messageOf(error)}${advice}`, error);
}

/** SQLite's primary result code; null when the error is not from SQLite. */
export function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}
