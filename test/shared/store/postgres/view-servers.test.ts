import { expect, it } from 'vitest';
import { viewServers } from '../../../../shared/store/postgres/view-servers.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';
import { TWO_SERVERS } from '../../../helpers/two-servers.ts';

it('looks once in 15 seconds, and warns of the database and of a work without a leader', async () => {
  const clock = new ManualClock(1_000_000);
  let looks = 0;
  let list = TWO_SERVERS.servers;
  const read = viewServers({
    servers: {
      list: async () => {
        looks += 1;
        return list;
      },
      describeDatabase: async () => ({ ...TWO_SERVERS.database, hasChecksums: false, clockOffsetMs: -7_000 }),
    },
    clock,
    own: 'one-1a2b3c4d',
    listWorks: () => new Set(['stages', 'feed']),
  });
  const weak = [
    expect.stringContaining('the database replicates asynchronously'),
    expect.stringContaining('no data checksums'),
    'the clock of this machine is -7 s off that of the database',
  ];
  const views = await Promise.all(Array.from({ length: 20 }, read));
  expect(looks).toBe(1);
  expect(views[0]).toMatchObject({ own: 'one-1a2b3c4d', servers: list, warnings: weak });
  expect(views[0]?.leaders).toEqual({ feed: 'one-1a2b3c4d', stages: 'two-5e6f7a8b' });

  // The leader died, and its lease is not over.
  list = list.map((server) => ({ ...server, isAlive: server.name === 'one-1a2b3c4d' }));
  clock.time += 15_000;
  expect(await read()).toMatchObject({ leaders: { stages: null }, warnings: weak });
  clock.time += 29_999;
  expect((await read()).warnings).toEqual(weak);
  clock.time += 15_000;
  expect((await read()).warnings).toEqual([...weak, "no server has led the work 'stages' for 45 s"]);

  list = TWO_SERVERS.servers;
  clock.time += 15_000;
  expect(await read()).toMatchObject({ leaders: { stages: 'two-5e6f7a8b' }, warnings: weak });
  expect(looks).toBe(5);
});
