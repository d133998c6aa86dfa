import { Worker } from 'node:worker_threads';
import type { InventoryCommand } from '../../../shared/inventory/commands/apply-command.ts';
import { applyNextCommand } from '../../../shared/inventory/commands/apply-next.ts';
import { CommandQueue } from '../../../shared/inventory/commands/command-queue.ts';
import type { InventoryDatabase } from '../../../shared/inventory/database/inventory-database.ts';
import { systemClock } from '../../../shared/store/system-clock.ts';

/** Has the queue take the commands, and applies all that wait, with a message for a statement. */
export async function applyAll(
  database: InventoryDatabase,
  commands: readonly InventoryCommand[],
  onAcknowledged: () => void,
): Promise<void> {
  const queue = new CommandQueue({ database, clock: systemClock, onTrouble: console.error });
  for (const command of commands) {
    await queue.enqueue({ ...command, payload: Buffer.from(command.payload) });
    onAcknowledged();
  }
  // As the queue does it, but with a message for each statement.
  const apply = () =>
    database.transaction((connection) => applyNextCommand(connection, { now: systemClock.now(), blockedFacts: [] }));
  while ((await apply()) !== null);
}

/** Calls `onStatement` with the number of each statement before the database's thread gets it. */
export function countStatements(onStatement: (count: number) => void): () => void {
  const post = Worker.prototype.postMessage;
  let count = 0;
  Worker.prototype.postMessage = function (this: Worker, ...given: Parameters<Worker['postMessage']>): void {
    count += 1;
    onStatement(count);
    post.apply(this, given);
  };
  return () => {
    Worker.prototype.postMessage = post;
  };
}
