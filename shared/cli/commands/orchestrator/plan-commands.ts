import type { Command } from 'commander';
import { isJsonRecord, type OrchestratorOptions } from '../../client/orchestrator-client.ts';
import { describeUsage } from '../../client/usage-texts.ts';
import { formatOption } from './job-commands.ts';
import { type FormatOption, type JobProcess, openOrchestrator, printRunnable, readRunnable } from './run-job.ts';
import { readUntypedParameters } from './run-parameters.ts';
import { addServiceOptions } from './target-options.ts';

interface PlanOptions extends OrchestratorOptions, FormatOption {
  readonly environment?: string;
  readonly all?: boolean;
}

interface PlanRunOptions extends OrchestratorOptions, FormatOption {
  readonly environment?: string;
  readonly params?: string;
  readonly description?: string;
}

/** Adds `plan`: the plans of an environment. */
export function addPlanCommands(program: Command, context: JobProcess): void {
  const plan = program.command('plan').description('look at the plans of an environment');
  addServiceOptions(plan.command('show'))
    .alias('list')
    .description('list the plans that you may run; with a name, show its parameters')
    .argument('[plan]')
    .option('--all', 'list all plans')
    .option('-e, --environment <name>', 'the environment that has the plans (default: that of the configuration)')
    .addOption(formatOption())
    .action((name: string | undefined, options: PlanOptions) =>
      name === undefined ? printRunnable('plan', options, context) : showPlan(name, options, context),
    );
  addServiceOptions(plan.command('run'))
    .description("run a plan on an orchestrator that can; Understudy's cannot, and names Bolt")
    .argument('<plan>', 'such as demo or demo::restart')
    .argument('[parameters...]', 'name=value: text, or JSON')
    .option('--params <json>', 'all parameters as a JSON object, or @FILE')
    .option('-e, --environment <name>', 'the environment that has the plan (default: that of the configuration)')
    .option('--description <text>', 'a text for the list of plan jobs')
    .addOption(formatOption())
    .action((name: string, parameters: readonly string[], options: PlanRunOptions) =>
      runPlan(name, parameters, options, context),
    );
}

async function showPlan(name: string, options: PlanOptions, context: JobProcess): Promise<void> {
  const opened = await openOrchestrator(options, context);
  const environment = options.environment ?? opened.settings.environment ?? 'production';
  const plan = await readRunnable('plan', name, environment, opened);
  const metadata = isJsonRecord(plan.metadata) ? plan.metadata : {};
  const text = describeUsage(name, metadata, { command: 'plan run', target: '' });
  await context.print(options.format === 'json' ? `${JSON.stringify(plan, null, 2)}\n` : text);
}

async function runPlan(
  name: string,
  parameters: readonly string[],
  options: PlanRunOptions,
  context: JobProcess,
): Promise<void> {
  const params = readUntypedParameters(parameters, options.params);
  const { client, settings } = await openOrchestrator(options, context);
  const answer = await client.post('/command/plan_run', {
    plan_name: name,
    params,
    environment: options.environment ?? settings.environment ?? 'production',
    ...(options.description === undefined ? {} : { description: options.description }),
  });
  const text = `Starting plan ...\nNew plan job ID: ${answer.name}\n`;
  await context.print(options.format === 'json' ? `${JSON.stringify(answer, null, 2)}\n` : text);
}
