import { describe, expect, it } from 'vitest';
import { matchExports, orderByExports } from '../../../../shared/orchestrator/order/exported-precedences.ts';
import type { ExportedResource } from '../../../../shared/puppet/catalog/exported.ts';
import { digestExports } from '../../../../shared/store/exports-digest.ts';
import type { NodeRecord } from '../../../../shared/store/ports/node-record.ts';

interface SimulatedNode {
  readonly exports?: readonly (readonly [type: string, title: string])[];
  readonly collects?: readonly (readonly [type: string, query: unknown])[];
}

const TAGGED = ['tag', '==', 'prod'];

/** A fleet; counts what is read of it. */
function makeFleet(fleet: Readonly<Record<string, SimulatedNode>>) {
  const reads: string[] = [];
  const exportsOf = (certname: string): readonly ExportedResource[] =>
    (fleet[certname]?.exports ?? []).map(([type, title]) => ({
      certname,
      type,
      title,
      tags: ['prod'],
      parameters: {},
    }));
  const get = async (certname: string) => {
    reads.push(`node ${certname}`);
    const node = fleet[certname];
    if (node === undefined) return null;
    const collectors = (node.collects ?? []).map(([type, query]) => ({ type, query }));
    // The order looks at nothing else of a record.
    return { certname, catalog: { exported: digestExports(exportsOf(certname)) }, inputs: { collectors } } as unknown;
  };
  const listOwn = async (certname: string, types: readonly string[]) => {
    reads.push(`exports ${certname}`);
    return exportsOf(certname).filter(({ type }) => types.includes(type));
  };
  const stores = { nodes: { get: get as (certname: string) => Promise<NodeRecord | null> }, exports: { listOwn } };
  return { reads, stores };
}

async function orderOf(names: readonly string[], fleet: Readonly<Record<string, SimulatedNode>>, ignored?: string[]) {
  const { stores } = makeFleet(fleet);
  return orderByExports(await matchExports(names, stores, ignored ?? [])).map(({ before, after }) => [before, after]);
}

describe('the order by exports', () => {
  const fleet = {
    a: { exports: [['Host', 'a'] as const] },
    b: { exports: [['Host', 'b'] as const, ['Sshkey', 'b'] as const] },
    c: { collects: [['Host', TAGGED] as const] },
    d: { collects: [['Host', ['title', '==', 'b']] as const, ['Host', TAGGED] as const] },
    e: { exports: [['Sshkey', 'e'] as const], collects: [['Sshkey', null] as const] },
  };

  it('has nodes that collect wait for those that export', async () => {
    expect(await orderOf(['a', 'b', 'c', 'd', 'e', 'unknown'], fleet)).toEqual([
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      [['b'], ['d']],
      [['b', 'e'], ['e']],
    ]);
  });

  it('is about the nodes of the job alone', async () => {
    expect(await orderOf(['a', 'd'], fleet)).toEqual([[['a'], ['d']]]);
    expect(await orderOf(['e', 'a'], fleet)).toEqual([]);
    expect(await orderOf(['c', 'd'], fleet)).toEqual([]);
  });

  it('ignores types of the graph', async () => {
    expect(await orderOf(['a', 'b', 'c', 'e'], fleet, ['Host'])).toEqual([[['b', 'e'], ['e']]]);
  });

  it('reads a record of each node, and the exports of those that have any, when one collects', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`n${index}`, fleet.a]));
    const { reads, stores } = makeFleet({ ...many, ...fleet });
    await matchExports(['a', 'b', 'c'], stores, []);
    expect(reads.toSorted()).toEqual(['exports a', 'exports b', 'node a', 'node b', 'node c']);
    reads.length = 0;
    await matchExports(['a', 'b'], stores, []);
    expect(reads).toEqual(['node a', 'node b']);
    reads.length = 0;
    expect(await matchExports(['a', 'b', 'c'], stores, 'all')).toEqual([]);
    expect(await matchExports(['c'], stores, [])).toEqual([]);
    expect(reads).toEqual([]);
  });

  it('is not looked for when there is too much to compare', async () => {
    const names = Array.from({ length: 2300 }, (_, index) => `n${index}`);
    const node = (name: string): SimulatedNode => ({
      exports: [['Host', name]],
      collects: [['Host', ['title', '!=', name]]],
    });
    await expect(orderOf(names, Object.fromEntries(names.map((name) => [name, node(name)])))).rejects.toThrow(
      'The nodes of the job collect too many exports of Host to order them: ignore this type in the environment graph, or run fewer nodes',
    );
  });
});
