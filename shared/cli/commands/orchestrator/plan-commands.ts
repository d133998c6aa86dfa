import type { Command } from 'commander';
import { ClientError } from '../../client/client-error.ts';
import { listRecords } from '../../client/job-progress.ts';
import { addListOptions } from '../../client/list-table.ts';
import { createClientFormatOption, type FormatOption, formatJson } from '../../client/option-values.ts';
import {
  isJsonRecord,
  type JsonRecord,
  type OrchestratorClient,
  type OrchestratorOptions,
} from '../../client/orchestrator-client.ts';
import { describePlanEnd, describePlanJob } from '../../client/plan-texts.ts';
import { describeUsage } from '../../client/usage-texts.ts';
import {
  type JobProcess,
  openOrchestrator,
  printRunnable,
  RUNNABLE_COLUMNS,
  type RunnableOptions,
  readRunnable,
} from './run-job.ts';
import { readUntypedParameters } from './run-parameters.ts';
import { addServiceOptions } from './target-options.ts';

type StopOptions = OrchestratorOptions & FormatOption;

interface PlanRunOptions extends OrchestratorOptions, FormatOption {
  readonly environment?: string;
  readonly params?: string;
  readonly description?: string;
}

/** Adds `plan`: plans of an environment, which the orchestrator runs. */
export function addPlanCommands(program: Command, context: JobProcess): void {
  const plan = program.command('plan').description('run plans through the orchestrator');
  const show = addServiceOptions(plan.command('show'))
    .alias('list')
    .description('list the plans that you may run; with a name, show its parameters; with a number, a plan job')
    .argument('[plan]', 'such as demo::restart, or 12')
    .option('--all', 'list all plans')
    .option('-e, --environment <name>', 'the environment that has the plans (default: that of the configuration)');
  addListOptions(show, RUNNABLE_COLUMNS, { format: createClientFormatOption() }).action(
    (name: string | undefined, options: RunnableOptions) =>
      name === undefined ? printRunnable('plan', options, context) : showOne(name, options, context),
  );
  addServiceOptions(plan.command('run'))
    .description('run a plan, and show what it says until it ends')
    .argument('<plan>', 'such as demo or demo::restart')
    .argument('[parameters...]', 'name=value: text, or JSON')
    .option('--params <json>', 'all parameters as a JSON object, or @FILE')
    .option('-e, --environment <name>', 'the environment that has the plan (default: that of the configuration)')
    .option('--description <text>', 'a text for the list of plan jobs')
    .addOption(createClientFormatOption())
    .action((name: string, parameters: readonly string[], options: PlanRunOptions) =>
      runPlan(name, parameters, options, context),
    );
  addServiceOptions(plan.command('stop'))
    .description('stop a plan: its jobs end where nodes run, and nothing else begins')
    .argument('<id>', 'the number of the plan job')
    .addOption(createClientFormatOption())
    .action((id: string, options: StopOptions) => stopPlan(id, options, context));
}

/** A number means a plan job. */
function showOne(name: string, options: RunnableOptions, context: JobProcess): Promise<void> {
  return /^\d+$/.test(name) ? showPlanJob(name, options, context) : showPlan(name, options, context);
}

async function showPlanJob(id: string, options: RunnableOptions, context: JobProcess): Promise<void> {
  const { client } = await openOrchestrator(options, context);
  const job = await client.get(`/plan_jobs/${id}`);
  await context.print(options.format === 'json' ? formatJson(job) : describePlanJob(job));
}

async function stopPlan(id: string, options: StopOptions, context: JobProcess): Promise<void> {
  if (!/^\d+$/.test(id)) throw new ClientError(`'${id}' is not the number of a plan job`);
  const { client } = await openOrchestrator(options, context);
  const answer = await client.post('/command/stop_plan', { plan_job: id });
  const text = `Plan job ${id} was stopped.\n`;
  await context.print(options.format === 'json' ? formatJson(answer) : text);
}

async function showPlan(name: string, options: RunnableOptions, context: JobProcess): Promise<void> {
  const opened = await openOrchestrator(options, context);
  const environment = options.environment ?? opened.settings.environment ?? 'production';
  const plan = await readRunnable('plan', name, environment, opened);
  const metadata = isJsonRecord(plan.metadata) ? plan.metadata : {};
  const text = describeUsage(name, metadata, { command: 'plan run', target: '' });
  await context.print(options.format === 'json' ? formatJson(plan) : text);
}

async function runPlan(
  name: string,
  parameters: readonly string[],
  options: PlanRunOptions,
  context: JobProcess,
): Promise<void> {
  const params = readUntypedParameters(parameters, options.params);
  const { client, settings } = await openOrchestrator(options, context);
  if (options.format === 'text') await context.print('Starting plan ...\n');
  const answer = await client.post('/command/plan_run', {
    plan_name: name,
    params,
    environment: options.environment ?? settings.environment ?? 'production',
    ...(options.description === undefined ? {} : { description: options.description }),
  });
  const id = String(answer.name);
  if (options.format === 'text') await context.print(`New plan job ID: ${id}\n\n`);
  await watchPlan(id, client, options, context);
}

const POLL_MS = 1000;

/**
 * Shows a plan job until it ends. CTRL-C stops the plan. The exit code is 0 when it succeeded, 1
 * otherwise.
 */
async function watchPlan(
  id: string,
  client: OrchestratorClient,
  { format }: FormatOption,
  context: JobProcess,
): Promise<void> {
  const ignore = context.onInterrupt(() => {
    context.warn(`Stopping plan job ${id}.`);
    client.post('/command/stop_plan', { plan_job: id }).catch((error: unknown) => {
      context.warn(`The plan could not be stopped: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
  let job: JsonRecord;
  try {
    job = await followPlan(id, client, context, format === 'text');
  } finally {
    ignore();
  }
  await context.print(format === 'json' ? formatJson(job) : `\n${describePlanEnd(job)}`);
  context.exit(job.state === 'success' ? 0 : 1);
}

/** Prints the events of a plan job as they come. Returns the job when it has ended. */
async function followPlan(
  id: string,
  client: OrchestratorClient,
  { print, sleep }: JobProcess,
  isShown: boolean,
): Promise<JsonRecord> {
  let start = '';
  for (;;) {
    // The state is read before the events, so that none of its last ones is missed.
    const job = await client.get(`/plan_jobs/${id}`);
    const page = await client.get(`/plan_jobs/${id}/events${start === '' ? '' : `?start=${start}`}`);
    const events = listRecords(page.items);
    if (isShown) for (const event of events) await print(`${String(event.message ?? '')}\n`);
    const next = isJsonRecord(page['next-events']) ? page['next-events'].event : undefined;
    if (next !== undefined) start = encodeURIComponent(String(next));
    if (job.state !== 'running') return job;
    if (events.length === 0) await sleep(POLL_MS);
  }
}
