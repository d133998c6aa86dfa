import type { DatabaseConnection, DatabaseTask } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import type { InventoryCommand } from './apply-command.ts';
import { cleanText } from './wire-json.ts';

/** A command that was sent: its payload is checked JSON in UTF-8, or nothing at all. */
export interface SentCommand extends Omit<InventoryCommand, 'payload'> {
  readonly payload: Uint8Array;
}

/** Stores a command that waits; returns its id. */
export async function storeCommand(
  connection: DatabaseConnection,
  { command, version, certname, payload, received }: SentCommand & { readonly received: string },
): Promise<string> {
  const text = new TextDecoder().decode(payload);
  const [row] = await connection.run(
    sql`insert into queued_commands (command, version, certname, payload, received)
      values (${bind(command)}, ${bind(String(version), 'int')}, ${bind(cleanText(certname))},
        ${bind(text)}, ${bind(received, 'timestamptz')}) returning id`.render(),
  );
  return String(row?.[0]);
}

/** `storeCommand` as a task. */
export const STORE_COMMAND: DatabaseTask<SentCommand & { readonly received: string }, string> = {
  module: import.meta.url,
  name: 'storeCommand',
  run: storeCommand,
};
