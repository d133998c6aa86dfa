import { type Command, Option } from 'commander';
import type { FailureGroup } from '../../../fleet/failures/failure-group.ts';
import type { FailureQuery } from '../../../fleet/failures/failure-list.ts';
import { nameFailure, printCodeLine } from '../../../fleet/failures/failure-names.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import { shortenId } from '../../../util/short-id.ts';
import { chooseId } from '../../client/choose-id.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
} from '../../client/list-table.ts';
import { createFormatOption, type FormatOption, formatJson } from '../../client/option-values.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';

type Print = (text: string) => Promise<void>;

interface FailureListOptions extends StateLocation, ListOptions {
  readonly kind?: FailureQuery['kind'];
  readonly closed?: true;
  readonly environment?: string;
  readonly certname?: string;
}

const COLUMNS: readonly ListColumn<FailureGroup>[] = [
  { name: 'id', kind: 'id', value: ({ id }) => id },
  { name: 'kind', value: ({ kind }) => kind },
  { name: 'environment', isWide: true, value: ({ environment }) => environment },
  { name: 'nodes', value: ({ count }) => count },
  { name: 'first', kind: 'time', value: ({ firstAt }) => firstAt },
  { name: 'last', kind: 'time', isWide: true, value: ({ lastAt }) => lastAt },
  { name: 'closed', kind: 'time', isWide: true, value: ({ closedAt }) => closedAt },
  { name: 'since_deploy', kind: 'id', isWide: true, value: ({ deploy }) => deploy?.codeId ?? null },
  { name: 'line', isWide: true, value: ({ lines: [first] }) => (first === undefined ? null : printCodeLine(first)) },
  { name: 'failure', value: nameFailure },
];

/** Adds `failures list` and `failures show`. */
export function addFailureCommands(program: Command, print: Print, variables: AwsNames): void {
  const failures = program.command('failures').description('list what fails on nodes, by message and resource');
  const list = failures
    .command('list')
    .description(
      'list failures of compiles and runs, those of most nodes first: what fails, on how many nodes, since when',
    )
    .addOption(new Option('--kind <kind>', 'only failures of compiles, or of runs').choices(['compile', 'run']))
    .option('--closed', 'failures that no node has any more, in place of those that nodes have')
    .option('--environment <name>', 'only failures in this environment')
    .option('--certname <name>', 'only failures of this node, among the first 200 nodes of each')
    .option(...DATA_OPTION);
  addListOptions(list, COLUMNS).action((options: FailureListOptions) =>
    withStores(options, variables, async (stores) => {
      const { listFailureGroups, selectFailures } = await import('../../../fleet/failures/failure-list.ts');
      const found = selectFailures(await listFailureGroups(stores.documents), {
        kind: options.kind ?? null,
        state: options.closed ? 'closed' : 'open',
        environment: options.environment ?? null,
        certname: options.certname ?? null,
      });
      await print(printList(found, COLUMNS, createListStyle(options, stores.clock.now(), 'There is no such failure.')));
    }),
  );
  failures
    .command('show')
    .description('print a failure: its message, nodes, places in the code, and the deploy that it began with')
    .argument('<id>', 'the id, or its first digits')
    .addOption(createFormatOption())
    .option(...DATA_OPTION)
    .action((id: string, { format, ...where }: StateLocation & FormatOption) =>
      withStores(where, variables, async (stores) => {
        const { listFailureGroups } = await import('../../../fleet/failures/failure-list.ts');
        const group = chooseFailure(await listFailureGroups(stores.documents), id);
        await print(format === 'json' ? formatJson(group) : describeFailure(group));
      }),
    );
}

function chooseFailure(groups: readonly FailureGroup[], given: string): FailureGroup {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const found = byId.get(chooseId(byId.keys(), given, 'failure'));
  if (found === undefined) throw new Error('invariant: a chosen id is one of those');
  return found;
}

function describeFailure(group: FailureGroup): string {
  const { id, kind, environment, count, nodes, lines, firstAt, lastAt, deploy, closedAt } = group;
  const more = count - nodes.length;
  const rows: readonly (readonly [string, string])[] = [
    ['failure', shortenId(id)],
    ['kind', kind],
    ['environment', environment],
    ['first', printTime(firstAt)],
    ['last', printTime(lastAt)],
    ...(closedAt === null ? [] : [['closed', printTime(closedAt)] as const]),
    ...(deploy === null
      ? []
      : [
          [
            'began with',
            `${deploy.isStaged ? 'staged ' : ''}deploy ${shortenId(deploy.codeId)} by ${deploy.user}, ${printTime(deploy.at)}`,
          ] as const,
        ]),
    ...(deploy?.previous == null ? [] : [['code before', shortenId(deploy.previous)] as const]),
    ...lines.map((line) => ['code', printCodeLine(line)] as const),
    ['nodes', `${count}: ${nodes.join(', ')}${more > 0 ? ` and ${more} more` : ''}`],
  ];
  return `${nameFailure(group)}\n\n${rows.map(([name, value]) => `${name.padEnd(12)}${value}\n`).join('')}`;
}

function printTime(at: number): string {
  return new Date(at).toISOString();
}
