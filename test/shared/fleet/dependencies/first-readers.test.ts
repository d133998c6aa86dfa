import { describe, expect, it } from 'vitest';
import {
  keepReaders,
  loadReaders,
  type NamedInputs,
  printFirstReaders,
  recallReaders,
} from '../../../../shared/fleet/dependencies/first-readers.ts';
import type { FirstReads, ReadPlace } from '../../../../shared/puppet/environment/read-site.ts';
import { ManualClock, MemoryBlobs } from '../../../helpers/memory-stores.ts';

const CODE = '/etc/puppetlabs/code';
const none = new Map<string, ReadPlace>();
const reads = (more: Partial<FirstReads>): FirstReads => ({
  facts: none,
  trusted: none,
  keys: none,
  files: none,
  ...more,
});
const names = (more: Partial<NamedInputs>): NamedInputs => ({ facts: [], trusted: [], keys: [], files: [], ...more });

describe('first readers', () => {
  it('are found again by the names of the inputs, in whatever order', () => {
    const places = new Map([
      ['b', { file: `${CODE}/site.pp`, line: 7 }],
      ['c', { file: '/elsewhere.yaml', line: 0 }],
    ]);
    const printed = printFirstReaders(reads({ keys: places }), names({ keys: ['c', 'a', 'b', 'a'] }));
    expect(printed?.files).toEqual(['site.pp', '/elsewhere.yaml']);
    expect(printed?.lists.keys.places).toBe(',0:7,1:0');
    expect(printed && recallReaders(printed, 'keys', ['b', 'c', 'a'])).toEqual(
      new Map([
        ['b', { file: 'site.pp', line: 7 }],
        ['c', { file: '/elsewhere.yaml', line: 0 }],
      ]),
    );
  });

  it('are not taken for those of other inputs', () => {
    const places = new Map([['a', { file: 'x', line: 1 }]]);
    const printed = printFirstReaders(reads({ facts: places }), names({ facts: ['a', 'b'] }));
    expect(printed && recallReaders(printed, 'facts', ['a', 'c'])).toEqual(none);
    expect(printed && recallReaders(printed, 'facts', [])).toEqual(none);
  });

  it('are left out when they are too many', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `f${index}`);
    const places = new Map(many.map((name) => [name, { file: 'x', line: 10 }]));
    expect(printFirstReaders(reads({ files: places }), names({ files: many }))).toBe(null);
  });

  it('are those of the committed compile, else unknown', async () => {
    const blobs = new MemoryBlobs(new ManualClock(0));
    const readersAt = (line: number) =>
      printFirstReaders(reads({ facts: new Map([['a', { file: 'x', line }]]) }), names({ facts: ['a'] }));
    const committed = await keepReaders(blobs, 'n', readersAt(1), undefined);
    expect(await loadReaders(blobs, 'n', committed)).toEqual(readersAt(1));
    // The worker ends before its commit.
    const lost = await keepReaders(blobs, 'n', readersAt(2), committed);
    expect(await loadReaders(blobs, 'n', committed)).toBe(null);
    expect(await keepReaders(blobs, 'n', readersAt(2), committed)).toBe(lost);
    expect(await loadReaders(blobs, 'n', lost)).toEqual(readersAt(2));
    expect(await loadReaders(blobs, 'n', undefined)).toBe(null);
  });
});
