import { join } from 'node:path';
import { peer } from './measure.ts';
import { type NodeFigures, nodeTimes } from './node-table.ts';

const PUPPET = join(import.meta.dirname, 'puppet.rb');

/**
 * Compiles the nodes of a control repo with real Puppet, in turns, so many times (at least twice)
 * each, in one process. A text is the error of a node that does not compile. Null without Puppet.
 */
export function compileWithPuppet(repo: string, runs: number, settings: object = {}): NodeFigures | null {
  const args = [PUPPET, 'nodes', repo, String(runs), JSON.stringify(settings)];
  const found = peer<Readonly<Record<string, readonly number[] | string>>>('ruby', args);
  return (
    found &&
    new Map(
      Object.entries(found).map(([name, times]) => [
        name,
        typeof times === 'string' ? times : nodeTimes(times, times.slice(1)),
      ]),
    )
  );
}
