import { isJsonObject } from '../../util/json-object.ts';
import { createNodeFailure, MOST_NODE_FAILURES, type NodeFailure } from './failing-node.ts';

/** The failures of a run. */
export interface RunFailures {
  /** At most 10. */
  readonly failures: readonly NodeFailure[];
  /** All resources that failed. */
  readonly failed: number;
}

/**
 * Reads the failed resources of a report; without any, its errors, as when the agent got no
 * catalog. The arguments are the members `resource_statuses` and `logs`.
 */
// Puppet: `failed` and `events` of Puppet::Resource::Status, lib/puppet/resource/status.rb
export function readRunFailures(statuses: unknown, logs: unknown): RunFailures {
  const failed = Object.entries(isJsonObject(statuses) ? statuses : {}).flatMap(([name, status]) =>
    isJsonObject(status) && isFailedResource(status) ? [readResource(name, status, logs)] : [],
  );
  const failures = failed.length > 0 ? failed : readErrors(logs);
  return { failures: failures.slice(0, MOST_NODE_FAILURES), failed: failed.length };
}

function isFailedResource(status: Readonly<Record<string, unknown>>): boolean {
  return status.failed === true || status.failed_to_restart === true;
}

function readResource(name: string, status: Readonly<Record<string, unknown>>, logs: unknown): NodeFailure {
  const { events, file, line } = status;
  const event = listObjects(events).find((one) => one.status === 'failure' && typeof one.message === 'string');
  const message = event?.message ?? findLogged(name, logs) ?? 'failed';
  return createNodeFailure({
    resource: name,
    message: String(message),
    file: typeof file === 'string' ? file : null,
    line: typeof line === 'number' ? line : null,
  });
}

/** The error that a run logged about a resource: its source is the resource's path. */
function findLogged(resource: string, logs: unknown): string | null {
  const found = readErrorLogs(logs).find(({ source }) => String(source).includes(resource));
  return typeof found?.message === 'string' ? found.message : null;
}

function readErrors(logs: unknown): readonly NodeFailure[] {
  const messages = new Set(readErrorLogs(logs).map(({ message }) => String(message)));
  const found = messages.size > 0 ? [...messages] : ['the run failed, and its report has no error'];
  return found.map((message) => createNodeFailure({ resource: null, message, file: null, line: null }));
}

function readErrorLogs(logs: unknown) {
  return listObjects(logs).filter(({ level }) => level === 'err' || level === 'alert' || level === 'crit');
}

function listObjects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
