import { join } from 'node:path';
import { median, peer } from './measure.ts';

/** CPU milliseconds of the compiles of a node. */
export interface NodeTimes {
  /** Its first compile in the process. */
  readonly first: number;
  /** The median of the later ones. */
  readonly warm: number;
}

const PUPPET = join(import.meta.dirname, 'puppet.rb');

/**
 * Compiles the nodes of a control repo with real Puppet, in turns, so many times (at least twice)
 * each, in one process. A text is the error of a node that does not compile. Null without Puppet.
 */
export function compileWithPuppet(
  repo: string,
  runs: number,
  settings: object = {},
): ReadonlyMap<string, NodeTimes | string> | null {
  const args = [PUPPET, 'nodes', repo, String(runs), JSON.stringify(settings)];
  const found = peer<Readonly<Record<string, readonly number[] | string>>>('ruby', args);
  return (
    found &&
    new Map(
      Object.entries(found).map(([name, times]) => [
        name,
        typeof times === 'string' ? times : { first: times[0] ?? Number.NaN, warm: median(times.slice(1)) },
      ]),
    )
  );
}
