import type { Command } from 'commander';
import { systemClock } from '../../../store/system-clock.ts';
import { listRecords } from '../../client/job-progress.ts';
import { describeTarget } from '../../client/job-texts.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
} from '../../client/list-table.ts';
import { formatJson, parseWholeNumber } from '../../client/option-values.ts';
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
}

interface JobListOptions extends OrchestratorOptions, JobFilter, ListOptions, WatchedOutput {
  readonly state?: string;
}

export const MOST_LISTED = 1000;

export const LIMIT_OPTION = ['--limit <number>', `how many jobs to list, up to ${MOST_LISTED}`] as const;

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
    .option(...LIMIT_OPTION, parseWholeNumber(1, MOST_LISTED), 50)
    .option('-e, --environment <name>', 'only jobs of this environment')
    .option('--state <state>', 'only jobs in this state: new, ready, running, stopping, stopped, finished, failed')
    .option(...WATCH_OPTION);
  addListOptions(command, COLUMNS).action(async (options: JobListOptions) => {
    const { client } = await openOrchestrator(options, context);
    await repeatPrint(options, context, async (print) => {
      const jobs = (await readJobs(client, options)).filter(
        ({ state }) => options.state === undefined || state === options.state,
      );
      if (options.format === 'json') return print(formatJson(jobs));
      return print(printList(jobs, COLUMNS, createListStyle(options, systemClock.now(), 'There is no such job.')));
    });
  });
}

/** The latest jobs, newest first. */
export async function readJobs(
  client: OrchestratorClient,
  { limit, environment }: JobFilter,
): Promise<readonly JsonRecord[]> {
  const asked = environment === undefined ? limit : MOST_LISTED;
  const { items } = await client.get(`/jobs?order_by=timestamp&order=desc&limit=${asked}`);
  return listRecords(items)
    .filter((job) => environment === undefined || nameOfEnvironment(job) === environment)
    .slice(0, limit);
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
