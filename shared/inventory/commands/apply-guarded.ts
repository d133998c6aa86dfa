import { type DatabaseConnection, DatabaseError } from '../database/inventory-database.ts';
import { applyCommand, type CommandTerms, type InventoryCommand } from './apply-command.ts';
import { InvalidPayload } from './payload.ts';

/**
 * Applies a command as a part of the transaction. A command that cannot be applied leaves no trace:
 * returns the reason. Throws when the database is away.
 */
export async function applyGuarded(
  connection: DatabaseConnection,
  command: InventoryCommand,
  terms: CommandTerms,
): Promise<InvalidPayload | DatabaseError | null> {
  await connection.run({ text: 'savepoint command', values: [] });
  try {
    await applyCommand(connection, command, terms);
    await connection.run({ text: 'release savepoint command', values: [] });
    return null;
  } catch (error) {
    if (!(error instanceof InvalidPayload || error instanceof DatabaseError)) throw error;
    await connection.run({ text: 'rollback to savepoint command', values: [] });
    return error;
  }
}
