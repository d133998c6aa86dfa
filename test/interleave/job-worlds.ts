import { SeededChance } from '../fuzz/seeded-chance.ts';
import type { CompileSite, SitePlan } from './compile-site.ts';
import type { WorldFamily } from './explore.ts';
import { JobRun } from './job-run.ts';
import { NotifyRun } from './notify-run.ts';
import type { RunOptions } from './site-run.ts';
import type { Trail } from './trail.ts';
import { listFaults, type Sites, type SmallWorld } from './worlds.ts';

const HOUR = 3_600_000;
const SECOND = 1000;
/** Longer than any lease; engines tick each second until the time is again what it was. */
const SET_BACK = -10 * 60 * SECOND;
const [N0, N1, N2, N3] = ['n0.example.com', 'n1.example.com', 'n2.example.com', 'n3.example.com'] as const;
const NODES = [N0, N1, N2, N3];

/** Jobs need no node that ever checked in. */
const NO_CODE: SitePlan = { codes: [{ scripts: {}, data: { x: '1' } }], facts: {} };

const SMALL_WORLDS: readonly SmallWorld<JobRun>[] = [
  {
    name: 'a job and an engine',
    start: async (run) => {
      run.agent(N0);
      await run.create([N0]);
      run.engine('engine', 4);
    },
  },
  {
    name: 'a job and two engines',
    start: async (run) => {
      run.agent(N0);
      await run.create([N0]);
      run.engine('engine 1', 4);
      run.engine('engine 2', 4);
    },
  },
  {
    name: 'two engines and a jump of the clock',
    start: async (run) => {
      run.agent(N0, { runMs: 2 * SECOND });
      run.agent(N1);
      await run.create([N0, N1], 1);
      run.engine('engine 1', 6);
      run.engine('engine 2', 6);
      run.jump(HOUR);
    },
  },
  {
    name: 'an engine that dies, and another one',
    dies: 'engine 1',
    start: async (run) => {
      run.agent(N0);
      run.agent(N1, { runMs: 3 * SECOND });
      await run.create([N0, N1], 1);
      run.engine('engine 1', 5);
      run.engine('engine 2', 9);
    },
  },
  {
    name: 'an engine whose store and network fail',
    fails: 'engine',
    start: async (run) => {
      run.agent(N0, { runMs: SECOND });
      await run.create([N0]);
      run.engine('engine', 8);
    },
  },
  {
    name: 'a job that is stopped',
    start: async (run) => {
      run.agent(N0, { runMs: 3 * SECOND });
      run.agent(N1);
      const job = await run.create([N0, N1], 1);
      run.engine('engine', 2);
      run.stop('user', job, 'soft');
    },
  },
  {
    name: 'a job that is stopped by force, and an engine that dies',
    dies: 'engine 1',
    start: async (run) => {
      run.agent(N0, { runMs: 9 * SECOND });
      run.agent(N1);
      const job = await run.create([N0, N1], 1);
      run.engine('engine 1', 4);
      run.engine('engine 2', 9);
      run.stop('user', job, 'force');
    },
  },
  {
    name: 'two processes with a scheduled job, and one that disables it',
    start: async (run) => {
      run.agent(N0);
      const schedule = await run.createSchedule(N0, 2 * SECOND, 2);
      run.schedules('server 1', N0, 5);
      run.schedules('server 2', N0, 5);
      run.disable('user', schedule);
    },
  },
  {
    name: 'a process that dies with a scheduled job',
    dies: 'server 1',
    start: async (run) => {
      run.agent(N0);
      await run.createSchedule(N0, SECOND, null);
      run.schedules('server 1', N0, 3);
      run.schedules('server 2', N0, 3);
    },
  },
];

const NOTIFY_WORLDS: readonly SmallWorld<NotifyRun>[] = [
  {
    name: 'a changed catalog and a server that notifies',
    start: async (run) => {
      await run.follow([N0]);
      run.compile('worker', N0, ['second']);
      run.engine('server', 4);
    },
  },
  {
    name: 'two changes of a node, and two servers that notify',
    start: async (run) => {
      await run.follow([N0, N1]);
      run.compile('worker', N0, ['second', 'third']);
      run.engine('server 1', 5);
      run.engine('server 2', 5);
    },
  },
  {
    name: 'a server that notifies and dies',
    dies: 'server 1',
    start: async (run) => {
      await run.follow([N0]);
      run.compile('worker', N0, ['second']);
      run.engine('server 1', 4);
      run.engine('server 2', 4);
    },
  },
  {
    name: 'a server that notifies, and whose store fails',
    fails: 'server',
    start: async (run) => {
      await run.follow([N0]);
      run.compile('worker', N0, ['second']);
      run.engine('server', 5);
    },
  },
];

/** The small worlds, with their faults. */
export function listJobWorlds(sites: Sites, more: RunOptions = {}): readonly WorldFamily[] {
  const jobs = SMALL_WORLDS.map((world) => listFamily(world, sites, more, JobRun));
  const notifications = NOTIFY_WORLDS.map((world) => listFamily(world, sites, more, NotifyRun));
  return [...jobs, ...notifications];
}

function listFamily<Run extends JobRun>(
  world: SmallWorld<Run>,
  sites: Sites,
  more: RunOptions,
  Kind: new (site: CompileSite, options: RunOptions) => Run,
): WorldFamily {
  const begin = (options: RunOptions) => async (trail?: Trail) => {
    const run = new Kind(await sites.get(NO_CODE), { ...more, ...options, ...(trail && { trail }) });
    await world.start(run);
    return run;
  };
  return { name: world.name, isLight: false, worlds: listFaults(world, '', begin) };
}

/** Begins a run of a large world: the seed chooses agents, jobs, and what happens at a time. */
export async function beginLargeJobWorld(sites: Sites, seed: number, more: RunOptions = {}): Promise<JobRun> {
  const random = new SeededChance(seed ^ 0x10b5);
  return random.often(0.3) ? beginLargeNotifyWorld(sites, random, more) : beginJobs(sites, random, more);
}

async function beginLargeNotifyWorld(sites: Sites, random: SeededChance, more: RunOptions): Promise<NotifyRun> {
  const run = new NotifyRun(await sites.get(NO_CODE), { tickMs: random.of([0, 1, 100]), ...more });
  await run.follow(NODES);
  for (const [index, name] of NODES.entries()) {
    const texts = ['second', 'third', 'first', 'fourth'].slice(0, random.below(4));
    if (texts.length > 0) run.compile(`worker ${index}`, name, texts);
  }
  const servers = 1 + random.below(3);
  for (let server = 1; server <= servers; server += 1) run.engine(`server ${server}`, 2 + random.below(20));
  if (random.often(0.2)) run.jump(random.of([HOUR, SET_BACK, 10 * SECOND]));
  return run;
}

async function beginJobs(sites: Sites, random: SeededChance, more: RunOptions): Promise<JobRun> {
  const run = new JobRun(await sites.get(NO_CODE), { tickMs: random.of([0, 1, 100]), ...more });
  for (const name of NODES) {
    if (random.often(0.1)) continue;
    run.agent(name, {
      runMs: random.of([0, 500, 5 * SECOND, 20 * SECOND]),
      ...(random.often(0.15) ? { isOutcomeLost: true } : {}),
      ...(random.often(0.1) ? { refusal: 'deliberate' } : {}),
      ...(random.often(0.1) ? { results: { exitcode: 1, stdout: '', stderr: 'deliberate' } } : {}),
    });
  }
  const jobs = [];
  for (let count = 1 + random.below(2); count > 0; count -= 1) {
    const names = NODES.filter(() => random.often(0.7));
    jobs.push(await run.create(names.length > 0 ? names : [N0], random.of([null, 1, 2])));
  }
  const engines = 1 + random.below(3);
  for (let engine = 1; engine <= engines; engine += 1) run.engine(`engine ${engine}`, 2 + random.below(25));
  if (random.often(0.3)) run.stop('user', random.of(jobs), random.of(['soft', 'force']));
  if (random.often(0.4)) {
    const schedule = await run.createSchedule(N0, random.below(4) * SECOND, random.of([null, 2, 5]));
    run.schedules('server 1', N0, 3 + random.below(8));
    run.schedules('server 2', N0, 3 + random.below(8));
    if (random.often(0.5)) run.disable('another user', schedule);
  }
  if (random.often(0.2)) run.jump(random.of([HOUR, SET_BACK, 10 * SECOND]));
  return run;
}
