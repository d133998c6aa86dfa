import { InvalidAuthorization } from '../access/authorization/place.ts';
import { DatabaseUnavailable, StatementTimedOut } from '../inventory/database/inventory-database.ts';
import { StoreRefused, StoreUnavailable } from '../store/ports/store-errors.ts';
import { ListenFailed } from '../util/listening.ts';
import { StartRefused } from './check-start.ts';
import { NoControlRepo } from './control-repo.ts';

/** Errors that the user can fix. */
const EXPECTED = [
  DatabaseUnavailable,
  InvalidAuthorization,
  ListenFailed,
  NoControlRepo,
  StartRefused,
  StatementTimedOut,
  StoreRefused,
  StoreUnavailable,
];

/** Describes the error that ends a server: its message; a bug of ours has its stack. */
export function describeStartFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = EXPECTED.some((kind) => error instanceof kind) || isSystemError(error);
  return isExpected ? error.message : (error.stack ?? error.message);
}

/** Whether a file or folder cannot be used; the message names it. */
function isSystemError(error: Error): boolean {
  return 'code' in error && 'syscall' in error;
}
