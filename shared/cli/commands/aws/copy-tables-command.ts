import type { Command } from 'commander';
import { ENVIRONMENT_VARIABLES, TABLES } from '../../../config/deployment.ts';
import type { AwsClients, AwsNames } from '../../../store/aws/stores.ts';
import { StoreRefused } from '../../../store/ports/store-errors.ts';
import { systemClock } from '../../../store/system-clock.ts';
import { countUnits } from '../../../util/count-units.ts';
import { Progress } from '../../client/progress.ts';

type Print = (text: string) => Promise<void>;
type TableName = keyof typeof TABLES;

interface CopyTablesOptions {
  readonly from: readonly string[];
  readonly partial?: boolean;
  readonly resume?: boolean;
}

const NAMES = Object.keys(TABLES).filter(isTableName);

/**
 * Adds `copy-tables`: copies restored tables into those of a stack in AWS, which environment
 * variables name. `clients` are the SDK's, for tests.
 */
export function addCopyTablesCommand(program: Command, print: Print, variables: AwsNames, clients?: AwsClients): void {
  program
    .command('copy-tables')
    .description('copy restored DynamoDB tables into the empty tables of the stack that environment variables name')
    .requiredOption('--from <table=name...>', `restored tables by what they hold: ${NAMES.join(', ')}`)
    .option('--partial', 'copy only the tables that are given')
    .option('--resume', 'resume an interrupted copy')
    .action((options: CopyTablesOptions) => copyTables(options, variables, print, clients));
}

async function copyTables(options: CopyTablesOptions, variables: AwsNames, print: Print, clients?: AwsClients) {
  const sources = readSources(options);
  const targets = [...sources].map(([table, from]) => ({ table, from, to: targetOf(table, variables) }));
  const { copyTable } = await import('../../../store/aws/copy-table.ts');
  const { awsClients } = await import('../../../store/aws/stores.ts');
  const { dynamodb } = clients ?? awsClients();
  const progress = new Progress();
  for (const { table, from, to } of targets) {
    let copied = 0;
    const onCopied = (items: number) => {
      copied += items;
      progress.show(`${table}: copying items`, copied);
    };
    const settings = { resume: options.resume ?? false, clock: systemClock, onCopied };
    const work = copyTable(dynamodb, { from, to, shape: TABLES[table] }, settings);
    const count = await work.finally(() => progress.end());
    await print(`Copied ${countUnits(count, 'item')} of ${from} to ${to} (${table}).\n`);
  }
}

/** The names of the restored tables. */
function readSources({ from, partial }: CopyTablesOptions): ReadonlyMap<TableName, string> {
  const sources = new Map<TableName, string>();
  for (const text of from) {
    const [table = '', name = '', ...more] = text.split('=');
    if (!isTableName(table) || name === '' || more.length > 0) {
      throw new StoreRefused(`'${text}' is not TABLE=NAME, with one of ${NAMES.join(', ')} as TABLE`);
    }
    sources.set(table, name);
  }
  const missing = NAMES.filter((name) => !sources.has(name));
  if (missing.length === 0 || partial === true) return sources;
  throw new StoreRefused(`--from does not name a table for ${missing.join(', ')}; --partial leaves them out`);
}

function targetOf(table: TableName, variables: AwsNames): string {
  const variable = ENVIRONMENT_VARIABLES[`${table}Table`];
  const name = variables[variable];
  if (name !== undefined && name !== '') return name;
  throw new StoreRefused(`${variable} is not set: it names the table of the stack to copy to`);
}

function isTableName(name: string): name is TableName {
  return Object.hasOwn(TABLES, name);
}
