import { systemClock } from '../../../store/system-clock.ts';
import { ClientError } from '../../client/client-error.ts';
import type { ClientFolders } from '../../client/client-settings.ts';
import { followJob, type JobStep, listRecords } from '../../client/job-progress.ts';
import { describeJobEnd } from '../../client/job-texts.ts';
import { createListStyle, type ListColumn, type ListOptions, printList } from '../../client/list-table.ts';
import { type FormatOption, formatJson } from '../../client/option-values.ts';
import {
  isJsonRecord,
  type JsonRecord,
  OrchestratorClient,
  type OrchestratorOptions,
  type OrchestratorSettings,
  obtainToken,
  readOrchestratorSettings,
} from '../../client/orchestrator-client.ts';
import type { Terminal } from '../../client/terminal.ts';

/** Parts of the process for commands of the orchestrator. */
export interface JobProcess {
  readonly print: (text: string) => Promise<void>;
  readonly warn: (line: string) => void;
  readonly exit: (code: number) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly terminal: Terminal;
  readonly folders: ClientFolders;
  /** Calls `handle` at each CTRL-C, until the returned function is called. */
  readonly onInterrupt: (handle: () => void) => () => void;
}

export interface OpenedOrchestrator {
  readonly client: OrchestratorClient;
  readonly settings: OrchestratorSettings;
}

/** Opens the orchestrator that options and configuration name. */
export async function openOrchestrator(
  options: OrchestratorOptions,
  { folders, terminal, sleep }: JobProcess,
): Promise<OpenedOrchestrator> {
  const settings = readOrchestratorSettings(options, folders);
  const token = await obtainToken(settings, terminal);
  const { url, caFile } = settings;
  return { client: new OrchestratorClient({ url, caFile, token }, sleep), settings };
}

/** Options of a list of tasks or plans. */
export interface RunnableOptions extends OrchestratorOptions, ListOptions {
  readonly environment?: string;
  readonly all?: boolean;
}

/** The columns of a list of tasks or plans. */
export const RUNNABLE_COLUMNS: readonly ListColumn<JsonRecord>[] = [
  { name: 'name', value: ({ name }) => String(name) },
  { name: 'permitted', isWide: true, value: ({ permitted }) => permitted !== false },
];

/** Prints the names of an environment's tasks or plans: those that the user may run, or all. */
export async function printRunnable(
  kind: 'task' | 'plan',
  options: RunnableOptions,
  context: JobProcess,
): Promise<void> {
  const { client, settings } = await openOrchestrator(options, context);
  const environment = options.environment ?? settings.environment ?? 'production';
  const { items } = await client.get(`/${kind}s?environment=${encodeURIComponent(environment)}`);
  const shown = listRecords(items).filter(({ permitted }) => options.all === true || permitted !== false);
  const style = createListStyle(options, systemClock.now(), `There is no ${kind} in ${environment} that you may run.`);
  await context.print(printList(shown, RUNNABLE_COLUMNS, style, (one) => one));
}

/** Reads a task or plan by its full name. Throws ClientError for what is no such name. */
export function readRunnable(
  kind: 'task' | 'plan',
  name: string,
  environment: string,
  { client }: OpenedOrchestrator,
): Promise<JsonRecord> {
  const [module = '', ...parts] = name.split('::');
  // Folders of plans are parts of their names; tasks are in one folder.
  const isNamed = [module, ...parts].every((part) => /^[a-z]\w*$/.test(part));
  if (!isNamed || (kind === 'task' && parts.length > 1))
    throw new ClientError(`'${name}' is not the name of a ${kind}`);
  const short = parts.length === 0 ? 'init' : parts.join('::');
  const query = `environment=${encodeURIComponent(environment)}`;
  return client.get(`/${kind}s/${module}/${encodeURIComponent(short)}?${query}`);
}

/** Creates a job. Returns its number. */
export async function createJob(client: OrchestratorClient, command: string, body: JsonRecord): Promise<string> {
  const { job } = await client.post(`/command/${command}`, body);
  const name = isJsonRecord(job) ? job.name : undefined;
  if (typeof name !== 'string') throw new ClientError('the answer has no job');
  return name;
}

/**
 * Shows a job until it ends. CTRL-C stops the job: running nodes finish, others do not start; a
 * second one ends the command at once. The exit code is 0 when all nodes succeeded, 1 otherwise.
 */
export async function watchJob(
  job: string,
  { client }: OpenedOrchestrator,
  context: JobProcess,
  { format, describeStep }: FormatOption & { readonly describeStep: (step: JobStep) => string },
): Promise<void> {
  const ignore = context.onInterrupt(() => stopJob(job, client, context));
  try {
    for await (const step of followJob(client, job, context.sleep)) {
      if (format === 'text') await context.print(describeStep(step));
    }
  } finally {
    ignore();
  }
  const ended = await client.get(`/jobs/${job}`);
  if (format === 'json') {
    const { items } = await client.get(`/jobs/${job}/nodes`);
    await context.print(formatJson({ ...ended, nodes: listRecords(items) }));
  } else await context.print(`\n${describeJobEnd(ended)}`);
  context.exit(ended.state === 'finished' ? 0 : 1);
}

function stopJob(job: string, client: OrchestratorClient, { warn }: JobProcess): void {
  warn(`Stopping job ${job}: running nodes finish, others do not start.`);
  client.post('/command/stop', { job }).catch((error: unknown) => {
    warn(`The job could not be stopped: ${error instanceof Error ? error.message : String(error)}`);
  });
}
