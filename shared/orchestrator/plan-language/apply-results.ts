import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { PlainHash } from './plan-effects.ts';
import { hashFrom } from './plan-json.ts';
import { ApplyResultValue, type TargetValue } from './plan-objects.ts';
import type { PlanTypes } from './plan-types.ts';

const REPORT_KEYS = ['metrics', 'resource_statuses', 'status'];

/** Reads the result of `apply` from what an agent printed. Follows lib/bolt/apply_result.rb. */
export function readApplyResult(
  types: PlanTypes,
  target: TargetValue,
  plain: PlainHash,
  catalog: PlainHash,
): ApplyResultValue {
  const { _error: error, ...report } = plain;
  const value = new PuppetHash();
  const fault = isJsonObject(error) ? (findMissingPuppet(error) ?? error) : findFault(target.name, report);
  const hasReport = !isJsonObject(error);
  if (hasReport) value.set('report', hashFrom(withoutOutput(report)));
  if (fault !== null) value.set('_error', hashFrom(fault));
  const summary = describeMetrics(report);
  if (summary !== null) value.set('_output', summary);
  return new ApplyResultValue(types, target, value, hashFrom(catalog));
}

function withoutOutput({ _output: _, ...report }: PlainHash): PlainHash {
  return report;
}

function findMissingPuppet({ details }: PlainHash): PlainHash | null {
  const code = isJsonObject(details) ? details.exit_code : undefined;
  if (code !== 126 && code !== 127) return null;
  return {
    msg: "Puppet is not installed on the target, please install it to enable 'apply'",
    kind: 'bolt/apply-error',
  };
}

function findFault(name: string, report: PlainHash): PlainHash | null {
  const missing = REPORT_KEYS.filter((key) => !(key in report));
  if (missing.length > 0) {
    const msg =
      report._output === undefined
        ? `Report did not contain all expected keys missing: ${missing.join(', ')}`
        : `Report result contains an '_output' key. Catalog application might have printed extraneous output to stdout: ${String(report._output)}`;
    return { msg, kind: 'bolt/invalid-report' };
  }
  if (report.status !== 'failed') return null;
  const failed = Object.entries(isJsonObject(report.resource_statuses) ? report.resource_statuses : {}).flatMap(
    ([key, resource]) => failuresOf(key, resource),
  );
  return { msg: `Resources failed to apply for ${name}${failed.join('')}`, kind: 'bolt/resource-failure' };
}

function failuresOf(key: string, resource: unknown): readonly string[] {
  if (!isJsonObject(resource) || resource.failed !== true || !Array.isArray(resource.events)) return [];
  return resource.events.flatMap((event: unknown) =>
    isJsonObject(event) && event.status === 'failure' ? [`\n  ${key}: ${String(event.message)}`] : [],
  );
}

function describeMetrics({ metrics }: PlainHash): string | null {
  const resources = isJsonObject(metrics) && isJsonObject(metrics.resources) ? metrics.resources.values : null;
  if (!Array.isArray(resources)) return null;
  const counts = new Map(
    resources.map(
      (row: unknown) => (Array.isArray(row) ? [String(row[0]), Number(row[2])] : ['', 0]) as [string, number],
    ),
  );
  const count = (name: string) => counts.get(name) ?? 0;
  const [changed, failed, skipped] = [count('changed'), count('failed'), count('skipped')];
  const unchanged = count('total') - changed - failed - skipped;
  const noop = count('out_of_sync') - changed - failed;
  return `changed: ${changed}, failed: ${failed}, unchanged: ${unchanged} skipped: ${skipped}, noop: ${noop}`;
}
