/**
 * `node killed-inventory.ts FOLDER KILL_AT FORMER COMMANDS`: a process with the database of FOLDER.
 * It stores the commands of the file FORMER in the queue and applies all that wait; then it does
 * the same with those of COMMANDS, and prints a line for each that was acknowledged. There, it
 * kills itself before it runs the statement KILL_AT; 0 for never.
 */
import { readFileSync } from 'node:fs';
import type { InventoryCommand } from '../../../shared/inventory/commands/apply-command.ts';
import { PgliteDatabase } from '../../../shared/inventory/database/pglite-database.ts';
import { applyAll, countStatements } from './apply-all.ts';

const [folder = '', killAt = '0', former = '', commands = ''] = process.argv.slice(2);
const readCommands = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): InventoryCommand => JSON.parse(line));

const database = new PgliteDatabase(folder);
await applyAll(database, readCommands(former), () => undefined);
countStatements((count) => {
  if (count === Number(killAt)) process.kill(process.pid, 'SIGKILL');
});
await applyAll(database, readCommands(commands), () => console.log('acknowledged'));
await database.close();
