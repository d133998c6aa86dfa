import { type DatabaseConnection, type DatabaseRow, type ReadLimits, TooManyRows } from './inventory-database.ts';
import type { Statement } from './sql.ts';

/** Rows of one batch; a batch of fact sets has about 1 MB. */
const BATCH = 200;

/** Reads a statement through a cursor, on a connection that is in a transaction. */
export async function* readCursor(
  connection: DatabaseConnection,
  { text, values }: Statement,
  limits: ReadLimits,
): AsyncGenerator<readonly DatabaseRow[]> {
  await connection.run({ text: `declare inventory_rows no scroll cursor for ${text}`, values });
  let count = 0;
  for (;;) {
    const rows = await connection.run({ text: `fetch ${BATCH} from inventory_rows`, values: [] });
    count += rows.length;
    if (count > limits.rows) throw new TooManyRows(limits.rows);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH) return;
  }
}
