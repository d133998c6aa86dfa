import type { Command } from 'commander';
import { ClientError } from '../../client/client-error.ts';
import { listRecords } from '../../client/job-progress.ts';
import {
  createClientFormatOption,
  type FormatOption,
  formatJson,
  parseWholeNumber,
} from '../../client/option-values.ts';
import type { OrchestratorOptions } from '../../client/orchestrator-client.ts';
import { describeApplication } from '../../client/run-order-texts.ts';
import { type JobProcess, openOrchestrator } from './run-job.ts';
import { addServiceOptions } from './target-options.ts';

interface AppOptions extends OrchestratorOptions, FormatOption {
  readonly environment?: string;
  readonly limit?: number;
}

/** Adds `app`: the groups of nodes in an environment's graph. */
export function addAppCommand(program: Command, context: JobProcess): void {
  const app = program.command('app').description("show the applications in an environment's graph");
  addServiceOptions(app.command('show'))
    .alias('list')
    .description('show applications with their nodes, each after those that run before it')
    .argument('[application]', 'an application, or one of its instances: App[instance]')
    .option('-e, --environment <name>', 'the environment (default: that of the configuration)')
    .option('--limit <number>', 'the largest number of applications', parseWholeNumber(1, 10_000_000))
    .addOption(createClientFormatOption())
    .action((name: string | undefined, options: AppOptions) => showApplications(name, options, context));
}

async function showApplications(name: string | undefined, options: AppOptions, context: JobProcess): Promise<void> {
  const { client, settings } = await openOrchestrator(options, context);
  const environment = options.environment ?? settings.environment ?? 'production';
  const { items } = await client.get(`/environments/${encodeURIComponent(environment)}/instances`);
  const found = listRecords(items).filter((one) => name === undefined || one.name === name || one.type === name);
  const shown = found.slice(0, options.limit);
  if (shown.length < found.length) context.warn(`${shown.length} of ${found.length} shown`);
  if (name !== undefined && found.length === 0) {
    throw new ClientError(`there is no application '${name}' in the environment graph of '${environment}'`);
  }
  if (options.format === 'json') await context.print(formatJson(shown));
  else if (shown.length === 0) await context.print(`The environment graph of '${environment}' has no applications.\n`);
  else await context.print(shown.map(describeApplication).join('\n'));
}
