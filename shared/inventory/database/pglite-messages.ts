import type { DatabaseRow } from './inventory-database.ts';
import type { Statement } from './sql.ts';

/** What a thread with PGlite is started with. */
export interface PgliteSettings {
  /** The folder of the database; null keeps it in memory. */
  readonly folder: string | null;
}

/** A statement for the thread; a null statement asks it to close the database and end. */
export interface PgliteRequest {
  readonly id: number;
  readonly statement: Statement | null;
}

/** The rows of a statement, or why PostgreSQL refused it. */
export interface PgliteAnswer {
  readonly id: number;
  readonly rows?: readonly DatabaseRow[];
  readonly error?: { readonly message: string; readonly code: string };
}
