import { beforeEach, describe, expect, it } from 'vitest';
import { PromptVisits, ReportedVisits } from '../../../../shared/fleet/catalogs/visits.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const node = (certname: string, lastSeen: number) => ({ certname, environment: 'production', lastSeen });

let written: (readonly [certname: string, at: number])[];
let now: number;
const ports = {
  nodes: {
    markSeen: async (certname: string, _: string, at: number) => {
      written.push([certname, at]);
    },
  },
  clock: { now: () => now },
};
// No other method is called.
const asPorts = ports as unknown as ConstructorParameters<typeof ReportedVisits>[0];

beforeEach(() => {
  written = [];
  now = 10 * DAY;
});

describe('prompt visits', () => {
  it('write a visit at once, at most every five minutes', async () => {
    const visits = new PromptVisits(asPorts);
    await visits.note(node('a', now - 5 * MINUTE), now);
    await visits.note(node('b', now - 4 * MINUTE), now);
    expect(written).toEqual([['a', now]]);
  });
});

describe('visits whose reports are awaited', () => {
  it('are not written when the report comes', async () => {
    const visits = new ReportedVisits(asPorts);
    await visits.note(node('a', now - 30 * MINUTE), now);
    visits.noteReport('a');
    now += 11 * MINUTE;
    await visits.flush();
    expect(written).toEqual([]);
  });

  it('are written when no report comes within ten minutes, with the time of the visit', async () => {
    const visits = new ReportedVisits(asPorts);
    const at = now;
    await visits.note(node('a', at - 30 * MINUTE), at);
    now += 9 * MINUTE;
    await visits.note(node('b', now - 30 * MINUTE), now);
    await visits.flush();
    expect(written).toEqual([]);
    now += MINUTE;
    await visits.flush();
    await visits.flush();
    expect(written).toEqual([['a', at]]);
  });

  it('are written at once after a day, also when reports come', async () => {
    const visits = new ReportedVisits(asPorts);
    await visits.note(node('a', now - DAY), now);
    expect(written).toEqual([['a', now]]);
  });

  it('are so many at most, and none is lost', async () => {
    const visits = new ReportedVisits(asPorts, 2);
    for (const name of ['a', 'b', 'a', 'c']) await visits.note(node(name, now - 30 * MINUTE), now);
    expect(written).toEqual([['b', now]]);
    now += 10 * MINUTE;
    await visits.flush();
    expect(written.map(([certname]) => certname)).toEqual(['b', 'a', 'c']);
  });

  it('are kept when the store fails', async () => {
    const visits = new ReportedVisits(asPorts);
    await visits.note(node('a', now - 30 * MINUTE), now);
    now += 10 * MINUTE;
    const { markSeen } = ports.nodes;
    ports.nodes.markSeen = async () => Promise.reject(new Error('away'));
    await expect(visits.flush()).rejects.toThrow('away');
    ports.nodes.markSeen = markSeen;
    await visits.flush();
    expect(written).toHaveLength(1);
  });
});
