import { describe, expect, it } from 'vitest';
import { type NodeFigures, nodeTable } from './node-table.ts';

const ours: NodeFigures = new Map<string, number | string>([
  ['a.example.com', 10],
  ['b.example.com', 30],
  ['c.example.com', 'no class x'],
  ['d.example.com', 'no class y'],
]);

describe('the table of nodes', () => {
  it('has a row for each node that compiles, and the average of those that both compile', () => {
    const theirs: NodeFigures = new Map<string, number | string>([
      ['a.example.com', 80],
      ['b.example.com', 'no function z'],
      ['c.example.com', 20],
      ['d.example.com', 'no class y'],
    ]);
    expect(nodeTable(ours, theirs)).toEqual({
      rows: [
        { what: 'compile a.example.com, warm', unit: 'ms', understudy: 10, puppet: 80, ratio: 8 },
        { what: 'compile b.example.com, warm', unit: 'ms', understudy: 30, puppet: null, ratio: null },
        { what: 'average of all that both compile (1), warm', unit: 'ms', understudy: 10, puppet: 80, ratio: 8 },
      ],
      failures: [
        '2 of 4 nodes fail here, 1 with Puppet only',
        'c.example.com: no class x',
        'd.example.com: no class y',
        'b.example.com: Puppet: no function z',
      ],
    });
  });

  it('divides sums of CPU time, so that each node counts by its work', () => {
    const theirs: NodeFigures = new Map([
      ['a.example.com', 100],
      ['b.example.com', 100],
    ]);
    expect(nodeTable(ours, theirs).rows.at(-1)).toMatchObject({ understudy: 20, puppet: 100, ratio: 5 });
  });

  it('averages all nodes that compile here without Puppet', () => {
    expect(nodeTable(ours, null).rows.at(-1)).toEqual({
      what: 'average of all (2), warm',
      unit: 'ms',
      understudy: 20,
      puppet: null,
      ratio: null,
    });
  });

  it('is empty when no node compiles', () => {
    expect(nodeTable(new Map([['a', 'no']]), new Map([['a', 'no']]))).toEqual({
      rows: [],
      failures: ['1 of 1 nodes fail here, 0 with Puppet only', 'a: no'],
    });
  });
});
