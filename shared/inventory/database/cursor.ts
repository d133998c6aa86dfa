import {
  type DatabaseConnection,
  type DatabaseRow,
  explainReadError,
  type ReadLimits,
  TooManyRows,
  TooMuchMemory,
} from './inventory-database.ts';
import type { Statement } from './sql.ts';

/** Most rows of one batch. */
const MOST_ROWS = 200;
/** Rows of the first batch, whose size nobody knows: whole catalogs have megabytes. */
const FIRST_ROWS = 20;
/** The size that batches after the first are to have, in characters. */
const BATCH_SIZE = 2 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;

/** Kilobytes for each sort or grouping of a query; PostgreSQL's `work_mem`. */
export function workMemory({ megabytes }: Pick<ReadLimits, 'megabytes'>): number {
  return megabytes * 256;
}

/**
 * Reads a statement through a cursor, on a connection that is in a transaction; the plan of one,
 * which no cursor takes, at once. The number of rows
 * of a batch follows from the size of those before, so that memory is bounded also for large rows.
 * A commit keeps the rows that are left, a rollback does not.
 */
export async function* readCursor(
  connection: DatabaseConnection,
  { text, values }: Statement,
  limits: ReadLimits,
  cursor = 'inventory_rows',
): AsyncGenerator<readonly DatabaseRow[]> {
  const run = (statement: Statement) =>
    connection.run(statement).catch((error: unknown) => {
      throw explainReadError(error, limits);
    });
  if (text.startsWith('explain ')) {
    yield await run({ text, values });
    return;
  }
  await run({ text: `declare ${cursor} no scroll cursor with hold for ${text}`, values });
  let [count, size, wanted] = [0, 0, FIRST_ROWS];
  for (;;) {
    const rows = await run({ text: `fetch ${wanted} from ${cursor}`, values: [] });
    count += rows.length;
    if (count > limits.rows) throw new TooManyRows(limits.rows);
    if (rows.some((row) => measureRows([row]) > limits.megabytes * MEGABYTE)) throw new TooMuchMemory(limits.megabytes);
    if (rows.length > 0) yield rows;
    if (rows.length < wanted) return;
    size += measureRows(rows);
    wanted = Math.max(1, Math.min(MOST_ROWS, Math.floor((BATCH_SIZE * count) / size)));
  }
}

function measureRows(rows: readonly DatabaseRow[]): number {
  return rows.reduce((sum, row) => row.reduce((total, value) => total + (value?.length ?? 0), sum), 1);
}
