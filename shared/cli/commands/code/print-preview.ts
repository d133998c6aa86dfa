import type { DeployPreview } from '../../../fleet/code/deploy.ts';
import type { ChangedNodes } from '../../../fleet/previews/change-groups.ts';
import type { CatalogChange } from '../../../fleet/previews/list-catalog-changes.ts';
import { describeFailures, nameNodes } from '../../../fleet/previews/message-groups.ts';
import type { CatalogPreview, FailingNode } from '../../../fleet/previews/preview-catalogs.ts';
import type { SnapshotChanges } from '../../../puppet/environment/snapshot-diff.ts';
import { countUnits } from '../../../util/count-units.ts';
import { shortenId } from '../../../util/short-id.ts';

const MOST_CHANGES = 20;
const MOST_FAILURES = 20;
/** Longer values, and those of several lines, are named only. */
const LONGEST_VALUE = 40;

/** Formats a preview of files: as git prints them (`A`, `M`, `D`), then the nodes. */
export function printPreview({ environment, codeId, changes, nodes }: DeployPreview): string {
  const touched = [`  ${countUnits(nodes.length, 'node')} touched\n`, ...nodes.map((certname) => `    ${certname}\n`)];
  return [`${environment} ${shortenId(codeId)}: ${printFiles(changes)}`, ...touched].join('');
}

/** Formats what code would change: files, invalid manifests, failures, and catalogs in groups. */
export function printCatalogPreview(preview: CatalogPreview): string {
  const { environment, codeId, codeEnvironment, files, faults, failures, groups, unchanged, fixed } = preview;
  const other = codeEnvironment === undefined ? '' : ` with the code of ${codeEnvironment}`;
  return [
    `${environment}${other} ${shortenId(codeId)}: ${printFiles(files)}`,
    ...faults.map(({ path, line, message }) => `  invalid: ${path}${line === null ? '' : `:${line}`}: ${message}\n`),
    `  ${describeCounts(preview)}\n`,
    ...printFailures(failures),
    ...groups.map((group) => printChangeGroup(group, isSampled(preview))),
    ...(fixed === 0 ? [] : [`  ${countNodes(fixed, isSampled(preview))}: compile again, which fail now\n`]),
    ...(unchanged === 0 ? [] : [`  ${countNodes(unchanged, isSampled(preview))}: no change\n`]),
  ].join('');
}

function printFiles({ added, changed, removed }: SnapshotChanges): string {
  const count = `${added.length} added, ${changed.length} changed, ${removed.length} removed`;
  const files = [
    ...added.map((path) => `  A ${path}\n`),
    ...changed.map((path) => `  M ${path}\n`),
    ...removed.map((path) => `  D ${path}\n`),
  ];
  return `${count}\n${files.join('')}`;
}

function isSampled({ touched, compared }: CatalogPreview): boolean {
  return compared < touched;
}

function describeCounts({ touched, compared, unanswered, groupsLeftOut }: CatalogPreview): string {
  if (touched === 0) return '0 nodes touched';
  return [
    `${countUnits(touched, 'node')} touched, ${compared} compiled`,
    ...(unanswered === 0 ? [] : [`${unanswered} not compiled in time`]),
    ...(groupsLeftOut === 0 ? [] : [`${countUnits(groupsLeftOut, 'group')} of nodes left out`]),
  ].join('; ');
}

function printFailures(failures: readonly FailingNode[]): readonly string[] {
  const list = (isNew: boolean, what: string) =>
    describeFailures(
      failures.filter((failure) => failure.isNew === isNew),
      what,
    );
  const lines = [...list(true, 'would fail'), ...list(false, 'failed before, too')];
  return limitLines(
    lines.map((line) => `  ${line}\n`),
    MOST_FAILURES,
    'failures',
  );
}

/** Formats a group: how many nodes, what changes, and some names. */
export function printChangeGroup({ nodes, count, differences }: ChangedNodes, isSample: boolean): string {
  const head = `  ${countNodes(count, isSample)}: `;
  const indent = ' '.repeat(head.length);
  const changes = limitLines(differences.map(describeChange), MOST_CHANGES, 'changes');
  return `${head}${[...changes, `(${nameNodes({ nodes, count })})`].join(`\n${indent}`)}\n`;
}

function countNodes(count: number, isSample: boolean): string {
  return `${isSample ? 'about ' : ''}${countUnits(count, 'node')}`;
}

/** Formats a change as one line: `File[/etc/ntp.conf] content`. */
export function describeChange({ kind, resource, parameter, from, to }: CatalogChange): string {
  if (parameter === undefined) return `${resource} ${kind}`;
  if (!isShort(from) || !isShort(to)) return `${resource} ${parameter}`;
  return `${resource} ${parameter}: ${from ?? '(none)'} -> ${to ?? '(none)'}`;
}

function isShort(text = ''): boolean {
  return text.length <= LONGEST_VALUE && !text.includes('\n');
}

function limitLines(lines: readonly string[], most: number, what: string): readonly string[] {
  if (lines.length <= most) return lines;
  const end = lines[0]?.endsWith('\n') ? '\n' : '';
  return [...lines.slice(0, most), `${end === '' ? '' : '  '}and ${lines.length - most} more ${what}${end}`];
}
