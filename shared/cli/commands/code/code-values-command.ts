import type { Command } from 'commander';
import type { KeptValueEntry } from '../../../fleet/values/kept-value-list.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import { countUnits } from '../../../util/count-units.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
} from '../../client/list-table.ts';
import { formatJson } from '../../client/option-values.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError } from '../node-files.ts';

interface ValuesProcess {
  readonly print: (text: string) => Promise<void>;
  readonly variables: AwsNames;
}

interface ShowOptions extends StateLocation, ListOptions {
  readonly value: boolean;
}

interface RotateOptions extends StateLocation {
  readonly by: string;
  readonly to?: string;
}

/** Adds `code values`: what functions of modules keep on the server between compiles. */
export function addValues(code: Command, context: ValuesProcess): void {
  const values = code
    .command('values')
    .description('values that functions of modules create once and keep on the server: passwords, keys');
  addList(values, context);
  addShow(values, context);
  addRotate(values, context);
}

function addList(values: Command, { print, variables }: ValuesProcess): void {
  const list = values
    .command('list')
    .description('list the values: environment, name, time of the last change, who made it')
    .argument('[environment]', 'all by default')
    .option(...DATA_OPTION);
  addListOptions(list, COLUMNS).action((environment: string | undefined, options: StateLocation & ListOptions) =>
    withStores(options, variables, async (stores) => {
      const { listKeptValues } = await import('../../../fleet/values/kept-value-list.ts');
      const entries: KeptValueEntry[] = [];
      for await (const entry of listKeptValues(stores.documents, environment ?? null)) entries.push(entry);
      const style = createListStyle(options, stores.clock.now(), 'No value is kept.');
      await print(printList(entries, COLUMNS, style));
    }),
  );
}

const COLUMNS: readonly ListColumn<KeptValueEntry>[] = [
  { name: 'environment', value: ({ environment }) => environment },
  { name: 'name', value: ({ name }) => name },
  { name: 'changed', kind: 'time', value: ({ changedAt }) => changedAt },
  { name: 'by', value: ({ by }) => by },
];

const USER_COLUMNS: readonly ListColumn<string>[] = [{ name: 'certname', value: (certname) => certname }];

function addShow(values: Command, { print, variables }: ValuesProcess): void {
  const show = values
    .command('show')
    .description('list the nodes whose catalogs were made with a value')
    .argument('<environment>')
    .argument('<name>', 'the name, as `list` prints it')
    .option('--value', 'print the value itself instead', false)
    .option(...DATA_OPTION);
  addListOptions(show, USER_COLUMNS).action((environment: string, name: string, options: ShowOptions) =>
    withStores(options, variables, async (stores) => {
      const { KeptValueRecords } = await import('../../../fleet/values/kept-value-records.ts');
      const { findUsers } = await import('../../../fleet/values/rotate-value.ts');
      const found = (await new KeptValueRecords(stores).fetch(environment, [name])).get(name);
      if (found === undefined) throw noValue(environment, name);
      if (options.value && options.format === 'json') return print(formatJson({ value: found.text }));
      if (options.value) return print(found.text.endsWith('\n') ? found.text : `${found.text}\n`);
      const users = await findUsers(environment, name, stores);
      const style = createListStyle(options, stores.clock.now(), 'No catalog was made with it.');
      await print(printList(users, USER_COLUMNS, style));
    }),
  );
}

function addRotate(values: Command, { print, variables }: ValuesProcess): void {
  values
    .command('rotate')
    .description('remove a value, so that the next compile creates another; its nodes compile with priority')
    .argument('<environment>')
    .argument('<name>', 'the name, as `list` prints it')
    .option('--to <text>', 'replace it by this text, in the form in which the function keeps it')
    .option('--by <name>', 'who rotates it, for the list', 'command line')
    .option(...DATA_OPTION)
    .action((environment: string, name: string, options: RotateOptions) =>
      withStores(options, variables, async (stores) => {
        const { rotateValue } = await import('../../../fleet/values/rotate-value.ts');
        const rotated = await rotateValue(environment, name, options.to ?? null, options.by, stores);
        if (rotated === null) throw noValue(environment, name);
        const { certnames } = rotated;
        await print(
          `${name} rotated: ${countUnits(certnames.length, 'node')} ${certnames.length === 1 ? 'compiles' : 'compile'}\n`,
        );
      }),
    );
}

function noValue(environment: string, name: string): CommandError {
  return new CommandError(`environment '${environment}' keeps no value '${name}'`);
}
