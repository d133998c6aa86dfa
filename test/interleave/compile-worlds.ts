import { SeededChance } from '../fuzz/seeded-chance.ts';
import type { Script } from '../helpers/scripted-compile.ts';
import { CompileRun } from './compile-run.ts';
import type { SitePlan } from './compile-site.ts';
import type { WorldFamily } from './explore.ts';
import type { RunOptions } from './site-run.ts';
import type { Trail } from './trail.ts';
import { listFaults, type Sites, type SmallWorld } from './worlds.ts';

const HOUR = 3_600_000;
const [N0, N1, N2, N3] = ['n0', 'n1', 'n2', 'n3'].map((name) => `${name}.example.com`) as [
  string,
  string,
  string,
  string,
];

const READER: Script = { facts: [['f']], files: ['data/x'] };
const EXPORTER: Script = {
  facts: [['f']],
  exports: [{ type: 'Host', title: 'web', parameters: { v: { fact: ['f'] } } }],
};
const COLLECTOR: Script = { facts: [['f']], collects: [{ type: 'Host', query: null }] };

/** Two nodes that read a fact and a data file, which the second code changes. */
export const READERS: SitePlan = {
  codes: ['1', '2', '3'].map((x) => ({ scripts: { [N0]: READER, [N1]: READER }, data: { x } })),
  facts: { [N0]: { f: 'a' }, [N1]: { f: 'a' } },
};
/** A node whose second code uses another fact than the first. */
const OTHER_FACT: SitePlan = {
  codes: [{ scripts: { [N0]: { facts: [['f']] } } }, { scripts: { [N0]: { facts: [['f'], ['g']] } } }],
  facts: { [N0]: { f: 'a', g: 'a' } },
};
/** A node that exports what its fact says, and one that collects it. */
const EXPORTS: SitePlan = {
  codes: [
    { scripts: { [N0]: COLLECTOR, [N1]: EXPORTER } },
    { scripts: { [N0]: COLLECTOR, [N1]: { ...EXPORTER, exports: [] } } },
  ],
  facts: { [N0]: { f: 'a' }, [N1]: { f: 'a' } },
};

/** A node that exports what its fact says; its collector has no catalog yet. */
const FIRST_COLLECTOR: SitePlan = {
  codes: [{ scripts: { [N0]: COLLECTOR, [N1]: EXPORTER } }],
  facts: { [N1]: { f: 'a' } },
};
/** A node that reads a data file, and has no catalog yet. */
const FIRST_READER: SitePlan = { codes: READERS.codes, facts: { [N1]: { f: 'a' } } };
/** Two nodes of a group whose variable they read. */
const GROUPED: SitePlan = {
  codes: ['1', '2'].map((x) => ({
    scripts: { [N0]: { ...READER, parameters: ['zone'] }, [N1]: { ...READER, parameters: ['zone'] } },
    data: { x },
  })),
  facts: { [N0]: { f: 'a' }, [N1]: { f: 'a' } },
  group: { rule: ['=', ['fact', 'f'], 'a'], zone: 'east' },
};

/** What an inventory has stored of facts. */
export const KEEP_FACTS = { keepFacts: { intervalMs: HOUR, blocked: [] } };

interface CompileWorld extends SmallWorld<CompileRun> {
  readonly plan: SitePlan;
  /** Its jobs verify, and do not compile: a run takes a third of the time. */
  readonly isLight?: true;
}

const SMALL_WORLDS: readonly CompileWorld[] = [
  {
    name: 'two reasons and two workers',
    plan: READERS,
    isLight: true,
    start: (run) => {
      run.want('reason 1', N0);
      run.want('reason 2', N0);
      run.work('worker 1', 2);
      run.work('worker 2', 1);
    },
  },
  {
    name: 'a check-in without news, a reason and two workers',
    plan: READERS,
    isLight: true,
    start: (run) => {
      run.want('reason', N0);
      run.checkIn('agent', N0, { f: 'a' });
      run.work('worker 1', 2);
      run.work('worker 2', 1);
    },
  },
  {
    name: 'a check-in without news, two reasons and a worker',
    plan: READERS,
    isLight: true,
    start: (run) => {
      run.want('reason 1', N0);
      run.checkIn('agent', N0, { f: 'a' });
      run.work('worker', 3);
      run.want('reason 2', N0);
    },
  },
  {
    name: 'two check-ins without news, a reason and a worker',
    plan: READERS,
    isLight: true,
    start: (run) => {
      run.want('reason', N0);
      run.checkIn('agent 1', N0, { f: 'a' });
      run.checkIn('agent 2', N0, { f: 'a' });
      run.work('worker', 2);
    },
  },
  {
    name: 'reasons of two nodes, two workers and a jump of the clock',
    plan: READERS,
    isLight: true,
    start: (run) => {
      run.want('reason 1', N0);
      run.want('reason 2', N1);
      run.jump(HOUR);
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'a signature, and a check-in with news',
    plan: READERS,
    start: (run) => {
      run.sign('authority', N0);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 1);
    },
  },
  {
    name: 'a worker that dies, a reason and another worker',
    plan: READERS,
    isLight: true,
    dies: 'worker 1',
    start: (run) => {
      run.want('reason 1', N0);
      run.want('reason 2', N0);
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'a check-in, a reason and a worker',
    plan: READERS,
    start: (run) => {
      run.want('reason', N0);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 2);
    },
  },
  {
    name: 'a check-in, two reasons and two workers',
    plan: READERS,
    start: (run) => {
      run.want('reason', N0);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker 1', 2);
      run.work('worker 2', 1);
    },
  },
  {
    name: 'two requests of one node and a worker',
    plan: READERS,
    start: (run) => {
      run.checkIn('agent 1', N0, { f: 'b' });
      run.checkIn('agent 2', N0, { f: 'c' });
      run.work('worker', 2);
    },
  },
  {
    name: 'a deploy, a check-in and a worker',
    plan: READERS,
    start: (run) => {
      run.deploy('deploy', 1);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 2);
    },
  },
  {
    name: 'the first catalog of a node, a deploy and a worker',
    plan: FIRST_READER,
    start: (run) => {
      run.checkIn('agent', N0, { f: 'a' });
      run.deploy('deploy', 1);
      run.work('worker', 2);
    },
  },
  {
    name: 'two deploys and a worker',
    plan: READERS,
    start: (run) => {
      run.deploy('deploy 1', 1);
      run.deploy('deploy 2', 2);
      run.work('worker', 3);
    },
  },
  {
    name: 'an exporter, its collector and two workers',
    plan: EXPORTS,
    start: (run) => {
      run.checkIn('exporter', N1, { f: 'b' });
      run.checkIn('collector', N0, { f: 'b' });
      run.work('worker 1', 3);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'a new collector, an exporter and two workers',
    plan: FIRST_COLLECTOR,
    start: (run) => {
      run.checkIn('exporter', N1, { f: 'b' });
      run.checkIn('collector', N0, { f: 'a' });
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'a reason, a change of groups and a worker',
    plan: GROUPED,
    start: (run) => {
      run.want('reason', N0);
      run.group('groups', 'west');
      run.work('worker', 3);
    },
  },
  {
    name: 'an exporter whose code changes, and its collector',
    plan: EXPORTS,
    start: (run) => {
      run.deploy('deploy', 1);
      run.want('reason', N0);
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'a feeder, a reason and a worker',
    plan: READERS,
    start: (run) => {
      run.feed('feeder');
      run.want('reason', N0);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 2);
    },
  },
  {
    name: 'the ring, a check-in with news and a worker',
    plan: READERS,
    start: (run) => {
      run.ring('ring');
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 3);
    },
  },
  {
    name: 'the ring, a deploy in the middle of its round, and two workers',
    plan: READERS,
    start: (run) => {
      run.ring('ring');
      run.deploy('deploy', 1);
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'the ring, which finds what nobody noticed, and a check-in',
    plan: READERS,
    start: async (run) => {
      await run.deployUnnoticed(1);
      run.ring('ring');
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 3);
    },
  },
  {
    name: 'two rounds of the ring, and two workers',
    plan: READERS,
    start: async (run) => {
      await run.deployUnnoticed(1);
      run.ring('ring 1');
      run.ring('ring 2');
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'the ring, whose worker dies, another one and a check-in',
    plan: READERS,
    dies: 'worker 1',
    start: (run) => {
      run.ring('ring');
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'the ring, which dies, and a deploy',
    plan: READERS,
    dies: 'ring',
    start: (run) => {
      run.ring('ring');
      run.deploy('deploy', 1);
      run.work('worker', 3);
    },
  },
  {
    name: 'a check-in that stores facts of no compile, one with news, and a worker',
    plan: READERS,
    start: (run) => {
      run.checkIn('agent 1', N0, { f: 'a', load: '1' }, 0, KEEP_FACTS);
      run.checkIn('agent 2', N0, { f: 'b', load: '2' }, 0, KEEP_FACTS);
      run.work('worker', 2);
    },
  },
  {
    name: 'a check-in with news of a fact that a deploy begins to use',
    plan: OTHER_FACT,
    start: (run) => {
      run.checkIn('agent', N0, { f: 'a', g: 'b' });
      run.deploy('deploy', 1);
      run.work('worker', 2);
    },
  },
  {
    name: 'a purge, a check-in and a worker',
    plan: EXPORTS,
    start: (run) => {
      run.checkIn('agent', N1, { f: 'b' });
      run.purge('purge', N1);
      run.work('worker', 2);
    },
  },
  {
    name: 'a purge of an exporter, a reason and a worker',
    plan: EXPORTS,
    start: (run) => {
      run.purge('purge', N1);
      run.want('reason', N1);
      run.work('worker', 2);
    },
  },
  {
    name: 'a worker that dies, another one and a check-in',
    plan: READERS,
    dies: 'worker 1',
    start: (run) => {
      run.want('reason', N0);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker 1', 1);
      run.work('worker 2', 1);
    },
  },
  {
    name: 'a check-in that dies',
    plan: READERS,
    dies: 'agent',
    start: (run) => {
      run.checkIn('agent', N0, { f: 'b' });
      run.want('reason', N0);
      run.work('worker', 1);
    },
  },
  {
    name: 'a deploy that dies',
    plan: READERS,
    dies: 'deploy',
    start: (run) => {
      run.deploy('deploy', 1);
      run.work('worker', 2);
    },
  },
  {
    name: 'an exporter whose worker dies',
    plan: EXPORTS,
    dies: 'worker 1',
    start: (run) => {
      run.checkIn('exporter', N1, { f: 'b' });
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'a worker whose store fails, and a jump of the clock',
    plan: READERS,
    fails: 'worker',
    start: (run) => {
      run.want('reason', N0);
      run.work('worker', 1);
      run.jump(HOUR);
    },
  },
  {
    name: 'a worker whose store fails, a check-in and a reason',
    plan: READERS,
    fails: 'worker',
    start: (run) => {
      run.want('reason', N0);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 1);
    },
  },
  {
    name: 'a check-in whose store fails, and a worker',
    plan: READERS,
    fails: 'agent',
    start: (run) => {
      run.want('reason', N0);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 1);
    },
  },
  {
    name: 'two workers and a jump of the clock',
    plan: READERS,
    start: (run) => {
      run.want('reason', N0);
      run.jump(HOUR);
      run.work('worker 1', 2);
      run.work('worker 2', 2);
    },
  },
  {
    name: 'a change of groups, a check-in and a worker',
    plan: GROUPED,
    start: (run) => {
      run.group('groups', 'west');
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 2);
    },
  },
  {
    name: 'two changes of groups and a worker',
    plan: GROUPED,
    start: (run) => {
      run.group('groups 1', 'west');
      run.group('groups 2', 'north');
      run.work('worker', 3);
    },
  },
  {
    name: 'a stage, a check-in of its canary and a worker',
    plan: READERS,
    start: (run) => {
      run.stage('stage', 1, [N0]);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 2);
    },
  },
  {
    name: 'a stage that is promoted, one that is aborted, and a worker',
    plan: READERS,
    start: (run) => {
      run.stage('stage', 1, [N0]);
      run.promote('promote');
      run.abort('abort');
      run.work('worker', 3);
    },
  },
  {
    name: 'a stage that dies, and a deploy',
    plan: READERS,
    dies: 'stage',
    start: (run) => {
      run.stage('stage', 1, [N0]);
      run.deploy('deploy', 2);
      run.work('worker', 2);
    },
  },
  {
    name: 'pruning, a deploy and a worker',
    plan: READERS,
    start: (run) => {
      run.prune('prune');
      run.deploy('deploy', 1);
      run.work('worker', 2);
    },
  },
  {
    name: 'a clock that is set back',
    plan: READERS,
    start: (run) => {
      run.checkIn('agent', N0, { f: 'b' });
      run.jump(-HOUR);
      run.work('worker', 2);
      run.want('reason', N0);
    },
  },
];

/**
 * Queues whose behaviour differs: the embedded one joins jobs, SQS delivers twice and in any order.
 */
const QUEUES: readonly RunOptions[] = [
  { queue: 'embedded' },
  { queue: { copies: 0 } },
  { queue: { copies: 1, isReversed: true } },
];
/** The small worlds with each queue, and with their faults: each is explored depth-first. */
export function listCompileWorlds(sites: Sites, more: RunOptions = {}): readonly WorldFamily[] {
  return QUEUES.flatMap((queue) =>
    SMALL_WORLDS.map((world) => {
      const suffix = queue.queue === 'embedded' ? '' : `, SQS${JSON.stringify(queue.queue)}`;
      const begin = (options: RunOptions) => async (trail?: Trail) => {
        const run = new CompileRun(await sites.get(world.plan), {
          ...queue,
          ...more,
          ...options,
          ...(trail && { trail }),
        });
        await world.start(run);
        return run;
      };
      return { name: world.name + suffix, isLight: world.isLight ?? false, worlds: listFaults(world, suffix, begin) };
    }),
  );
}

const NODES = [N0, N1, N2, N3];

function planOf(random: SeededChance): SitePlan {
  const scripts = () =>
    Object.fromEntries(
      NODES.map((name) => {
        const maybe = <T>(items: readonly T[]) => items.filter(() => random.often(0.4));
        const script: Script = {
          facts: [['f'], ...maybe([['g']])],
          files: maybe(['data/x', 'data/y']),
          parameters: maybe(['zone']),
          exports: maybe(['web', 'db']).map((title) => ({ type: 'Host', title, parameters: { v: { fact: ['g'] } } })),
          collects: maybe([null, ['title', '==', 'web']]).map((query) => ({ type: 'Host', query })),
          ...(random.often(0.1) ? { fail: 'deliberate' } : {}),
        };
        return [name, script];
      }),
    );
  const codes = Array.from({ length: 3 }, (_, index) => ({
    scripts: scripts(),
    data: { x: `${index}`, y: `${random.below(2)}` },
  }));
  const group = { rule: ['=', ['fact', 'f'], 'a'], zone: 'east' };
  return { codes, facts: Object.fromEntries(NODES.map((name) => [name, { f: 'a', g: 'a' }])), group };
}

export const PLANS: readonly SitePlan[] = Array.from({ length: 4 }, (_, index) => planOf(new SeededChance(index)));

/** Begins a run of a large world: the seed chooses code, queue and what happens at a time. */
export async function beginLargeWorld(sites: Sites, seed: number, more: RunOptions = {}): Promise<CompileRun> {
  const random = new SeededChance(seed ^ 0x5eed);
  const queue = random.of(QUEUES);
  const run = new CompileRun(await sites.get(random.of(PLANS)), { ...queue, tickMs: 1, ...more });
  const workers = 2 + random.below(2);
  for (let worker = 1; worker <= workers; worker += 1) run.work(`worker ${worker}`, 2 + random.below(4));
  const events = 3 + random.below(4);
  for (let event = 1; event <= events; event += 1) startEvent(run, event, random);
  if (random.often(0.2)) run.jump(random.of([HOUR, -HOUR, 20 * 60_000]));
  return run;
}

function startEvent(run: CompileRun, event: number, random: SeededChance): void {
  const name = `event ${event}`;
  const node = random.of(NODES);
  const facts = { f: random.of(['a', 'b', 'c']), g: random.of(['a', 'b']) };
  const kinds: readonly (() => void)[] = [
    () => run.checkIn(name, node, facts),
    () => run.checkIn(name, node, facts, 60_000),
    () => run.checkIn(name, node, facts, 100),
    () => run.deploy(name, random.below(3)),
    () => run.want(name, node),
    () => run.feed(name),
    () => run.ring(name),
    () => run.purge(name, node),
    () => run.stage(name, random.below(3), [node]),
    () => run.promote(name),
    () => run.abort(name),
    () => run.group(name, random.of(['east', 'west', 'north'])),
  ];
  random.of(kinds)();
}
