import { describe, expect, it } from 'vitest';
import { type FleetStyle, printFleetScreen } from '../../../../../shared/cli/commands/watch/print-fleet.ts';
import { readWatchedFleet } from '../../../../../shared/cli/commands/watch/watched-fleet.ts';
import { ENVIRONMENTS, FAILURES, HOURS, NOW, OVERVIEW } from './watched-answers.ts';

const ANSWERS = { overview: OVERVIEW, hours: HOURS, environments: ENVIRONMENTS, failures: FAILURES };
const FLEET = readWatchedFleet(ANSWERS, NOW);
const STYLE: FleetStyle = {
  ...{ columns: 80, rows: 24, hasColors: false, now: NOW, trouble: null, foot: 'q ends' },
  address: 'https://puppet.example.com:8443',
};

describe('the screen of a fleet', () => {
  it('has all that matters in 80 columns and 24 lines', () => {
    expect(
      `${printFleetScreen(FLEET, STYLE).join('\n')}\n`,
    ).toBe(`understudy  https://puppet.example.com:8443                 2026-11-30T09:20:12Z

NODES     203  91 failing  79 silent  0 new  3 stale  0 volatile  30 current
          61 do not compile, 30 had a failed run
          2 wait for a certificate
QUEUES    0 waiting  12+2 express  1 dead  oldest 14 s
RUNS      this hour    12 changed  180 unchanged  3 failed  0 noop  42 compiles
          hour before  0 changed  0 unchanged  0 failed  0 noop  0 compiles
SERVERS   puppet1  alive  leads upkeep
          puppet2  dead, seen 60 s ago
          puppet3  alive  and 1 more

CODE      production  cccccccccccc  2 d ago by bob  dddddddddddd held on 10 nod…
          feature_0   000000000000  60 min ago by ann, invalidating: 40 nodes
          feature_1   111111111111  2 h ago by ann
          and 4 more

FAILURES  30 open  nodes, since, what fails
   30  60 min ago   File[/srv/0]: No space [2J left on device xxxxxxxxxxxxxxxxx…
   29  60 min ago   File[/srv/1]: No space left
   28  60 min ago   File[/srv/2]: No space left
   27  60 min ago   File[/srv/3]: No space left
       and 26 more: understudy failures list
q ends
`);
  });

  it.each([
    [80, 24],
    [40, 10],
    [20, 3],
    [200, 60],
    [1, 1],
  ])('fits a terminal of %i columns and %i lines', (columns, rows) => {
    const lines = printFleetScreen(FLEET, { ...STYLE, columns, rows });
    expect(lines).toHaveLength(rows);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  it('has colours, which take no room, and no control characters of others', () => {
    const colored = printFleetScreen(FLEET, { ...STYLE, hasColors: true });
    expect(colored[2]).toContain('\u001b[31m91 failing\u001b[0m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours
    expect(colored.map((line) => line.replace(/\u001b\[\d+m/g, '').trimEnd())).toEqual(printFleetScreen(FLEET, STYLE));
  });

  it('says why it is not new', () => {
    const [head] = printFleetScreen(FLEET, { ...STYLE, trouble: 'https://puppet cannot be reached: ECONNREFUSED' });
    expect(head).toBe('2026-11-30T09:20:12Z  https://puppet cannot be reached: ECONNREFUSED');
  });

  it('is that of an empty fleet, of a user who may not see failures, or of a server of another release', () => {
    const empty = readWatchedFleet({ overview: {}, hours: {}, environments: {}, failures: null }, NOW);
    const lines = printFleetScreen(empty, STYLE);
    expect(lines).toContain('NODES     0  0 failing  0 silent  0 new  0 stale  0 volatile  0 current');
    expect(lines).toContain('CODE      no environment is deployed');
    expect(lines).toContain('FAILURES  this user may not see them (nodes:view_data)');
    const well = readWatchedFleet({ ...ANSWERS, failures: { failures: [], total: 0 } }, NOW);
    expect(printFleetScreen(well, STYLE)).toContain('FAILURES  none');
  });
});
