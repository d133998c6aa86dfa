import { describe, expect, it } from 'vitest';
import { type NodeFigures, type NodeTimes, nodeTable, nodeTimes } from './node-table.ts';

const times = (first: number, third: number, warm: number): NodeTimes => ({ first, third, warm });
const ours: NodeFigures = new Map<string, NodeTimes | string>([
  ['a.example.com', times(50, 20, 10)],
  ['b.example.com', times(90, 40, 30)],
  ['c.example.com', 'no class x'],
  ['d.example.com', 'no class y'],
]);

describe('the times of a node', () => {
  it('are its first and third compile, and the median of those that count as warm', () => {
    expect(nodeTimes([9, 8, 7, 5, 1, 3], [5, 1, 3])).toEqual({ first: 9, third: 7, warm: 3 });
  });
});

describe('the table of nodes', () => {
  it('has a row for each node that compiles, and the averages of those that both compile', () => {
    const theirs: NodeFigures = new Map<string, NodeTimes | string>([
      ['a.example.com', times(100, 100, 80)],
      ['b.example.com', 'no function z'],
      ['c.example.com', times(20, 20, 20)],
      ['d.example.com', 'no class y'],
    ]);
    expect(nodeTable(ours, theirs)).toEqual({
      rows: [
        { what: 'compile a.example.com, warm', unit: 'ms', understudy: 10, puppet: 80, ratio: 8 },
        { what: 'compile b.example.com, warm', unit: 'ms', understudy: 30, puppet: null, ratio: null },
        { what: 'average of all that both compile (1), first', unit: 'ms', understudy: 50, puppet: 100, ratio: 2 },
        { what: 'average of all that both compile (1), third', unit: 'ms', understudy: 20, puppet: 100, ratio: 5 },
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
      ['a.example.com', times(200, 100, 100)],
      ['b.example.com', times(200, 100, 100)],
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
