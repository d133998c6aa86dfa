import type { CatalogDifference } from './diff-catalogs.ts';

const LABELS: Readonly<Record<CatalogDifference['kind'], string>> = {
  resource: 'resource',
  parameter: 'parameter',
  tags: 'tags',
  place: 'file and line',
  sensitive: 'sensitive parameters',
  exported: 'exported',
  edge: 'edge',
  class: 'class',
  order: 'order of resources',
};

/**
 * Prints differences for users: a heading for each resource, then `-` lines for the left catalog
 * and `+` lines for the right one.
 */
export function printDifferences(found: readonly CatalogDifference[], left: string, right: string): string {
  if (found.length === 0) return `The catalogs of ${left} (-) and ${right} (+) are the same.\n`;
  const lines = [`The catalogs of ${left} (-) and ${right} (+) differ in ${printCounts(found)}:`];
  let heading = '';
  for (const difference of found) {
    if (isWhole(difference)) lines.push(wholeLine(difference));
    else {
      if (difference.what !== heading) lines.push(`  ${difference.what}`);
      lines.push(...printSides(difference));
    }
    heading = difference.what;
  }
  return `${lines.join('\n')}\n`;
}

function printCounts(found: readonly CatalogDifference[]): string {
  const counts = Map.groupBy(found, ({ kind }) => kind);
  return [...counts].map(([kind, items]) => `${LABELS[kind]} (${items.length})`).join(', ');
}

function isWhole({ kind }: CatalogDifference): boolean {
  return kind === 'resource' || kind === 'edge' || kind === 'class';
}

function wholeLine({ kind, what, left }: CatalogDifference): string {
  return `${left === undefined ? '+' : '-'} ${LABELS[kind]} ${what}`;
}

function printSides({ kind, name, left, right }: CatalogDifference): string[] {
  const label = name ?? LABELS[kind];
  return [
    ...(left === undefined ? [] : [`-   ${label} => ${printValue(left)}`]),
    ...(right === undefined ? [] : [`+   ${label} => ${printValue(right)}`]),
  ];
}

function printValue(value: unknown): string {
  return JSON.stringify(value);
}
