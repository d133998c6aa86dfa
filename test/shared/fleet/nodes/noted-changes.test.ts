import { describe, expect, it } from 'vitest';
import { getNotedChange, keepChange, listNotedChanges } from '../../../../shared/fleet/nodes/noted-changes.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const DAY_MS = 24 * 3600_000;
const START = Date.UTC(2026, 10, 23);
const touch = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => ({ certname: `n${first + index}`, why: 'because' }));
const groups = { kind: 'groups', environment: null, summary: 'node group changed: web', user: 'root' } as const;
const exports = { kind: 'exports', environment: null, summary: 'exported resources changed', user: null } as const;

function openPorts() {
  return { documents: new MemoryDocuments(), clock: new ManualClock(START) };
}

describe('noted changes', () => {
  it('have the first 100 nodes, and the number of all', async () => {
    const ports = openPorts();
    await keepChange(ports, { ...groups, touched: touch(100_000) });
    const [change] = await listNotedChanges(ports, 10);
    expect(change).toMatchObject({ ...groups, at: START, count: 100_000 });
    expect(change?.nodes).toEqual(touch(100));
    expect(JSON.stringify(change).length).toBeLessThan(25 * 1024);
    expect(change && (await getNotedChange(ports, change.id))).toEqual(change);
  });

  it('are none when they touch no node', async () => {
    const ports = openPorts();
    await keepChange(ports, { ...groups, touched: [] });
    expect(await listNotedChanges(ports, 10)).toEqual([]);
    expect(await getNotedChange(ports, 'none')).toBe(null);
  });

  it('of exports within ten minutes are one', async () => {
    const ports = openPorts();
    await keepChange(ports, { ...exports, touched: touch(2) });
    ports.clock.time += 9 * 60_000;
    await keepChange(ports, { ...exports, touched: touch(2, 1) });
    expect(await listNotedChanges(ports, 10)).toMatchObject([{ at: START, count: 3, nodes: touch(3) }]);
    ports.clock.time += 60_000;
    await keepChange(ports, { ...exports, touched: touch(1) });
    expect((await listNotedChanges(ports, 10)).map(({ count }) => count)).toEqual([1, 3]);
    expect((await listNotedChanges(ports, 10, START)).map(({ count }) => count)).toEqual([3]);
  });

  it('in parts are one, with the author that one of them knows', async () => {
    const ports = openPorts();
    const of = { at: START - 5000, name: 'groups-7' };
    const unknown = { ...groups, summary: 'node groups changed', user: null };
    await keepChange(ports, { ...unknown, of, touched: touch(2) });
    await keepChange(ports, { ...groups, of, touched: touch(2, 2) });
    await keepChange(ports, { ...unknown, of, touched: touch(2, 4) });
    const id = `${9_999_999_999_999 - of.at}-groups-7`;
    expect(await listNotedChanges(ports, 10)).toEqual([{ ...groups, id, at: of.at, count: 6, nodes: touch(6) }]);
  });

  it('are written once for nodes that are known', async () => {
    const ports = openPorts();
    let writes = 0;
    const { documents, clock } = ports;
    const counted = {
      create: documents.create.bind(documents),
      get: documents.get.bind(documents),
      list: documents.list.bind(documents),
      replace: async () => {
        writes += 1;
        return false;
      },
    };
    const watched = { clock, documents: { ...documents, ...counted } as unknown as MemoryDocuments };
    for (let batch = 0; batch < 3; batch += 1) await keepChange(watched, { ...exports, touched: touch(2) });
    expect([writes, (await listNotedChanges(ports, 10))[0]?.count]).toEqual([0, 2]);
  });

  it('go after two weeks', async () => {
    const ports = openPorts();
    await keepChange(ports, { ...groups, touched: touch(1) });
    ports.clock.time += 15 * DAY_MS;
    await keepChange(ports, { ...exports, touched: touch(1) });
    expect((await listNotedChanges(ports, 10)).map(({ kind }) => kind)).toEqual(['exports']);
  });
});
