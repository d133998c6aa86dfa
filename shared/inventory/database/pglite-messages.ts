import type { DatabaseRow } from './inventory-database.ts';
import type { Statement } from './sql.ts';
import type { PostedFault, PostedTask } from './task-messages.ts';

/** What a thread with PGlite is started with. */
export interface PgliteSettings {
  /** The folder of the database; null keeps it in memory. */
  readonly folder: string | null;
}

/** Work for the thread: a statement, a task in a transaction of its own, or to close and end. */
export interface PgliteRequest {
  readonly id: number;
  readonly work: { readonly statement: Statement } | { readonly task: PostedTask } | 'close';
}

/** The rows of a statement, the result of a task, or why it failed. */
export interface PgliteAnswer {
  readonly id: number;
  readonly rows?: readonly DatabaseRow[];
  readonly result?: unknown;
  readonly fault?: PostedFault;
}
