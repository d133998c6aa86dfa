import { type Command, InvalidArgumentError } from 'commander';
import { variableOf } from '../../config/read-setting.ts';
import { SETTINGS } from '../../config/settings.ts';
import { createFormatOption, type FormatOption, formatJson, parseWholeNumber } from '../client/option-values.ts';
import { printFindings } from '../preflight/print-findings.ts';
import type { CommandProcess } from './compile-options.ts';
import { describeState } from './database-state-line.ts';

type DatabaseProcess = Pick<CommandProcess, 'print' | 'exit'>;
type Print = DatabaseProcess['print'];
type Variables = Readonly<Record<string, string | undefined>>;

const URL_ARGUMENT = ['[url]', `postgresql://user@host:5432/name (default: ${variableOf('database')})`] as const;

interface CheckOptions extends FormatOption {
  readonly servers: number;
  readonly databaseConnections: number;
  readonly workers: number;
}

/** Adds `database prepare`, `database check` and `data copy`. */
export function addDatabaseCommands(program: Command, { print, exit }: DatabaseProcess, variables: Variables): void {
  const database = program.command('database').description('manage the database that servers share');
  database
    .command('prepare')
    .description('create the tables of Understudy in a PostgreSQL database, or bring them to this release')
    .argument(...URL_ARGUMENT)
    .action((url: string | undefined) => prepare(demandUrl(url, variables), print));
  const { databaseConnections: connections, workers } = SETTINGS;
  database
    .command('check')
    .description('check whether servers can share a database (exit code 1 if they cannot); it changes nothing')
    .argument(...URL_ARGUMENT)
    .option('--servers <number>', 'how many servers are to share it', parseWholeNumber(1, 1000), 2)
    .option(
      '--database-connections <number>',
      'most connections of a server',
      parseWholeNumber(connections.least, connections.most),
      connections.usual,
    )
    .option(
      '--workers <number>',
      'how many compile workers a server has',
      parseWholeNumber(workers.least, workers.most),
      workers.usual,
    )
    .addOption(createFormatOption())
    .action(async (url: string | undefined, { format, ...sharing }: CheckOptions) => {
      const { checkSharedDatabase } = await import('./check-shared-database.ts');
      const findings = await checkSharedDatabase(demandUrl(url, variables), sharing);
      exit(findings.some(({ verdict }) => verdict === 'fails') ? 1 : 0);
      await print(format === 'json' ? formatJson(findings) : printFindings(findings));
    });
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

function demandUrl(given: string | undefined, variables: Variables): string {
  const url = given ?? variables[variableOf('database')];
  if (url === undefined) throw new InvalidArgumentError(`Name the database, here or in ${variableOf('database')}.`);
  return url;
}

async function prepare(url: string, print: Print): Promise<void> {
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
