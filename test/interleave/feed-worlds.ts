import { KEEP_FACTS, READERS } from './compile-worlds.ts';
import type { WorldFamily } from './explore.ts';
import { FeedRun } from './feed-run.ts';
import type { RunOptions } from './site-run.ts';
import type { Trail } from './trail.ts';
import { listFaults, type Sites, type SmallWorld } from './worlds.ts';

const MINUTE = 60_000;
/** A run takes ten times as long as others: the inventory is a real database. */
const MOST_RUNS = 8;
const [N0, N1] = ['n0.example.com', 'n1.example.com'] as const;

const SMALL_WORLDS: readonly SmallWorld<FeedRun>[] = [
  {
    name: 'a feed, a check-in and a worker',
    start: (run) => {
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 1);
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed, and two check-ins at servers whose clocks differ',
    start: (run) => {
      run.skew('agent 1', MINUTE);
      run.checkIn('agent 1', N0, { f: 'b' });
      run.checkIn('agent 2', N0, { f: 'c' });
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed, a purge and a worker',
    start: (run) => {
      run.purge('purge', N1);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 1);
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed that dies, and a check-in',
    dies: 'feed',
    start: (run) => {
      run.checkIn('agent', N0, { f: 'a', load: '1' }, 0, KEEP_FACTS);
      run.follow('feed', 1);
    },
  },
  {
    name: 'a stream whose feed fails, and a check-in',
    fails: 'stream',
    start: (run) => {
      run.checkIn('agent', N0, { f: 'b' });
      run.stream('stream', 2);
    },
  },
  {
    name: 'a stream that drops changes, and the pass of the day',
    start: (run) => {
      run.maintain('maintenance');
      run.checkIn('agent', N0, { f: 'a', load: '1' }, 0, KEEP_FACTS);
      run.stream('stream', 1, true);
      run.purge('purge', N1);
    },
  },
  {
    name: 'a feed, reports and a check-in',
    start: (run) => {
      run.report('reports', N0, ['changed', 'quiet', 'quiet']);
      run.checkIn('agent', N0, { f: 'b' });
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed, and reports to servers whose clocks differ',
    start: (run) => {
      run.skew('reports 1', MINUTE);
      run.report('reports 1', N0, ['changed', 'quiet']);
      run.report('reports 2', N0, ['changed', 'quiet']);
      run.follow('feed', 3);
    },
  },
  {
    name: 'a feed that dies, and reports',
    dies: 'feed',
    start: (run) => {
      run.report('reports', N0, ['changed', 'quiet']);
      run.follow('feed', 1);
    },
  },
  {
    name: 'an agent whose server dies as it reports, and a feed',
    dies: 'reports 1',
    start: (run) => {
      run.report('reports 1', N0, ['changed', 'quiet']);
      run.report('reports 2', N0, ['changed']);
      run.follow('feed', 2);
    },
  },
  {
    name: 'a stream whose feed fails, and reports',
    fails: 'stream',
    start: (run) => {
      run.report('reports', N0, ['quiet', 'changed']);
      run.stream('stream', 2);
    },
  },
  {
    name: 'a stream that drops changes, reports and the pass of the day',
    start: (run) => {
      run.maintain('maintenance');
      run.report('reports 1', N0, ['changed', 'changed']);
      run.report('reports 2', N0, ['changed', 'quiet']);
      run.stream('stream', 1, true);
    },
  },
  {
    name: 'the pass of the day, which dies, a stream and a report',
    dies: 'maintenance',
    start: (run) => {
      run.maintain('maintenance');
      run.report('reports', N0, ['changed']);
      run.checkIn('agent', N0, { f: 'b' });
      run.stream('stream', 1, true);
    },
  },
  {
    name: 'a feed, and facts that are lost',
    start: (run) => {
      run.makeFragile();
      run.checkIn('agent', N0, { f: 'b' });
      run.lose('disk', N0, 'facts');
      run.follow('feed', 1);
    },
  },
  {
    name: 'a feed, and facts that are damaged',
    start: (run) => {
      run.makeFragile();
      run.checkIn('agent', N0, { f: 'b' });
      run.lose('disk', N0, 'facts', { isDamaged: true });
      run.follow('feed', 1);
    },
  },
  {
    name: 'a feed, and facts that come late',
    start: (run) => {
      run.makeFragile();
      run.checkIn('agent', N0, { f: 'b' });
      run.lose('disk', N0, 'facts', { isTemporary: true });
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed, reports, and one whose content is lost',
    start: (run) => {
      run.makeFragile();
      run.report('reports', N0, ['changed', 'changed']);
      run.lose('disk', N0, 'reports');
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed, a worker, and a catalog that is lost',
    start: (run) => {
      run.makeFragile();
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 1);
      run.lose('disk', N0, 'catalog');
      run.follow('feed', 2);
    },
  },
  {
    name: 'a stream, the pass of the day, and facts and reports that come late',
    start: (run) => {
      run.makeFragile();
      run.maintain('maintenance');
      run.checkIn('agent', N0, { f: 'b' });
      run.report('reports', N0, ['changed']);
      run.lose('disk 1', N0, 'facts', { isTemporary: true });
      run.lose('disk 2', N0, 'reports', { isTemporary: true });
      run.stream('stream', 2);
    },
  },
  {
    name: 'a feed that dies, and facts that are lost',
    dies: 'feed',
    start: (run) => {
      run.makeFragile();
      run.checkIn('agent', N0, { f: 'b' });
      run.lose('disk', N0, 'facts');
      run.follow('feed', 1);
    },
  },
  {
    name: 'a purge that dies, reports and a feed',
    dies: 'purge',
    start: (run) => {
      run.purge('purge', N1);
      run.report('reports', N1, ['changed', 'quiet']);
      run.follow('feed', 2);
    },
  },
];

/** The small worlds of the inventory's feed, with their faults. */
export function listFeedWorlds(sites: Sites, more: RunOptions = {}): readonly WorldFamily[] {
  return SMALL_WORLDS.map((world) => {
    const begin = (options: RunOptions) => async (trail?: Trail) => {
      const run = new FeedRun(await sites.get(READERS), await sites.getInventory(), {
        ...more,
        ...options,
        ...(trail && { trail }),
      });
      await run.prepare();
      await world.start(run);
      return run;
    };
    return { name: world.name, isLight: false, mostRuns: MOST_RUNS, worlds: listFaults(world, '', begin) };
  });
}
