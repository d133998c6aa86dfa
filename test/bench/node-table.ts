import { median } from './measure.ts';
import { type Row, row } from './table.ts';

/** CPU milliseconds of the compiles of a node, in turns with the others. */
export interface NodeTimes {
  /** Its first compile in the process. */
  readonly first: number;
  readonly third: number;
  /** The median of the later ones. */
  readonly warm: number;
}

/** `times`: those of all compiles; `later`: those that count as warm. */
export function nodeTimes(times: readonly number[], later: readonly number[]): NodeTimes {
  return { first: times[0] ?? Number.NaN, third: times[2] ?? Number.NaN, warm: median(later) };
}

/** The figures of each node, or the error of a node that fails. */
export type NodeFigures = ReadonlyMap<string, NodeTimes | string>;

const TURNS = ['first', 'third', 'warm'] as const satisfies readonly (keyof NodeTimes)[];

export interface NodeTable {
  /** A row for each node that compiles here, then the averages of those that both compile. */
  readonly rows: readonly Row[];
  /** A line for each node that fails here, and for each one that fails only with Puppet. */
  readonly failures: readonly string[];
}

/** `theirs`: null without Puppet; the averages are then those of all nodes that compile here. */
export function nodeTable(ours: NodeFigures, theirs: NodeFigures | null): NodeTable {
  const compiled = [...ours].flatMap(([certname, times]) =>
    typeof times === 'string' ? [] : [{ certname, times, puppets: timesOf(theirs?.get(certname)) }],
  );
  const rows = compiled.map(({ certname, times, puppets }) =>
    row(`compile ${certname}, warm`, 'ms', times.warm, puppets?.warm ?? null, 'worse'),
  );
  const compared = theirs ? compiled.filter(({ puppets }) => puppets !== null) : compiled;
  const averages = compared.length === 0 ? [] : TURNS.map((turn) => averageRow(turn, compared, theirs !== null));
  return { rows: [...rows, ...averages], failures: failuresOf(ours, theirs) };
}

function averageRow(
  turn: keyof NodeTimes,
  nodes: readonly { readonly times: NodeTimes; readonly puppets: NodeTimes | null }[],
  isCompared: boolean,
): Row {
  const ours = average(nodes.map(({ times }) => times[turn]));
  const theirs = isCompared ? average(nodes.map(({ puppets }) => puppets?.[turn] ?? Number.NaN)) : null;
  const which = isCompared ? ' that both compile' : '';
  return row(`average of all${which} (${nodes.length}), ${turn}`, 'ms', ours, theirs, 'worse');
}

function failuresOf(ours: NodeFigures, theirs: NodeFigures | null): readonly string[] {
  const here = [...ours].flatMap(([certname, error]) => (typeof error === 'string' ? [`${certname}: ${error}`] : []));
  const there = [...(theirs ?? [])].flatMap(([certname, error]) =>
    typeof error === 'string' && timesOf(ours.get(certname)) ? [`${certname}: Puppet: ${error}`] : [],
  );
  const all = [...here, ...there];
  return all.length === 0
    ? []
    : [`${here.length} of ${ours.size} nodes fail here, ${there.length} with Puppet only`, ...all];
}

function timesOf(figure: NodeTimes | string | undefined): NodeTimes | null {
  return typeof figure === 'object' ? figure : null;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
