import type { Command } from 'commander';
import { ClientError } from '../../client/client-error.ts';
import { printJobHead, printJobList } from '../../client/job-list.ts';
import { hasJobEnded, type JobStep, listRecords } from '../../client/job-progress.ts';
import {
  countRunStates,
  describeJobEnd,
  describePuppetRun,
  describeTaskRun,
  drawTable,
  orderRuns,
} from '../../client/job-texts.ts';
import {
  createClientFormatOption,
  type FormatOption,
  formatJson,
  parseWholeNumber,
} from '../../client/option-values.ts';
import {
  isJsonRecord,
  type JsonRecord,
  type OrchestratorOptions,
  type OrchestratorSettings,
} from '../../client/orchestrator-client.ts';
import { describeApplications, describePreview, describeRunOrder } from '../../client/run-order-texts.ts';
import { repeatPrint, WATCH_OPTION, type WatchedOutput } from '../../client/watch-output.ts';
import { addJobList, type JobFilter, MOST_LISTED, readJobs, USUAL_LISTED } from './job-list-command.ts';
import { createJob, type JobProcess, type OpenedOrchestrator, openOrchestrator, watchJob } from './run-job.ts';
import { addServiceOptions, addTargetOptions, readTargetOptions, type TargetOptions } from './target-options.ts';

interface RunOptions extends TargetOptions, OrchestratorOptions, FormatOption {
  readonly environment?: string;
  readonly noop?: boolean;
  readonly enforceEnvironment: boolean;
  readonly concurrency?: number;
  readonly description?: string;
}

interface ShowOptions extends OrchestratorOptions, FormatOption, JobFilter {}

/** Adds `job`: Puppet runs on nodes, now. */
export function addJobCommands(program: Command, context: JobProcess): void {
  const job = program.command('job').description('run Puppet on nodes through the orchestrator, and look at jobs');
  addRunOptions(job.command('run').description('run Puppet on nodes, and show the job until it ends')).action(
    (options: RunOptions) => runJob(options, context),
  );
  addRunOptions(
    job.command('plan').description('show what `job run` would do, and in which order; no job is made'),
  ).action((options: RunOptions) => planJob(options, context));
  addJobList(job, context);
  addServiceOptions(job.command('show'))
    .description('show a job and its nodes, those that failed first; without an id, the latest jobs')
    .argument('[id]')
    .option(
      '--limit <number>',
      'the largest number of jobs, or of nodes of a job',
      parseWholeNumber(1, MOST_LISTED),
      USUAL_LISTED,
    )
    .option('-e, --environment <name>', 'only jobs of this environment')
    .addOption(createClientFormatOption())
    .option(...WATCH_OPTION)
    .action(async (id: string | undefined, options: ShowOptions & WatchedOutput) => {
      const opened = await openOrchestrator(options, context);
      await repeatPrint(options, context, async (print) => {
        const process = { ...context, print };
        if (id === undefined) await listJobs(options, opened, process);
        else await showJob(id, options, opened, process);
      });
    });
  addServiceOptions(job.command('stop'))
    .description('stop a job: running nodes finish, others do not start')
    .argument('<id>')
    .option('--force', 'do not wait for running nodes')
    .addOption(createClientFormatOption())
    .action((id: string, options: OrchestratorOptions & FormatOption & { force?: boolean }) =>
      stopOneJob(id, options, context),
    );
}

function addRunOptions(command: Command): Command {
  return addServiceOptions(addTargetOptions(command))
    .option('-a, --application <name>', 'an application, or one of its instances: App[instance]')
    .option('-e, --environment <name>', 'the environment (default: that of the configuration)')
    .option('--noop', 'change nothing, and report what would change')
    .option('--no-noop', 'change nodes, also those that are configured not to')
    .option('--no-enforce-environment', 'let nodes keep their environment')
    .option('--concurrency <number>', 'how many nodes may run at a time', parseWholeNumber(1, 9_999_999))
    .option('--description <text>', 'a text for the list of jobs')
    .addOption(createClientFormatOption());
}

async function runJob(options: RunOptions, context: JobProcess): Promise<void> {
  const scope = readTargetOptions(options);
  const opened = await openOrchestrator(options, context);
  const body = makeDeployBody(scope, options, opened.settings);
  const id = await createJob(opened.client, 'deploy', body);
  if (options.format === 'text') {
    const job = await opened.client.get(`/jobs/${id}`);
    const rows = describeRun(body.environment, options, String(job.node_count ?? 0));
    await context.print(`${drawTable([['Job id', id], ...rows])}\n`);
    await context.print(await describeOrder(opened, id));
  }
  await watchJob(id, opened, context, { format: options.format, describeStep: describePuppetStep });
}

function makeDeployBody(scope: JsonRecord, options: RunOptions, settings: OrchestratorSettings) {
  const environment = options.environment ?? settings.environment ?? '';
  return {
    environment,
    scope,
    noop: options.noop ?? settings.noop,
    ...(options.noop === false ? { no_noop: true } : {}),
    enforce_environment: environment !== '' && options.enforceEnvironment,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    ...(options.description === undefined ? {} : { description: options.description }),
  };
}

/**
 * Describes the applications of a job, and its levels when there are several; nothing when the
 * orchestrator does not report them.
 */
async function describeOrder({ client }: OpenedOrchestrator, id: string): Promise<string> {
  try {
    const { applications, levels } = await client.get(`/jobs/${id}/order`);
    const known = listRecords(levels);
    return `${describeApplications(applications)}${known.length > 1 ? `${describeRunOrder(known)}\n` : ''}`;
  } catch (error) {
    if (error instanceof ClientError) return '';
    throw error;
  }
}

function describeRun(environment: string, { concurrency }: RunOptions, nodes: string): (readonly [string, string])[] {
  return [
    ['Environment', environment === '' ? 'n/s' : environment],
    ['Concurrency limit', concurrency === undefined ? 'none' : String(concurrency)],
    ['Nodes', nodes],
  ];
}

function describePuppetStep(step: JobStep): string {
  if (step.kind === 'ended') return describePuppetRun(step.run);
  return step.kind === 'started' ? `Started puppet run on ${step.node} ...\n` : `${step.message}\n`;
}

async function planJob(options: RunOptions, context: JobProcess): Promise<void> {
  const scope = readTargetOptions(options);
  const { client, settings } = await openOrchestrator(options, context);
  const body = makeDeployBody(scope, options, settings);
  const preview = await client.post('/command/deploy_preview', body);
  if (options.format === 'json') {
    await context.print(formatJson(preview));
    return;
  }
  const table = drawTable(describeRun(body.environment, options, String(preview.node_count ?? 0)));
  await context.print(`${table}\n${describePreview(preview)}`);
}

async function listJobs(options: ShowOptions, { client }: OpenedOrchestrator, context: JobProcess): Promise<void> {
  const { jobs: found, total } = await readJobs(client, options);
  const jobs = found.slice(0, options.limit);
  if (jobs.length < total) context.warn(`${jobs.length} of ${total} shown`);
  await context.print(options.format === 'json' ? formatJson(jobs) : printJobList(jobs));
}

async function showJob(
  id: string,
  options: ShowOptions,
  { client }: OpenedOrchestrator,
  context: JobProcess,
): Promise<void> {
  const job = await client.get(`/jobs/${readJobId(id)}`);
  const nodes = listRecords((await client.get(`/jobs/${id}/nodes`)).items);
  if (options.format === 'json') {
    await context.print(formatJson({ ...job, nodes }));
    return;
  }
  const describe = job.command === 'deploy' ? describePuppetRun : describeTaskRun;
  const ordered = orderRuns(nodes);
  const shown = ordered
    .slice(0, options.limit)
    .map((node) =>
      ['new', 'ready', 'running'].includes(String(node.state)) ? `${node.name}: ${node.state}\n` : describe(node),
    );
  const end = hasJobEnded(job) ? `\n${describeJobEnd(job)}` : '';
  const left = ordered.slice(options.limit);
  const more = left.length === 0 ? '' : `and ${countRunStates(left, ' more')}; --limit and --format json show more\n`;
  await context.print(`${printJobHead(job, nodes)}\n${shown.join('')}${more}${end}`);
}

async function stopOneJob(
  id: string,
  options: OrchestratorOptions & FormatOption & { force?: boolean },
  context: JobProcess,
): Promise<void> {
  const { client } = await openOrchestrator(options, context);
  const answer = await client.post('/command/stop', { job: readJobId(id), ...(options.force ? { force: true } : {}) });
  if (options.format === 'json') {
    await context.print(formatJson(answer));
    return;
  }
  const nodes = isJsonRecord(answer.job) && isJsonRecord(answer.job.nodes) ? answer.job.nodes : {};
  const counts = Object.entries(nodes).map(([state, count]) => `  ${state}: ${count}\n`);
  await context.print(`Stopping job ${id}\n${counts.join('')}`);
}

function readJobId(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  throw new ClientError(`'${text}' is not the id of a job: ids are numbers`);
}
