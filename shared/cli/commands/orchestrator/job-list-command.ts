import type { Command } from 'commander';
import { systemClock } from '../../../store/system-clock.ts';
import { listRecords } from '../../client/job-progress.ts';
import { describeTarget } from '../../client/job-texts.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListSort,
  printList,
  type TableFormat,
} from '../../client/list-table.ts';
import {
  isJsonRecord,
  type JsonRecord,
  type OrchestratorClient,
  type OrchestratorOptions,
} from '../../client/orchestrator-client.ts';
import { repeatPrint, WATCH_OPTION, type WatchedOutput } from '../../client/watch-output.ts';
import { type JobProcess, openOrchestrator } from './run-job.ts';
import { addServiceOptions } from './target-options.ts';

/** Filter of the listed jobs. */
export interface JobFilter {
  readonly limit: number;
  readonly environment?: string;
  readonly state?: string;
  readonly sort?: ListSort;
}

interface JobListOptions extends OrchestratorOptions, TableFormat, JobFilter, WatchedOutput {}

export const MOST_LISTED = 1000;
export const USUAL_LISTED = 50;

const COLUMNS: readonly ListColumn<JsonRecord>[] = [
  { name: 'id', value: ({ name }) => String(name) },
  { name: 'state', kind: 'state', value: ({ state }) => String(state) },
  { name: 'started', kind: 'time', value: (job) => timeOf(job.started_timestamp ?? job.timestamp) },
  { name: 'finished', kind: 'time', isWide: true, value: (job) => timeOf(job.finished_timestamp) },
  { name: 'user', value: ({ owner }) => (isJsonRecord(owner) ? String(owner.login ?? '') : null) },
  { name: 'command', value: describeCommand },
  { name: 'environment', value: (job) => nameOfEnvironment(job) ?? null },
  { name: 'nodes', value: describeNodes },
  { name: 'target', value: describeTarget },
];

/** Adds `job list`. */
export function addJobList(job: Command, context: JobProcess): void {
  const command = addServiceOptions(job.command('list'))
    .description('list the latest jobs: id, state, start, user, environment, nodes')
    .option('-e, --environment <name>', 'only jobs of this environment')
    .option('--state <state>', 'only jobs in this state: new, ready, running, stopping, stopped, finished, failed')
    .option(...WATCH_OPTION);
  const bounds = { usual: USUAL_LISTED, most: MOST_LISTED };
  addListOptions(command, COLUMNS, bounds).action(async (options: JobListOptions) => {
    const { client } = await openOrchestrator(options, context);
    await repeatPrint(options, context, async (print) => {
      const { jobs, total } = await readJobs(client, options);
      const style = createListStyle(options, systemClock.now(), 'There is no such job.', total);
      await print(printList(jobs, COLUMNS, style, (job) => job));
    });
  });
}

interface FoundJobs {
  /** Newest first. */
  readonly jobs: readonly JsonRecord[];
  /** The number of jobs that match, of which `jobs` may be the newest only. */
  readonly total: number;
}

/**
 * Reads the latest jobs, of which `limit` are to be shown. A filter or an order is one of the
 * latest 1,000.
 */
export async function readJobs(
  client: OrchestratorClient,
  { limit, environment, state, sort }: JobFilter,
): Promise<FoundJobs> {
  const isWhole = environment === undefined && state === undefined && sort === undefined;
  const asked = isWhole ? limit : MOST_LISTED;
  const { items, pagination } = await client.get(`/jobs?order_by=timestamp&order=desc&limit=${asked}`);
  const jobs = listRecords(items).filter(
    (job) =>
      (environment === undefined || nameOfEnvironment(job) === environment) &&
      (state === undefined || job.state === state),
  );
  const known = isJsonRecord(pagination) ? Number(pagination.total) : Number.NaN;
  return { jobs, total: isWhole && known >= jobs.length ? known : jobs.length };
}

function nameOfEnvironment({ environment }: JsonRecord): string | undefined {
  const name = isJsonRecord(environment) ? environment.name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function timeOf(text: unknown): number | null {
  const time = Date.parse(String(text));
  return Number.isNaN(time) ? null : time;
}

function describeCommand({ command, options }: JsonRecord): string | null {
  if (command === 'deploy') return 'puppet run';
  const task = isJsonRecord(options) ? options.task : undefined;
  return command === undefined ? null : `${command}${task === undefined ? '' : ` ${task}`}`;
}

/** Describes the number of nodes, and of those that failed or still run. */
function describeNodes({ node_count: count = 0, node_states: states }: JsonRecord): string {
  const known = isJsonRecord(states) ? states : {};
  const shown = ['failed', 'errored', 'running'].flatMap((state) => {
    const nodes = Number(known[state] ?? 0);
    return nodes === 0 ? [] : [`${nodes} ${state}`];
  });
  return shown.length === 0 ? String(count) : `${count} (${shown.join(', ')})`;
}
