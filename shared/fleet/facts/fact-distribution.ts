/** A value of a fact with the number of nodes that have it. */
interface FactValueCount {
  /** The value as JSON, at most 200 characters; null: the nodes lack the fact, or it is null. */
  readonly value: string | null;
  readonly nodes: number;
  /** PQL that finds these nodes; null for an object or an array. */
  readonly query: string | null;
}

/** The values of a fact over all nodes. */
export interface FactDistribution {
  /** The commonest values, at most 50, the commonest first. */
  readonly values: readonly FactValueCount[];
  /** The number of different values; null when there are more than 5,000. */
  readonly distinct: number | null;
  /** Nodes with a value that is not among these; null when it is not known. */
  readonly others: number | null;
  readonly total: number;
}

const MOST_SHOWN = 50;
/** Different values that are counted: a fact with more, as a UUID, has no use of a distribution. */
export const MOST_DISTINCT = 5000;
const LONGEST_VALUE = 200;

/**
 * The query, a syntax tree as JSON, for the values of a fact with their numbers of nodes. `path`
 * has the names of the value from the outside in.
 */
export function askForValues(path: readonly string[]): string {
  const field = fieldOf(path);
  const columns = ['extract', [field, ['function', 'count']], ['group_by', field]];
  return JSON.stringify(['from', 'inventory', columns, ['limit', MOST_DISTINCT + 1]]);
}

/** Reads the rows of the answer to `askForValues`. */
export function readDistribution(path: readonly string[], rows: readonly unknown[]): FactDistribution {
  const counted = rows.flatMap((row) => readRow(path, row)).toSorted((a, b) => b.nodes - a.nodes);
  const isWhole = rows.length <= MOST_DISTINCT;
  const values = counted.slice(0, MOST_SHOWN);
  const total = sumOf(counted);
  return {
    values,
    distinct: isWhole ? counted.filter(({ value }) => value !== null).length : null,
    others: isWhole ? total - sumOf(values) : null,
    total,
  };
}

/** Splits a path as `os.release.major`; a name with dots stands in double quotes. */
export function splitFactPath(text: string): readonly string[] {
  const parts = text.match(/"[^"]*"|[^."]+/g) ?? [];
  return parts.map((part) => part.replace(/^"(.*)"$/, '$1'));
}

/** Joins names to a path that `splitFactPath` reads. */
export function joinFactPath(path: readonly string[]): string {
  return path.map((name) => (/[."]/.test(name) ? `"${name}"` : name)).join('.');
}

function readRow(path: readonly string[], row: unknown): readonly FactValueCount[] {
  if (typeof row !== 'object' || row === null) return [];
  const { count, ...others } = row as Readonly<Record<string, unknown>>;
  const [value = null] = Object.values(others);
  if (typeof count !== 'number') return [];
  const text = value === null ? null : JSON.stringify(value);
  return [{ value: text === null ? null : shorten(text), nodes: count, query: queryOf(path, value) }];
}

function queryOf(path: readonly string[], value: unknown): string | null {
  const field = fieldOf(path);
  // PuppetDB: `is null` finds no node that lacks the fact.
  if (value === null) return `inventory[certname] { !(certname in inventory[certname] { ${field} is not null }) }`;
  return typeof value === 'object' ? null : `inventory[certname] { ${field} = ${JSON.stringify(value)} }`;
}

function fieldOf(path: readonly string[]): string {
  const names = path.map((name) => (/^[A-Za-z_][\w-]*$/.test(name) ? name : `"${name}"`));
  return `facts.${names.join('.')}`;
}

function shorten(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}

function sumOf(values: readonly FactValueCount[]): number {
  return values.reduce((sum, { nodes }) => sum + nodes, 0);
}
