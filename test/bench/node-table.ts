import { type Row, row } from './table.ts';

/** CPU milliseconds of a warm compile of each node, or the error of a node that fails. */
export type NodeFigures = ReadonlyMap<string, number | string>;

export interface NodeTable {
  /** A row for each node that compiles here, then the average of those that both compile. */
  readonly rows: readonly Row[];
  /** A line for each node that fails here, and for each one that fails only with Puppet. */
  readonly failures: readonly string[];
}

/** `theirs`: null without Puppet; the average is then that of all nodes that compile here. */
export function nodeTable(ours: NodeFigures, theirs: NodeFigures | null): NodeTable {
  const compiled = [...ours].flatMap(([certname, ms]) => (typeof ms === 'number' ? [{ certname, ms }] : []));
  const puppets = (certname: string): number | null => numberOf(theirs?.get(certname));
  const rows = compiled.map(({ certname, ms }) =>
    row(`compile ${certname}, warm`, 'ms', ms, puppets(certname), 'worse'),
  );
  const compared = theirs ? compiled.filter(({ certname }) => puppets(certname) !== null) : compiled;
  return { rows: [...rows, ...averageRow(compared, theirs && puppets)], failures: failuresOf(ours, theirs) };
}

function averageRow(
  nodes: readonly { readonly certname: string; readonly ms: number }[],
  puppets: ((certname: string) => number | null) | null,
): readonly Row[] {
  if (nodes.length === 0) return [];
  const ours = average(nodes.map(({ ms }) => ms));
  const theirs = puppets && average(nodes.map(({ certname }) => puppets(certname) ?? Number.NaN));
  const which = puppets ? ' that both compile' : '';
  return [row(`average of all${which} (${nodes.length}), warm`, 'ms', ours, theirs, 'worse')];
}

function failuresOf(ours: NodeFigures, theirs: NodeFigures | null): readonly string[] {
  const here = [...ours].flatMap(([certname, error]) => (typeof error === 'string' ? [`${certname}: ${error}`] : []));
  const there = [...(theirs ?? [])].flatMap(([certname, error]) =>
    typeof error === 'string' && typeof ours.get(certname) === 'number' ? [`${certname}: Puppet: ${error}`] : [],
  );
  const all = [...here, ...there];
  return all.length === 0
    ? []
    : [`${here.length} of ${ours.size} nodes fail here, ${there.length} with Puppet only`, ...all];
}

function numberOf(figure: number | string | undefined): number | null {
  return typeof figure === 'number' ? figure : null;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
