import { capitalizeState, countRunStates, describeJobEnvironment, describeTarget } from './job-texts.ts';
import { isJsonRecord, type JsonRecord } from './orchestrator-client.ts';

const HEADER = ['ID', 'STATUS', 'TIMESTAMP', 'USER', 'ENVIRONMENT', 'NODES', 'TARGET'] as const;
/** Least widths of the columns, as Puppet Enterprise draws them. */
const WIDTHS = [4, 10, 16, 16, 14, 11, 6] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Prints jobs as a table: a header, a line of dashes, a line for each job. */
export function printJobList(jobs: readonly JsonRecord[]): string {
  const rows = jobs.map(rowOf);
  const widths = WIDTHS.map((least, column) =>
    Math.max(least, ...rows.map((row) => (row[column] ?? '').length + (column === WIDTHS.length - 1 ? 0 : 1))),
  );
  const print = (row: readonly string[]) =>
    `${row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('')
      .trimEnd()}\n`;
  const dashes = `${'-'.repeat(widths.reduce((sum, width) => sum + width, 0))}\n`;
  const isLoose = rows.some((row) => row[4]?.endsWith('*') === true);
  const foot = isLoose ? '\n*environment not enforced on a per node basis\n' : '';
  return `${print(HEADER)}${dashes}${rows.map(print).join('')}${foot}`;
}

function rowOf(job: JsonRecord): readonly string[] {
  const owner = isJsonRecord(job.owner) ? String(job.owner.login ?? '') : '';
  return [
    String(job.name),
    capitalizeState(job.state),
    shortTime(job.timestamp),
    owner,
    describeJobEnvironment(job),
    String(job.node_count ?? 0).padStart(4),
    describeTarget(job),
  ];
}

/** `Jul-02 9:15:15`, in the time zone of this machine. */
function shortTime(text: unknown): string {
  const date = new Date(String(text));
  if (Number.isNaN(date.getTime())) return '-';
  const two = (number: number) => String(number).padStart(2, '0');
  return `${MONTHS[date.getMonth()]}-${two(date.getDate())} ${date.getHours()}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Prints what a job is, with the number of its nodes in each state. */
export function printJobHead(job: JsonRecord, runs: readonly JsonRecord[]): string {
  const options = isJsonRecord(job.options) ? job.options : {};
  const owner = isJsonRecord(job.owner) ? String(job.owner.login ?? '') : '';
  const hasEnded = typeof job.finished_timestamp === 'string';
  const seconds = `${Math.round(Number(job.duration ?? 0))} sec`;
  const environment = describeJobEnvironment(job);
  const rows: readonly (readonly [string, string])[] = [
    ['Status', capitalizeState(job.state)],
    ['Job type', `${job.command}` === 'deploy' ? 'puppet run' : String(job.command)],
    ...(options.task === undefined ? [] : [['Task', String(options.task)] as const]),
    ['Start time', String(job.started_timestamp ?? '-')],
    ...(hasEnded ? [['Finish time', String(job.finished_timestamp)] as const] : []),
    [hasEnded ? 'Duration' : 'Elapsed time', seconds],
    ['User', owner],
    ['Environment', environment === 'n/s' ? 'not specified' : environment],
    ['Target', describeTarget(job)],
    ['Noop', options.noop === true ? 'yes' : 'no'],
    ['Nodes', countRunStates(runs)],
    ...(typeof job.description === 'string' && job.description !== ''
      ? [['Description', job.description] as const]
      : []),
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}\n`).join('');
}
