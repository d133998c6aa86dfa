import { type DatabaseConnection, DatabaseError, DatabaseUnavailable } from './inventory-database.ts';
import type { Statement } from './sql.ts';

/** A task for another thread. */
export interface PostedTask {
  readonly module: string;
  readonly name: string;
  readonly argument: unknown;
}

/** An error as plain data: structured clone loses its class. */
export interface PostedFault {
  readonly kind: 'database' | 'unavailable' | 'other';
  readonly message: string;
  readonly code: string;
}

/** Does a task that another thread posted. */
export async function runPostedTask(
  connection: DatabaseConnection,
  { module, name, argument }: PostedTask,
): Promise<unknown> {
  const exported: Readonly<Record<string, unknown>> = await import(module);
  const run = exported[name];
  if (typeof run !== 'function') throw new Error(`invariant: ${module} exports no function '${name}'`);
  return run(connection, argument);
}

/** Converts an error to plain data. */
export function postFault(error: unknown): PostedFault {
  if (error instanceof DatabaseError) return { kind: 'database', message: error.message, code: error.code };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: error instanceof DatabaseUnavailable ? 'unavailable' : 'other', message, code: '' };
}

/** Restores the class of an error. */
export function restoreFault({ kind, message, code }: PostedFault): Error {
  if (kind === 'database') return new DatabaseError(message, code);
  return kind === 'unavailable' ? new DatabaseUnavailable(message) : new Error(message);
}

/** Settings of a thread with PGlite. */
export interface PgliteSettings {
  /** The folder of the database; null keeps it in memory. */
  readonly folder: string | null;
  /** Megabytes of memory of one query: see ReadLimits. */
  readonly queryMegabytes: number;
}

/**
 * Work for the thread: to open the database, a statement, whose rows it answers, a task in a
 * transaction of its own, or to close and end.
 */
export type PgliteWork = { readonly statement: Statement } | { readonly task: PostedTask } | 'open' | 'close';
