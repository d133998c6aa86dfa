import type { FleetComparison } from '../../fleet/comparisons/fleet-comparison.ts';
import type { ChangedNodes } from '../../fleet/previews/change-groups.ts';
import type { CatalogChange } from '../../fleet/previews/list-catalog-changes.ts';
import type { AlikeFailures } from '../../fleet/previews/message-groups.ts';
import { countUnits } from '../../util/count-units.ts';

/** Formats a comparison as a page of its own, without scripts and without other files. */
export function printComparisonPage(comparison: FleetComparison, title: string): string {
  const { compared, equal, different, failing, unknown, groups, failures, unknowns, omitted } = comparison;
  const counts = { compared, equal, different, failing, 'not compared': unknown };
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<h1>${escapeHtml(title)}</h1>
<table><tr>${Object.keys(counts)
    .map((name) => `<th>${name}</th>`)
    .join('')}</tr>
<tr>${Object.values(counts)
    .map((count) => `<td>${count}</td>`)
    .join('')}</tr></table>
${section('Different, by cause', groups, showGroup)}
${section('Failing here', failures, showMessage)}
${section('Not compared', unknowns, showMessage)}
${omitted === 0 ? '' : `<p>${omitted} differences and messages had no room in these groups.</p>`}
</html>
`;
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{border:1px solid #bbb;padding:.3rem .6rem;text-align:left;vertical-align:top}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}del{background:#fdd}ins{background:#dfd;text-decoration:none}
details{margin:1rem 0}summary{font-weight:600}
@media(prefers-color-scheme:dark){body{background:#161616;color:#eee}del{background:#622}ins{background:#252}}`;

function section<T>(title: string, items: readonly T[], show: (item: T) => string): string {
  return items.length === 0 ? '' : `<h2>${title}</h2>\n${items.map(show).join('\n')}`;
}

function showGroup({ nodes, count, differences }: ChangedNodes): string {
  const rows = differences.map(
    (change) => `<tr><td><pre>${escapeHtml(nameChange(change))}</pre></td><td>${showValues(change)}</td></tr>`,
  );
  return `<details open><summary>${countUnits(count, 'node')}</summary>
<p>${listNodes(nodes, count)}</p>
<table><tr><th>what</th><th>existing, then here</th></tr>${rows.join('\n')}</table></details>`;
}

function nameChange({ kind, resource, parameter }: CatalogChange): string {
  return parameter === undefined ? `${resource} ${kind}` : `${resource} ${parameter}`;
}

function showValues({ from, to }: CatalogChange): string {
  const shown = [
    from === undefined ? '' : `<del>${escapeHtml(from)}</del>`,
    to === undefined ? '' : `<ins>${escapeHtml(to)}</ins>`,
  ];
  return `<pre>${shown.filter((text) => text !== '').join('\n')}</pre>`;
}

function showMessage({ message, nodes, count }: AlikeFailures): string {
  return `<details open><summary>${countUnits(count, 'node')}</summary>
<pre>${escapeHtml(message)}</pre>
<p>${listNodes(nodes, count)}</p></details>`;
}

function listNodes(nodes: readonly string[], count: number): string {
  const others = count > nodes.length ? ` and ${count - nodes.length} more` : '';
  return escapeHtml(nodes.join(', ') + others);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
