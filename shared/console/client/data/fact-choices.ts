/** Nodes whose values are read: the answer takes as long in a fleet of any size. */
const NODES_READ = 200;
const MOST_NAMES = 200;
const MOST_VALUES = 50;

/** Extensions of certificates that Puppet names, in rules. */
const TRUSTED = ['certname', 'domain', 'hostname'];
const EXTENSIONS = [
  'pp_role',
  'pp_environment',
  'pp_department',
  'pp_datacenter',
  'pp_zone',
  'pp_service',
  'pp_hostname',
];

/** A fact has a path for each of its values. Queries of PuppetDB name no `fact_names` here. */
const BY_NAME = ['group_by', 'name'];

/** Paths that need no inventory. */
export const KNOWN_PATHS: readonly string[] = [
  'name',
  ...TRUSTED.map((name) => `trusted.${name}`),
  ...EXTENSIONS.map((name) => `trusted.extensions.${name}`),
];

/**
 * The address of facts whose names begin as `typed` does, or of the paths in the fact that it
 * names; null for a path that is no fact's.
 */
export function addressOfPaths(typed: string): string | null {
  const path = typed.trim().replace(/^fact\./, '');
  if (/^(?:trusted\b|name$)/.test(path) || !/^[\w.-]*$/.test(path)) return null;
  const [root = '', ...below] = path.split('.');
  const order = (field: string) => ['order_by', [field]];
  const query =
    below.length === 0
      ? ['from', 'fact_paths', ['extract', ['name'], ['~', 'name', `^${escapeDots(root)}`], BY_NAME], order('name')]
      : ['from', 'fact_paths', ['extract', ['path'], ['=', 'name', root]], order('path')];
  return addressOf([...query, ['limit', MOST_NAMES]]);
}

/** The paths of an answer, as rules write them. */
export function readPaths(rows: readonly { readonly name?: string; readonly path?: readonly unknown[] }[]): string[] {
  return rows.flatMap(({ name, path }) => {
    if (name !== undefined) return [`fact.${name}`];
    // The form joins parts with dots, so it cannot show a part that has one itself.
    return path?.every((part) => !String(part).includes('.')) === true ? [`fact.${path.join('.')}`] : [];
  });
}

/** The address of the values that some nodes have at a path; null for a path that has none. */
export function addressOfValues(path: string): string | null {
  const [, kind = '', below = ''] = /^(fact|trusted)\.([\w-]+(?:\.[\w-]+)*)$/.exec(path.trim()) ?? [];
  if (below === '') return null;
  const field = `${kind === 'fact' ? 'facts' : 'trusted'}.${below}`;
  return addressOf(['from', 'inventory', ['extract', [field]], ['limit', NODES_READ]]);
}

/** Values with the number of nodes that have each, the commonest first. */
export function countValues(
  rows: readonly Readonly<Record<string, unknown>>[],
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of rows.flatMap((row) => Object.values(row))) {
    if (value === null || typeof value === 'object') continue;
    counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, many], [b, others]) => others - many || (a < b ? -1 : 1));
  return sorted.slice(0, MOST_VALUES);
}

function addressOf(query: readonly unknown[]): string {
  return `/pdb/query/v4?query=${encodeURIComponent(JSON.stringify(query))}`;
}

function escapeDots(text: string): string {
  return text.replaceAll('.', '\\.');
}
