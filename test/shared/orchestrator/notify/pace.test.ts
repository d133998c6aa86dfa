import { describe, expect, it } from 'vitest';
import { parseNotifyRate, parseNotifyWindow } from '../../../../shared/fleet/policies/notify-policy.ts';
import { laneOf, type NotifyLane, parseLane, printLane } from '../../../../shared/orchestrator/notify/notify-lane.ts';
import { nodesPerMs, Pace } from '../../../../shared/orchestrator/notify/pace.ts';

const MINUTE = 60_000;
const rateOf = (text: string) => parseNotifyRate(text) ?? { amount: 0, unit: 'nodes' as const, per: 's' as const };

describe('a rate', () => {
  it.each([
    ['2%/min', 100_000, 2000],
    ['2%/min', 1000, 20],
    // At least 10 a minute.
    ['2%/min', 30, 10],
    ['120/h', 30, 2],
    ['1/s', 30, 60],
  ])('%s of %d nodes allows %d a minute', (text, nodes, perMinute) => {
    expect(nodesPerMs(rateOf(text), nodes) * MINUTE).toBeCloseTo(perMinute);
  });
});

/** Notifies as many nodes as it may, second by second; returns their number, and when. */
function simulate(
  lane: Pick<NotifyLane, 'notify' | 'window'>,
  rate: string,
  nodes: number,
  from: number,
  seconds: number,
) {
  const pace = new Pace(from);
  let notified = 0;
  const times: number[] = [];
  for (let second = 1; second <= seconds; second += 1) {
    const now = from + 1000 * second;
    const count = Math.min(pace.earn(lane, rateOf(rate), nodes, now), nodes - notified);
    pace.spend(count);
    notified += count;
    if (count > 0) times.push(now);
  }
  return { notified, first: times[0] ?? 0, last: times.at(-1) ?? 0 };
}

describe('a pace', () => {
  const start = Date.parse('2026-11-23T12:00:00Z');

  it('notifies a fleet of any size in 50 minutes with 2%/min', () => {
    for (const nodes of [1000, 50_000]) {
      const { notified, last } = simulate({ notify: 'paced', window: null }, '2%/min', nodes, start, 4000);
      expect([notified, Math.round((last - start) / MINUTE)]).toEqual([nodes, 50]);
    }
  });

  it('notifies all at once with now', () => {
    expect(simulate({ notify: 'now', window: null }, '1/h', 1000, start, 1)).toMatchObject({ notified: 1000 });
  });

  it.each(['paced', 'now'] as const)(
    'notifies nobody outside of the window with %s, and saves nothing up',
    (notify) => {
      const window = parseNotifyWindow('13:00-13:10');
      const { notified, first, last } = simulate({ notify, window }, '10/min', 1000, start, 3 * 3600);
      expect(notified).toBe(notify === 'now' ? 1000 : 99);
      expect(first).toBeGreaterThanOrEqual(start + 60 * MINUTE);
      expect(last).toBeLessThan(start + 70 * MINUTE);
    },
  );

  it('earns nothing while the process slept', () => {
    const pace = new Pace(start);
    const lane = { notify: 'paced', window: null } as const;
    expect(pace.earn(lane, rateOf('60/min'), 1000, start + 3600_000)).toBe(5);
    expect(pace.earn(lane, rateOf('60/min'), 1000, start + 3599_000)).toBe(5);
  });
});

describe('a lane', () => {
  const window = parseNotifyWindow('22:00-05:00 Europe/Berlin');

  it.each([
    [{ notify: 'paced', notifyWindow: null }, 'production|paced|any'],
    [{ notify: 'now', notifyWindow: window }, 'production|now|22:00-05:00 Europe/Berlin'],
  ] as const)('of %j has the name %s', (policy, name) => {
    const lane = laneOf('production', policy);
    expect(lane && printLane(lane)).toBe(name);
    expect(parseLane(name)).toEqual(lane);
  });

  it('is none when notify is off', () => {
    expect(laneOf('production', { notify: 'off', notifyWindow: null })).toBeNull();
  });

  it.each(['production', 'production|off|any', 'production|now|noon'])('is not read from %s', (name) => {
    expect(parseLane(name)).toBeNull();
  });
});
