import type { Command } from 'commander';
import type { JobStep } from '../../client/job-progress.ts';
import { describeTaskRun } from '../../client/job-texts.ts';
import { addListOptions } from '../../client/list-table.ts';
import { createClientFormatOption, type FormatOption, formatJson } from '../../client/option-values.ts';
import { isJsonRecord, type JsonRecord, type OrchestratorOptions } from '../../client/orchestrator-client.ts';
import { describeUsage } from '../../client/usage-texts.ts';
import {
  createJob,
  type JobProcess,
  openOrchestrator,
  printRunnable,
  RUNNABLE_COLUMNS,
  type RunnableOptions,
  readRunnable,
  watchJob,
} from './run-job.ts';
import { readParameterObject, readScalar, requireOneForm, splitPair } from './run-parameters.ts';
import { addServiceOptions, addTargetOptions, readTargetOptions, type TargetOptions } from './target-options.ts';

interface TaskRunOptions extends TargetOptions, OrchestratorOptions, FormatOption {
  readonly environment?: string;
  readonly params?: string;
  readonly noop?: boolean;
  readonly description?: string;
}

/** The usage of `task run`. */
const USAGE = { command: 'task run', target: "<[--nodes, -n <node-names>] | [--query, -q <'query'>]>" };

/** Adds `task`: tasks on nodes, now. */
export function addTaskCommands(program: Command, context: JobProcess): void {
  const task = program.command('task').description('run tasks on nodes through the orchestrator');
  addServiceOptions(addTargetOptions(task.command('run')))
    .description('run a task on nodes, and show the job until it ends')
    .argument('<task>', 'such as package or apache::reload')
    .argument('[parameters...]', 'name=value: text, a number, true or false')
    .option('--params <json>', 'all parameters as a JSON object, or @FILE')
    .option('-e, --environment <name>', 'the environment that has the task (default: that of the configuration)')
    .option('--noop', 'change nothing, if the task supports that')
    .option('--description <text>', 'a text for the list of jobs')
    .addOption(createClientFormatOption())
    .action((name: string, parameters: readonly string[], options: TaskRunOptions) =>
      runTask(name, parameters, options, context),
    );
  const show = addServiceOptions(task.command('show'))
    .alias('list')
    .description('list the tasks that you may run; with a name, show how to run it')
    .argument('[task]')
    .option('--all', 'list all tasks')
    .option('-e, --environment <name>', 'the environment that has the tasks (default: that of the configuration)');
  addListOptions(show, RUNNABLE_COLUMNS, { format: createClientFormatOption() }).action(
    (name: string | undefined, options: RunnableOptions) =>
      name === undefined ? printRunnable('task', options, context) : showTask(name, options, context),
  );
}

async function runTask(
  task: string,
  parameters: readonly string[],
  options: TaskRunOptions,
  context: JobProcess,
): Promise<void> {
  const scope = readTargetOptions(options);
  requireOneForm(parameters, options.params);
  const opened = await openOrchestrator(options, context);
  const environment = options.environment ?? opened.settings.environment ?? 'production';
  const params =
    options.params === undefined
      ? await readPairs(parameters, () => readRunnable('task', task, environment, opened))
      : readParameterObject(options.params);
  if (options.format === 'text') await context.print('Starting job ...\n');
  const id = await createJob(opened.client, 'task', {
    task,
    params,
    scope,
    environment,
    noop: options.noop ?? opened.settings.noop,
    ...(options.description === undefined ? {} : { description: options.description }),
  });
  if (options.format === 'text') {
    const { node_count: nodes } = await opened.client.get(`/jobs/${id}`);
    await context.print(`New job ID: ${id}\nNodes: ${nodes}\n\n`);
  }
  await watchJob(id, opened, context, { format: options.format, describeStep: describeTaskStep });
}

function describeTaskStep(step: JobStep): string {
  if (step.kind === 'ended') return describeTaskRun(step.run);
  return step.kind === 'started' ? `Started on ${step.node} ...\n` : `${step.message}\n`;
}

/**
 * Reads `name=value`. A number or a boolean is one when the task's parameter takes it, else it is
 * text.
 */
async function readPairs(pairs: readonly string[], askForTask: () => Promise<JsonRecord>): Promise<JsonRecord> {
  if (pairs.length === 0) return {};
  const { checkTaskParameters, readParameters } = await import('../../../orchestrator/tasks/task-parameters.ts');
  const { metadata, type_aliases: texts } = await askForTask();
  const aliases = Object.entries(isJsonRecord(texts) ? texts : {}).map(([name, text]) => [name, String(text)] as const);
  const known = isJsonRecord(metadata) ? metadata : {};
  const parameters = readParameters('the task', known, Object.fromEntries(aliases));
  const entries = pairs.map((pair) => {
    const [name, text] = splitPair(pair);
    const value = readScalar(text);
    const named = parameters?.filter((one) => one.name === name) ?? null;
    const isTaken = named?.length === 0 || checkTaskParameters(named, { [name]: value }).faults.length === 0;
    return [name, isTaken ? value : text] as const;
  });
  return Object.fromEntries(entries);
}

async function showTask(name: string, options: RunnableOptions, context: JobProcess): Promise<void> {
  const opened = await openOrchestrator(options, context);
  const environment = options.environment ?? opened.settings.environment ?? 'production';
  const task = await readRunnable('task', name, environment, opened);
  if (options.format === 'json') await context.print(formatJson(task));
  else await context.print(describeUsage(name, isJsonRecord(task.metadata) ? task.metadata : {}, USAGE));
}
