import type { Statement } from './sql.ts';
import type { PostedTask } from './task-messages.ts';

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
