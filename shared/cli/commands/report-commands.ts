import { type Command, InvalidArgumentError, Option } from 'commander';
import { findReport, listReports, MOST_REPORTS, REPORT_STATUSES } from '../../fleet/nodes/node-reports.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { DATA_OPTION, type StateLocation, withStores } from './command-stores.ts';

type Print = (text: string) => Promise<void>;

/** There is no such report; the message names it. */
export class NoSuchReport extends Error {
  constructor(certname: string, uuid: string | undefined) {
    super(uuid === undefined ? `there is no report of '${certname}'` : `there is no report ${uuid} of '${certname}'`);
    this.name = 'NoSuchReport';
  }
}

interface ListOptions extends StateLocation {
  readonly certname?: string;
  readonly status?: string;
  readonly since?: number;
  readonly limit: number;
}

/** Adds `report list` and `report show`. */
export function addReportCommands(program: Command, print: Print, variables: AwsNames): void {
  const report = program.command('report').description('list and print reports of agents');
  report
    .command('list')
    .description(
      'list reports, newest first: time received, certname, status, environment, transaction; of runs that changed nothing, only the last one of --certname',
    )
    .option('--certname <name>', 'only reports of this node')
    .addOption(new Option('--status <status>', 'only reports with this status').choices(REPORT_STATUSES))
    .option('--since <time>', 'only reports received at this time or later, such as 2026-11-20T22:00:00Z', readTime)
    .option('--limit <number>', `the largest number of reports to list, up to ${MOST_REPORTS}`, readLimit, 50)
    .option(...DATA_OPTION)
    .action((options: ListOptions) =>
      withStores(options, variables, async (stores) => {
        for (const found of await listReports(stores, options)) {
          const { certname, receivedAt, status, environment, transactionUuid } = found;
          const time = new Date(receivedAt).toISOString();
          await print(`${[time, certname, status, environment ?? '-', transactionUuid ?? '-'].join(' ')}\n`);
        }
      }),
    );
  report
    .command('show')
    .description(
      'print a report as JSON: the report of this transaction, or the newest (runs that changed nothing keep no report)',
    )
    .argument('<certname>')
    .argument('[transaction]')
    .option(...DATA_OPTION)
    .action((certname: string, uuid: string | undefined, where: StateLocation) =>
      withStores(where, variables, async (stores) => {
        const found = await findReport(stores, certname, uuid ?? null);
        if (!found) throw new NoSuchReport(certname, uuid);
        await print(`${JSON.stringify(found, null, 2)}\n`);
      }),
    );
}

function readTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a time such as 2026-11-20T22:00:00Z.');
  return time;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MOST_REPORTS) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_REPORTS}.`);
}
