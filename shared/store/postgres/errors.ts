import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';

/** SQLSTATE of a transaction that PostgreSQL ended for another one: it may run again. */
const REPEATABLE = new Set(['40001', '40P01']);

/**
 * SQLSTATEs, or their classes, of faults that pass: lost connections, time-outs, shutdown, a
 * standby that refuses writes, too many connections, locks.
 */
const TRANSIENT = ['08', '25006', '40', '53300', '53400', '55', '57', '58030'];

/** A server of the database is not the one that takes writes. */
export class StandbyError extends Error {}

/** The SQLSTATE of an error; null for one that is not PostgreSQL's. */
function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : null;
}

/** Whether the transaction of the error may run again at once. */
export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.has(sqlStateOf(error) ?? '');
}

/** Whether the connection of an error is lost, or to a server that is of no use. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === null) return error instanceof Error && isOfNetwork(error);
  return state.startsWith('08') || state.startsWith('57P') || state === '25006';
}

/**
 * Translates an error of the driver to a store error that names the database. Errors of the store
 * pass unchanged, and so do others that are no errors of the driver or of the network.
 */
export function translatePostgresError(shown: string, error: unknown): unknown {
  if (error instanceof StoreRefused || error instanceof StoreUnavailable || !(error instanceof Error)) return error;
  const what = `database ${shown}: ${error.message}`;
  const state = sqlStateOf(error);
  if (state === null && isOfTls(error)) return new StoreRefused(what, error);
  if (state === null) return isOfNetwork(error) ? new StoreUnavailable(what, error) : error;
  if (TRANSIENT.some((code) => state.startsWith(code))) return new StoreUnavailable(what, error);
  return new StoreRefused(`${what}${adviceOf(state)}`, error);
}

/** Messages of the driver for connections that end, and for a pool that is closed. */
const NETWORK =
  /^(Connection terminated|Query read timeout|timeout |Client (was|has)|Received unexpected|Cannot use a pool after)/;

function isOfNetwork(error: Error): boolean {
  return error instanceof StandbyError || /^E[A-Z]+$/.test(codeOf(error)) || NETWORK.test(error.message);
}

/** A certificate that is not trusted, or a server without TLS. */
function isOfTls(error: Error): boolean {
  return /CERT|TLS|SSL|VERIFY/.test(codeOf(error)) || error.message.includes('SSL connection');
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** A remedy for a fault that an operator has to mend. */
function adviceOf(state: string): string {
  if (state === '53100') return ': its disk is full';
  if (state === '42P01' || state === '3D000' || state === '42501') return ": see 'understudy database prepare'";
  return state.startsWith('XX') ? ': its data is damaged' : '';
}
