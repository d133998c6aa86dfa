import { isJsonObject } from '../../util/json-object.ts';
import type { TaskLibrary, TaskOutput } from '../tasks/task-library.ts';
import type { JobOrder } from './job-order.ts';

/** Final state of a node in a job. */
export interface NodeOutcome {
  readonly state: 'finished' | 'failed' | 'errored';
  readonly result: Readonly<Record<string, unknown>>;
  /** Why, when it did not finish. */
  readonly reason: string;
  readonly transactionUuid: string | null;
}

/** Facts about a Puppet run that the report has and the agent's answer has not. */
interface RunReport {
  readonly hash: string | null;
  readonly configurationVersion: string | null;
}

/** Finds the report of a run. */
export interface RunReports {
  find(certname: string, transactionUuid: string): Promise<RunReport | null>;
}

type Results = Readonly<Record<string, unknown>>;

/** Answer of pxp-agent for a request that it never got, or that it forgot after 14 days. */
const NO_SPOOL = 'found no results directory';

const METRICS = [
  'total',
  'changed',
  'failed',
  'skipped',
  'restarted',
  'scheduled',
  'out_of_sync',
  'failed_to_restart',
  'corrective_change',
] as const;

/** Reads the results of a request; those of a status query have the run's as text. */
export async function readOutcome(
  { order, name, tasks, reports }: OutcomeParts,
  results: Results,
): Promise<NodeOutcome> {
  if (order.kind === 'puppet') return readPuppetRun({ order, name, reports }, unwrapResults(results));
  const output = readOutput(results);
  if (output === null) return erroredOutcome(order, name, 'The agent answered without an exit code');
  if (order.kind === 'shim') {
    const { exitcode, stdout = '', stderr = '' } = output;
    return { state: 'finished', result: { stdout, stderr, exit_code: exitcode }, reason: '', transactionUuid: null };
  }
  const { state, result } = tasks.readResult(output);
  return { state, result, reason: describeTaskError(result), transactionUuid: null };
}

interface OutcomeParts {
  readonly order: JobOrder;
  readonly name: string;
  readonly tasks: Pick<TaskLibrary, 'readResult'>;
  readonly reports: RunReports;
}

/** Whether the agent did not run Puppet because another run of it holds the lock. */
export function isLockedRun({ kind }: Pick<JobOrder, 'kind'>, results: Results): boolean {
  return kind === 'puppet' && unwrapResults(results).error_type === 'agent_locked';
}

/** The outcome of a node that could not be asked, or that did not answer. */
export function erroredOutcome({ kind }: Pick<JobOrder, 'kind'>, node: string, reason: string): NodeOutcome {
  const failure = { kind: 'puppetlabs.orchestrator/execution-failure', msg: reason, details: { node } };
  const result = kind === 'puppet' ? failure : { ...failure, _error: failure };
  return { state: 'errored', result, reason, transactionUuid: null };
}

async function readPuppetRun(
  { order, name, reports }: Omit<OutcomeParts, 'tasks'>,
  run: Results,
): Promise<NodeOutcome> {
  const { status, environment, error, exitcode } = run;
  const isKnown = status === 'changed' || status === 'unchanged' || status === 'failed';
  if (!isKnown) {
    const message = typeof error === 'string' && error !== '' ? error : describeTaskError(run);
    const reason = message === '' ? 'The agent did not say how its run ended' : message;
    return erroredOutcome(order, name, reason);
  }
  const transactionUuid = typeof run.transaction_uuid === 'string' ? run.transaction_uuid : null;
  const report = transactionUuid === null ? null : await reports.find(name, transactionUuid);
  const metrics = readMetrics(run.metrics);
  const result = {
    hash: report?.hash ?? null,
    noop: { noop: order.noop, no_noop: order.noNoop },
    status,
    metrics,
    environment: typeof environment === 'string' ? environment : null,
    configuration_version: report?.configurationVersion ?? null,
  };
  const isFailed = status === 'failed' || (typeof exitcode === 'number' && exitcode !== 0);
  const reason = typeof error === 'string' && error !== '' ? error : `${metrics.failed} resources failed`;
  return { state: isFailed ? 'failed' : 'finished', result, reason: isFailed ? reason : '', transactionUuid };
}

function readMetrics(metrics: unknown): Readonly<Record<(typeof METRICS)[number], number>> {
  const given: Results = isJsonObject(metrics) ? metrics : {};
  const counts = METRICS.map((name) => [name, typeof given[name] === 'number' ? given[name] : 0] as const);
  return Object.fromEntries(counts) as Record<(typeof METRICS)[number], number>;
}

/** The results of a Puppet run: as such, or as the text that a status query has of them. */
function unwrapResults(results: Results): Results {
  if (results.transaction_uuid !== undefined || typeof results.stdout !== 'string') return results;
  try {
    const parsed: unknown = JSON.parse(results.stdout);
    return isJsonObject(parsed) ? parsed : results;
  } catch {
    return { ...results, error: results.stdout };
  }
}

/**
 * Why an agent does not know the outcome of a request: its process ended without an exit code, or
 * the agent's files are damaged. Empty when it knows nothing of the request.
 */
export function describeLoss({ stdout }: Results): string {
  const msg = typeof stdout === 'string' ? describeTaskError(unwrapResults({ stdout })) : '';
  return msg === NO_SPOOL ? '' : msg;
}

function readOutput({ exitcode, stdout, stderr }: Results): TaskOutput | null {
  if (typeof exitcode !== 'number') return null;
  const text = (name: 'stdout' | 'stderr', value: unknown) => (typeof value === 'string' ? { [name]: value } : {});
  return { exitcode, ...text('stdout', stdout), ...text('stderr', stderr) };
}

function describeTaskError(result: Results): string {
  const error = result._error;
  return isJsonObject(error) && typeof error.msg === 'string' ? error.msg : '';
}
