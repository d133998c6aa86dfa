import { isJsonObject } from '../../../util/json-object.ts';
import { formatDetails } from '../../client/details.ts';
import { hideControls } from '../../client/list-table.ts';

type Json = Readonly<Record<string, unknown>>;

/** Log lines of these levels say nothing to who looks for what a run did. */
const QUIET_LEVELS: readonly unknown[] = ['debug', 'info'];

/**
 * Formats a report as Puppet sends it: what the run was, the resources that failed, changed or
 * would change, and the lines of its log from `notice` on.
 */
export function printAgentReport(certname: string, report: unknown): string {
  const { status, environment, time, configuration_version, puppet_version, transaction_uuid, noop, ...rest } =
    toObject(report);
  const details = formatDetails([
    ['Node', certname],
    ['Status', `${textOf(status) ?? 'unknown'}${noop === true ? ' (no-op)' : ''}`],
    ['Environment', textOf(environment)],
    ['Time', textOf(time)],
    ['Configuration', textOf(configuration_version)],
    ['Puppet', textOf(puppet_version)],
    ['Transaction', textOf(transaction_uuid)],
  ]);
  return [
    details,
    ...printSection('Resources', listResources(rest.resource_statuses)),
    ...printSection('Log', listLog(rest.logs)),
  ].join('');
}

function printSection(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`\n${title}:\n`, ...lines.map((line) => `  ${hideControls(line)}\n`)];
}

function listResources(statuses: unknown): readonly string[] {
  return Object.entries(toObject(statuses)).flatMap(([name, value]) => {
    const { failed, changed, out_of_sync, skipped, events } = toObject(value);
    const outcome =
      failed === true
        ? 'failed'
        : changed === true
          ? 'changed'
          : out_of_sync === true
            ? 'would change'
            : skipped === true
              ? 'skipped'
              : null;
    if (outcome === null) return [];
    const messages = toList(events).flatMap((event) => textOf(toObject(event).message) ?? []);
    return [`${name} ${outcome}${messages.length === 0 ? '' : `: ${messages.join('; ')}`}`];
  });
}

function listLog(logs: unknown): readonly string[] {
  return toList(logs)
    .map(toObject)
    .filter(({ level }) => !QUIET_LEVELS.includes(level))
    .map(({ level, source, message }) => `${textOf(level) ?? '?'}: ${textOf(source) ?? ''}: ${textOf(message) ?? ''}`);
}

function toObject(value: unknown): Json {
  return isJsonObject(value) ? value : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
