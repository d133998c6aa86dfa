import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  findReport,
  listReports,
  MOST_REPORTS,
  REPORT_STATUSES,
  type ReportSummary,
} from '../../../fleet/reports/node-reports.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { describeAmbiguousId, matchIds } from '../../../util/short-id.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
} from '../../client/list-table.ts';
import { createFormatOption, type FormatOption, formatJson } from '../../client/option-values.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { addFailureCommands } from './failure-commands.ts';

type Print = (text: string) => Promise<void>;

/** There is no such report; the message names it. */
export class NoSuchReport extends Error {
  constructor(certname: string, uuid: string | undefined, message?: string) {
    const which = uuid === undefined ? 'report' : `report ${uuid}`;
    super(message ?? `there is no ${which} of '${certname}'`);
    this.name = 'NoSuchReport';
  }
}

interface ReportListOptions extends StateLocation, ListOptions {
  readonly certname?: string;
  readonly status?: string;
  readonly since?: number;
  readonly limit: number;
}

const COLUMNS: readonly ListColumn<ReportSummary>[] = [
  { name: 'received', kind: 'time', value: ({ receivedAt }) => receivedAt },
  { name: 'certname', value: ({ certname }) => certname },
  { name: 'status', kind: 'state', value: ({ status }) => status },
  { name: 'environment', value: ({ environment }) => environment },
  { name: 'transaction', kind: 'id', value: ({ transactionUuid }) => transactionUuid },
  { name: 'noop', isWide: true, value: ({ noop }) => noop },
  { name: 'puppet_version', isWide: true, value: ({ puppetVersion }) => puppetVersion },
];

/** Adds `report list`, `report show`, and the commands of failures. */
export function addReportCommands(program: Command, print: Print, variables: AwsNames): void {
  addFailureCommands(program, print, variables);
  const report = program.command('report').description('list and print reports of agents');
  const list = report
    .command('list')
    .description(
      'list reports, newest first: time received, certname, status, environment, transaction; of runs that changed nothing, only the last one of --certname',
    )
    .option('--certname <name>', 'only reports of this node')
    .addOption(new Option('--status <status>', 'only reports with this status').choices(REPORT_STATUSES))
    .option('--since <time>', 'only reports received at this time or later, such as 2026-11-20T22:00:00Z', readTime)
    .option(...DATA_OPTION);
  addListOptions(list, COLUMNS, { usual: 50, most: MOST_REPORTS }).action((options: ReportListOptions) =>
    withStores(options, variables, async (stores) => {
      // An order is one of all, not of the newest.
      const { limit, sort } = options;
      const most = sort === undefined ? limit : MOST_REPORTS;
      const found = await listReports(stores, { ...options, limit: most + 1 });
      const total = found.length > most ? `more than ${most}` : found.length;
      await print(
        printList(found, COLUMNS, createListStyle(options, stores.clock.now(), 'There is no such report.', total)),
      );
    }),
  );
  report
    .command('show')
    .description(
      'print a report: that of this transaction, or the newest (runs that changed nothing keep no report); with --format json all of it',
    )
    .argument('<certname>')
    .argument('[transaction]', 'the transaction, or the first digits of it')
    .addOption(createFormatOption())
    .option(...DATA_OPTION)
    .action((certname: string, uuid: string | undefined, { format, ...where }: StateLocation & FormatOption) =>
      withStores(where, variables, async (stores) => {
        const found = await findReport(stores, certname, await completeTransaction(stores, certname, uuid ?? null));
        if (!found) throw new NoSuchReport(certname, uuid);
        const { printAgentReport } = await import('./report-text.ts');
        await print(format === 'json' ? formatJson(found) : printAgentReport(certname, found));
      }),
    );
}

/** The transaction of a node's report that begins with `given`; null stays. Throws NoSuchReport. */
async function completeTransaction(stores: Stores, certname: string, given: string | null): Promise<string | null> {
  if (given === null) return null;
  const all = (await listReports(stores, { certname, limit: MOST_REPORTS })).map((one) => one.transactionUuid ?? '');
  const found = matchIds(all, given);
  if (found.length > 1) throw new NoSuchReport(certname, given, describeAmbiguousId(given, found));
  return found[0] ?? given;
}

function readTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a time such as 2026-11-20T22:00:00Z.');
  return time;
}
