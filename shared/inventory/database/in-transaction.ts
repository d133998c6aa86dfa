import { type DatabaseConnection, DatabaseUnavailable, StatementTimedOut } from './inventory-database.ts';

/** Runs the body between `begin` and `commit`; rolls back when it throws. */
export async function inTransaction<T>(
  connection: DatabaseConnection,
  begin: string,
  body: () => Promise<T>,
): Promise<T> {
  await connection.run({ text: begin, values: [] });
  try {
    const result = await body();
    await connection.run({ text: 'commit', values: [] });
    return result;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable || error instanceof StatementTimedOut)) {
      await connection.run({ text: 'rollback', values: [] });
    }
    throw error;
  }
}
