import type { FleetComparison } from '../../../fleet/comparisons/fleet-comparison.ts';
import type { NodeComparison } from '../../../fleet/comparisons/node-comparison.ts';
import { type AlikeFailures, nameNodes } from '../../../fleet/previews/message-groups.ts';
import { countUnits } from '../../../util/count-units.ts';
import { describeChange, printChangeGroup } from '../code/print-preview.ts';

const MOST_GROUPS = 50;

/** Formats a comparison of nodes: counts, differences by cause, errors, what could not be read. */
export function printFleetComparison(comparison: FleetComparison): string {
  const { compared, equal, different, failing, unknown, groups, failures, unknowns, omitted } = comparison;
  const shown = groups.slice(0, MOST_GROUPS);
  return [
    `${countUnits(compared, 'node')}: ${equal} equal, ${different} different, ${failing} failing, ${unknown} not compared\n`,
    ...(groups.length === 0 ? [] : ['\ndifferent, by cause (existing -> here):\n']),
    ...shown.map((group) => printChangeGroup(group, false)),
    ...(groups.length > shown.length ? [`  and ${groups.length - shown.length} more groups\n`] : []),
    ...printMessages('failing here', failures),
    ...printMessages('not compared', unknowns),
    ...(omitted === 0 ? [] : [`\n${omitted} differences and messages had no room in these groups\n`]),
  ].join('');
}

/** Formats the comparison of a node: its outcome, then each change. */
export function printNodeComparison(comparison: NodeComparison): string {
  const { certname, environment, at, outcome } = comparison;
  const head = `${certname} (${environment}) at ${new Date(at).toISOString()}: ${outcome}\n`;
  if (outcome === 'equal') return head;
  if (outcome !== 'different') return `${head}  ${comparison.message}\n`;
  const more = comparison.omitted === 0 ? '' : `  and ${comparison.omitted} more changes\n`;
  return `${head}${comparison.changes.map((change) => `  ${describeChange(change)}\n`).join('')}${more}`;
}

function printMessages(title: string, groups: readonly AlikeFailures[]): readonly string[] {
  if (groups.length === 0) return [];
  const more = groups.length - MOST_GROUPS;
  return [
    `\n${title}:\n`,
    ...groups
      .slice(0, MOST_GROUPS)
      .map((group) => `  ${countUnits(group.count, 'node')}: ${group.message} (${nameNodes(group)})\n`),
    ...(more > 0 ? [`  and ${more} more\n`] : []),
  ];
}
