import { flattenValues } from './flatten-values.ts';

/** A value of two nodes; null: the node lacks it. */
export interface ComparedFact {
  readonly path: string;
  readonly first: string | null;
  readonly second: string | null;
}

type Facts = Readonly<Record<string, unknown>>;

/** Joins the facts of two nodes by their paths, in the order of the paths. */
export function compareFacts(first: Facts, second: Facts): readonly ComparedFact[] {
  const [one, other] = [new Map(flattenValues(first)), new Map(flattenValues(second))];
  return [...new Set([...one.keys(), ...other.keys()])]
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((path) => ({ path, first: one.get(path) ?? null, second: other.get(path) ?? null }));
}
