import { type Command, InvalidArgumentError } from 'commander';
import { variableOf } from '../../config/read-setting.ts';
import { describeState } from './database-state-line.ts';

type Print = (text: string) => Promise<void>;
type Variables = Readonly<Record<string, string | undefined>>;

/** Adds `database prepare` and `data copy`. */
export function addDatabaseCommands(program: Command, print: Print, variables: Variables): void {
  const database = program.command('database').description('manage the database that servers share');
  database
    .command('prepare')
    .description('create the tables of Understudy in a PostgreSQL database, or bring them to this release')
    .argument('[url]', `postgresql://user@host:5432/name (default: ${variableOf('database')})`)
    .action((url: string | undefined) => prepare(url ?? variables[variableOf('database')], print));
  program
    .command('data')
    .description('move the state of a fleet')
    .command('copy')
    .description('copy all state of a fleet to an empty place, while no server uses either')
    .requiredOption('--from <dir|url>', 'the data directory or database to copy')
    .requiredOption('--to <dir|url>', 'a folder that is no data directory yet, or a prepared database')
    .action(async ({ from, to }: { readonly from: string; readonly to: string }) => {
      const { copyData } = await import('./copy-command.ts');
      await copyData(from, to, print, variables[variableOf('blobs')]);
    });
}

async function prepare(url: string | undefined, print: Print): Promise<void> {
  if (url === undefined) throw new InvalidArgumentError(`Name the database, here or in ${variableOf('database')}.`);
  const { PostgresConnection } = await import('../../store/postgres/connection.ts');
  const { DatabaseClock } = await import('../../store/postgres/database-clock.ts');
  const { readDatabasePlace } = await import('../../store/postgres/place.ts');
  const { describeDatabase, warnOfDatabase } = await import('../../store/postgres/database-state.ts');
  const { POSTGRES_VERSION, prepareTables } = await import('../../store/postgres/schema.ts');
  const connection = new PostgresConnection(readDatabasePlace(url), { connections: 1, name: 'understudy prepare' });
  try {
    const before = await prepareTables(connection);
    await print(`${describeChange(before, POSTGRES_VERSION)} in ${connection.shown}.\n`);
    const clock = await DatabaseClock.start(connection);
    const state = await describeDatabase(connection, clock);
    clock.stop();
    await print(`${describeState(state)}\n`);
    for (const warning of warnOfDatabase(state)) await print(`warning: ${warning}\n`);
  } finally {
    await connection.close();
  }
}

function describeChange(before: number, now: number): string {
  if (before === 0) return 'The tables were created';
  return before === now ? 'The tables were there already' : `The tables were brought from version ${before} to ${now}`;
}
