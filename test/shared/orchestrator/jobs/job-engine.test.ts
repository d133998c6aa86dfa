import { afterEach, describe, expect, it } from 'vitest';
import { arrangeTargets } from '../../../../shared/orchestrator/jobs/arrange-targets.ts';
import type { JobStore } from '../../../../shared/store/ports/job-store.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { SeededChance } from '../../../fuzz/seeded-chance.ts';
import { DEPLOY_ORDER, Orchestration, TASK_ORDER, type WorldOptions } from '../../../helpers/orchestration.ts';

const worlds: Orchestration[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

function openWorld(options: WorldOptions = {}): Orchestration {
  const world = new Orchestration(options);
  worlds.push(world);
  return world;
}

const namesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `n${String(index).padStart(3, '0')}.example.com`);
const [A, B, C] = ['a.example.com', 'b.example.com', 'c.example.com'] as const;
const RUN = {
  time: '2026-11-22T18:33:21+00:00',
  transaction_uuid: '121387a9-4cdf-46a7-bafe-59a411937ad7',
  environment: 'production',
  status: 'unchanged',
  metrics: { total: 8, changed: 0 },
  exitcode: 0,
  version: 1,
};

describe('a job', () => {
  it('asks each node once, and has its results and events', async () => {
    const world = openWorld();
    world.network.addAgents([A, B]);
    const number = await world.createJob({ names: [A, B] });
    expect(await world.job(number)).toMatchObject({ nodeStates: { finished: 2 }, finishedAt: world.clock.now() });
    expect((await world.job(number)).stays.map(({ state }) => state)).toEqual(['new', 'ready', 'running', 'finished']);
    expect(await world.nodes(number)).toMatchObject([
      {
        name: A,
        state: 'finished',
        attempt: 1,
        isAccepted: true,
        result: { value: { ran: A } },
        message: `Finished on node ${A} - Success!`,
        latestEvent: 3,
      },
      { name: B, state: 'finished', result: { value: { ran: B } }, latestEvent: 4 },
    ]);
    expect(await world.events(number)).toMatchObject([
      { id: 1, type: 'node_running', message: `Started on ${A} ...`, details: { node: A, detail: { noop: false } } },
      { id: 2, type: 'node_running' },
      { id: 3, type: 'node_finished', details: { node: A, detail: { ran: A } } },
      { id: 4, type: 'node_finished' },
      { id: 5, type: 'job_finished', details: { job: '1', state: 'finished' }, message: 'Job 1 finished' },
    ]);
    expect(await world.stores.jobs.listOpen('job')).toEqual([]);
    expect(world.progress.map(({ body, nodes }) => [body.nodeStates, nodes.map(({ state }) => state)])).toEqual([
      [{ running: 2 }, ['running', 'running']],
      [{ finished: 2 }, ['finished', 'finished']],
    ]);
    expect(world.network.agent(A).requests).toMatchObject([{ module: 'task', action: 'run', isBlocking: false }]);
    expect(world.engine.active).toEqual([]);
  });

  it('reads the results of Puppet runs', async () => {
    const world = openWorld();
    world.network.addAgents([A], { results: RUN });
    world.network.addAgents([B], {
      results: { ...RUN, status: 'failed', error_type: 'agent_exit_non_zero', error: 'x' },
    });
    const empty = { transaction_uuid: 'unknown', status: 'unknown', metrics: {}, exitcode: -1 };
    world.network.addAgents([C], {
      results: { ...empty, error_type: 'agent_disabled', error: 'Puppet agent is disabled' },
    });
    const number = await world.createJob({ names: [A, B, C] }, DEPLOY_ORDER);
    const metrics = { total: 8, changed: 0, failed: 0, skipped: 0, restarted: 0, scheduled: 0, out_of_sync: 0 };
    expect(await world.nodes(number)).toMatchObject([
      {
        state: 'finished',
        transactionUuid: RUN.transaction_uuid,
        message: `Finished puppet run on ${A} - Success!`,
        result: {
          value: {
            hash: 'd7ec',
            noop: { noop: false, no_noop: false },
            status: 'unchanged',
            metrics: { ...metrics, failed_to_restart: 0, corrective_change: 0 },
            environment: 'production',
            configuration_version: '1502024081',
          },
        },
      },
      { state: 'failed', message: `Error running puppet on ${B}: x` },
      {
        state: 'errored',
        message: `Error running puppet on ${C}: Puppet agent is disabled`,
        result: {
          value: {
            kind: 'puppetlabs.orchestrator/execution-failure',
            msg: 'Puppet agent is disabled',
            details: { node: C },
          },
        },
      },
    ]);
    expect(world.network.agent(A).requests[0]?.params).toEqual({ flags: [], job: '1' });
    expect((await world.job(number)).stays.at(-1)?.state).toBe('failed');
  });

  describe('with another run of Puppet under way', () => {
    const LOCKED = { transaction_uuid: 'unknown', status: 'unknown', metrics: {}, exitcode: -1 };
    const locked = { ...LOCKED, error_type: 'agent_locked', error: 'Puppet agent run lock is held' };

    it('waits for its end, then runs', async () => {
      const world = openWorld();
      let answers = 0;
      world.network.copies = 2;
      world.network.addAgents([A], {
        onRun: () => {
          answers += 1;
          return answers < 3 ? locked : RUN;
        },
      });
      const number = await world.createJob({ names: [A] }, DEPLOY_ORDER);
      await world.pass(2);
      const [waiting] = await world.nodes(number);
      expect([waiting?.state, waiting?.message]).toEqual([
        'running',
        `Puppet already runs on ${A}, waiting for its end ...`,
      ]);
      await world.pass(70);
      expect(await world.nodes(number)).toMatchObject([
        {
          state: 'finished',
          attempt: 3,
          transactionUuid: RUN.transaction_uuid,
          message: `Finished puppet run on ${A} - Success! It waited for another run of Puppet.`,
        },
      ]);
      expect((await world.events(number)).map(({ message }) => message)).toEqual([
        `Started puppet run on ${A} ...`,
        `Puppet already runs on ${A}, waiting for its end ...`,
        `Finished puppet run on ${A} - Success! It waited for another run of Puppet.`,
        `Job ${number} finished`,
      ]);
      const ids = world.network.agent(A).requests.map(({ transactionId }) => transactionId);
      expect(new Set(ids).size).toBe(3);
      expect(answers).toBe(3);
    });

    it('waits on in the process that takes the job over', async () => {
      const world = openWorld();
      let isLocked = true;
      world.network.addAgents([A], { onRun: () => (isLocked ? locked : RUN) });
      const number = await world.createJob({ names: [A] }, DEPLOY_ORDER);
      await world.pass(2);
      isLocked = false;
      await world.restart();
      await world.pass(100);
      expect(await world.states(number)).toEqual({ [A]: 'finished' });
      expect(world.network.agent(A).spool.size).toBe(2);
    });

    it('gives up after half an hour', async () => {
      const world = openWorld();
      world.network.addAgents([A], { results: locked });
      const number = await world.createJob({ names: [A] }, DEPLOY_ORDER);
      await world.pass(1900);
      expect(await world.nodes(number)).toMatchObject([
        {
          state: 'errored',
          message: `Error running puppet on ${A}: Puppet agent run lock is held; it waited for another run of Puppet`,
        },
      ]);
    });
  });

  it('shows the exit code of a command in its result, and failed tasks as failed', async () => {
    const world = openWorld();
    world.network.addAgents([A], { results: { exitcode: 2, stdout: 'out', stderr: 'err' } });
    const shim = await world.createJob({ names: [A] }, { ...TASK_ORDER, kind: 'shim' });
    const [run] = await world.nodes(shim);
    expect([run?.state, run?.result]).toEqual(['finished', { value: { stdout: 'out', stderr: 'err', exit_code: 2 } }]);
    const task = await world.createJob({ names: [A] });
    expect(await world.nodes(task)).toMatchObject([
      { state: 'failed', message: `Error running task on ${A}: The task failed with exit code 2` },
    ]);
  });

  it('keeps large results in blobs', async () => {
    const world = openWorld();
    const text = 'x'.repeat(70_000);
    world.network.addAgents([A], { results: { exitcode: 0, stdout: text } });
    const number = await world.createJob({ names: [A] });
    const [run] = await world.nodes(number);
    expect(run?.result).toEqual({ blob: `jobs/1/results/${A}/1` });
    const bytes = await world.stores.blobs.get(`jobs/1/results/${A}/1`);
    expect(JSON.parse(Buffer.from(bytes ?? []).toString())).toEqual({ _output: text });
    expect((await world.events(number))[1]?.details).toEqual({ node: A, detail: {} });
  });

  it('takes repeated answers for one', async () => {
    const world = openWorld();
    world.network.copies = 3;
    world.network.addAgents([A, B], { runMs: 5000 });
    const number = await world.createJob({ names: [A, B] });
    await world.pass(10);
    expect(await world.eventTexts(number)).toEqual([
      `node_running ${A}`,
      `node_running ${B}`,
      `node_finished ${A}`,
      `node_finished ${B}`,
      'job_finished finished',
    ]);
  });

  it('believes no node what it says of another one', async () => {
    const world = openWorld();
    world.network.addAgents([A], { runMs: 5000 });
    world.network.addAgents([B], { isSilent: true });
    const number = await world.createJob({ names: [A] });
    const [request] = world.network.agent(A).requests;
    if (request) world.network.agent(B).requests.push(request);
    await world.pass(1);
    expect(await world.states(number)).toEqual({ [A]: 'running' });
  });
});

describe('silence', () => {
  it('errors a node that is not connected, after one more try', async () => {
    const world = openWorld();
    const number = await world.createJob({ names: [A] });
    await world.pass(2);
    expect(await world.states(number)).toEqual({ [A]: 'running' });
    await world.pass(4);
    expect(await world.nodes(number)).toMatchObject([
      { state: 'errored', message: `Error running task on ${A}: ${A} is not connected` },
    ]);
    expect((await world.job(number)).nodeStates).toEqual({ errored: 1 });
    const failure = {
      kind: 'puppetlabs.orchestrator/execution-failure',
      details: { node: A },
      msg: `${A} is not connected`,
    };
    expect((await world.nodes(number))[0]?.result).toEqual({ value: { ...failure, _error: failure } });
  });

  it('finds an agent that came back within the second try', async () => {
    const world = openWorld();
    world.network.addAgents([A]);
    world.network.agent(A).isConnected = false;
    const number = await world.createJob({ names: [A] });
    await world.pass(1);
    world.network.agent(A).isConnected = true;
    await world.pass(3);
    expect(await world.states(number)).toEqual({ [A]: 'finished' });
  });

  it('errors a node that does not accept in 30 seconds, twice', async () => {
    const world = openWorld();
    world.network.addAgents([A], { isSilent: true });
    const number = await world.createJob({ names: [A] });
    await world.pass(59);
    expect(await world.states(number)).toEqual({ [A]: 'running' });
    await world.pass(1);
    expect(await world.nodes(number)).toMatchObject([
      {
        state: 'errored',
        message: `Error running task on ${A}: The agent did not accept the request within 60 seconds`,
      },
    ]);
    expect(world.network.agent(A).requests).toHaveLength(2);
    expect(new Set(world.network.agent(A).requests.map(({ transactionId }) => transactionId)).size).toBe(1);
  });

  it('asks for a lost outcome each 12 seconds', async () => {
    const world = openWorld();
    world.network.addAgents([A], { runMs: 30_000, isOutcomeLost: true });
    const number = await world.createJob({ names: [A] });
    await world.pass(35);
    expect(await world.states(number)).toEqual({ [A]: 'running' });
    await world.pass(1);
    expect(await world.states(number)).toEqual({ [A]: 'finished' });
    expect(world.network.agent(A).requests.map(({ module }) => module)).toEqual(['task', 'status', 'status', 'status']);
  });

  it('errors a node that answers none of 35 queries', async () => {
    const world = openWorld();
    world.network.addAgents([A], { runMs: 3_600_000, isDeafToQueries: true });
    const number = await world.createJob({ names: [A] });
    await world.pass(12 * 36 - 1);
    expect(await world.states(number)).toEqual({ [A]: 'running' });
    expect(world.network.agent(A).requests.filter(({ module }) => module === 'status')).toHaveLength(35);
    await world.pass(1);
    expect(await world.nodes(number)).toMatchObject([
      { state: 'errored', message: `Error running task on ${A}: The agent did not answer for 7 minutes` },
    ]);
  });

  it('errors a node whose agent answers a query with an error', async () => {
    const world = openWorld();
    const statusError = 'Message size: 70000096 exceeded max-message-size 67108864';
    world.network.addAgents([A], { isOutcomeLost: true, statusError });
    const number = await world.createJob({ names: [A] });
    await world.pass(12);
    expect(await world.nodes(number)).toMatchObject([
      { state: 'errored', message: `Error running task on ${A}: ${statusError}` },
    ]);
    expect(world.network.agent(A).requests).toHaveLength(2);
  });

  it('waits for as long as the agent says that it runs', async () => {
    const world = openWorld();
    world.network.addAgents([A], { runMs: 300_000 });
    const number = await world.createJob({ names: [A] });
    await world.pass(299);
    expect(await world.states(number)).toEqual({ [A]: 'running' });
    await world.pass(1);
    expect(await world.states(number)).toEqual({ [A]: 'finished' });
  });

  it('ends a node after the time limit of the job', async () => {
    const world = openWorld();
    world.network.addAgents([A], { runMs: 1_200_000 });
    const number = await world.createJob({ names: [A] }, { ...TASK_ORDER, timeoutMs: 90_000 });
    await world.pass(90);
    expect(await world.nodes(number)).toMatchObject([
      { state: 'errored', message: `Error running task on ${A}: It did not end within 90 seconds` },
    ]);
  });

  it('errors a node that lost the request, or refuses it', async () => {
    const world = openWorld();
    world.network.addAgents([A], { runMs: 60_000 });
    world.network.addAgents([B], { refusal: 'unknown module: task' });
    const number = await world.createJob({ names: [A, B] });
    world.network.agent(A).spool.clear();
    await world.pass(12);
    expect(await world.nodes(number)).toMatchObject([
      { message: `Error running task on ${A}: The agent knows nothing of the request any more` },
      { message: `Error running task on ${B}: unknown module: task` },
    ]);
  });

  it('errors a node whose process ended without a result, with what the agent says', async () => {
    const world = openWorld();
    world.network.addAgents([A], { runMs: 60_000 });
    const number = await world.createJob({ names: [A] });
    const agent = world.network.agent(A);
    agent.loss = 'task process is not running, but no output is available';
    agent.spool.clear();
    await world.pass(12);
    const reason = `The agent does not know how it ended: ${agent.loss}`;
    expect(await world.nodes(number)).toMatchObject([
      { state: 'errored', message: `Error running task on ${A}: ${reason}` },
    ]);
  });

  it('shows why a Puppet run has no result, which only a status query tells', async () => {
    const world = openWorld();
    const _error = { kind: 'puppetlabs.pxp-agent/execution-error', details: {}, msg: 'the output is not valid JSON' };
    const results = { exitcode: 1, stdout: JSON.stringify({ _error }) };
    world.network.addAgents([A], { isOutcomeLost: true, results });
    const number = await world.createJob({ names: [A] }, DEPLOY_ORDER);
    await world.pass(12);
    expect(await world.nodes(number)).toMatchObject([
      { state: 'errored', message: `Error running puppet on ${A}: ${_error.msg}` },
    ]);
  });
});

describe('pacing', () => {
  it('runs as many nodes at a time as the job says', async () => {
    const world = openWorld();
    const names = namesOf(5);
    world.network.addAgents(names, { runMs: 2000 });
    const number = await world.createJob({ names }, TASK_ORDER, { concurrency: 2 });
    expect((await world.job(number)).nodeStates).toEqual({ new: 3, running: 2 });
    await world.pass(2);
    expect((await world.job(number)).nodeStates).toEqual({ new: 1, running: 2, finished: 2 });
    await world.pass(4);
    expect((await world.job(number)).nodeStates).toEqual({ finished: 5 });
  });

  it('shares its passes among jobs', async () => {
    const world = openWorld({ limits: { compiles: 3, actions: 4 } });
    const names = namesOf(6);
    world.network.addAgents(names, { runMs: 2000, results: { ...RUN, stdout: '{}' } });
    const jobs = [
      await world.createJob({ names }, DEPLOY_ORDER),
      await world.createJob({ names }, DEPLOY_ORDER),
      await world.createJob({ names }, TASK_ORDER),
    ];
    const running = () => Promise.all(jobs.map(async (number) => (await world.job(number)).nodeStates.running ?? 0));
    expect(await running()).toEqual([3, 0, 4]);
    await world.pass(2);
    const [first = 0, second = 0] = await running();
    expect(first + second).toBe(3);
    expect(second).toBeGreaterThan(0);
    await world.pass(20);
    expect(await running()).toEqual([0, 0, 0]);
    expect((await world.job(3)).nodeStates).toEqual({ finished: 6 });
  });

  it('needs no pass for runs whose catalog is current', async () => {
    const isCurrent = async (certname: string) => certname !== 'n001.example.com' && certname !== 'n003.example.com';
    const world = openWorld({ limits: { compiles: 1, actions: 1 }, currency: { isCurrent } });
    const names = namesOf(5);
    world.network.addAgents(names, { runMs: 2000, results: RUN });
    const number = await world.createJob({ names }, DEPLOY_ORDER);
    expect((await world.job(number)).nodeStates).toEqual({ new: 1, running: 4 });
    await world.pass(4);
    expect((await world.job(number)).nodeStates).toEqual({ finished: 5 });
  });
});

describe('a thousand Puppet runs', () => {
  const names = namesOf(1000);

  /** Runs them; returns how many ran at a time at most, and how many passes were held at most. */
  async function runAll(current: number, concurrency: number | null) {
    const asked: string[] = [];
    const isCurrent = async (certname: string) => {
      asked.push(certname);
      return names.indexOf(certname) >= names.length - current;
    };
    const world = openWorld({ limits: { compiles: 8, actions: 1 }, currency: { isCurrent } });
    world.network.addAgents(names, { runMs: 1000, results: RUN });
    const number = await world.createJob({ names }, DEPLOY_ORDER, { concurrency });
    const running: number[] = [];
    for (let second = 0; (await world.job(number)).finishedAt === null && second < 1000; second += 1) {
      running.push(world.network.countRunning());
      await world.pass(1);
    }
    expect((await world.job(number)).nodeStates).toEqual({ finished: 1000 });
    expect(asked.toSorted()).toEqual(names);
    return { most: Math.max(...running), seconds: running.length };
  }

  it('run at once when their catalogs are current', async () => {
    expect(await runAll(1000, null)).toEqual({ most: 1000, seconds: 1 });
  });

  it('run within the bound of their job', async () => {
    expect(await runAll(1000, 100)).toEqual({ most: 100, seconds: 10 });
  });

  it('run eight at a time as far as they need a compile', async () => {
    expect(await runAll(840, null)).toEqual({ most: 848, seconds: 20 });
  });
});

describe('a run order', () => {
  const waits = (before: readonly string[], after: readonly string[]) => ({ before, after, reason: 'x' });

  it('starts a node when those before it finished, and skips it when one failed', async () => {
    const world = openWorld();
    world.network.addAgents([A, B], { runMs: 2000 });
    world.network.addAgents([C], { results: { exitcode: 1 } });
    const d = 'd.example.com';
    const e = 'e.example.com';
    world.network.addAgents([d, e]);
    const targets = arrangeTargets([e, d, C, B, A], [waits([A], [B]), waits([C, A], [d]), waits([d], [e])]);
    expect(targets).toMatchObject({ names: [C, A, d, B, e], levels: [2, 2, 1] });
    const number = await world.createJob(targets);
    expect(await world.states(number)).toEqual({ [A]: 'running', [C]: 'failed', [d]: 'skipped', [e]: 'skipped' });
    await world.pass(2);
    expect((await world.states(number))[B]).toBe('running');
    const texts = (await world.events(number)).map(({ message }) => message);
    expect(texts).toContain(`Skipped ${d}: it depends on ${C}`);
    expect(texts).toContain(`Skipped ${e}: it depends on ${d}`);
  });
});

describe('a stopped job', () => {
  it('lets running nodes finish, and skips the others', async () => {
    const world = openWorld();
    world.network.addAgents([A, B, C], { runMs: 5000 });
    const number = await world.createJob({ names: [A, B, C] }, TASK_ORDER, { concurrency: 1 });
    await world.engine.stop(number, 'soft');
    await world.settle();
    expect(await world.states(number)).toEqual({ [A]: 'running', [B]: 'skipped', [C]: 'skipped' });
    expect((await world.job(number)).stays.at(-1)?.state).toBe('stopping');
    await world.engine.stop(number, 'soft');
    await world.pass(5);
    expect((await world.job(number)).stays.map(({ state }) => state)).toEqual([
      'new',
      'ready',
      'running',
      'stopping',
      'stopped',
    ]);
    expect(await world.eventTexts(number)).toEqual([
      `node_running ${A}`,
      'job_stopping stopping',
      `node_skipped ${C}`,
      `node_skipped ${B}`,
      `node_finished ${A}`,
      'job_finished stopped',
    ]);
    await world.engine.stop(number, 'force');
    expect((await world.job(number)).nodeStates).toEqual({ skipped: 2, finished: 1 });
  });

  it('begins no node when it is stopped at once', async () => {
    const world = openWorld({ startDelayMs: 300 });
    world.network.addAgents([A, B]);
    const time = world.clock.time;
    world.clock.sleep = async () => {};
    const number = await world.createJob({ names: [A, B] });
    expect(await world.job(number)).toMatchObject({ nodeStates: { new: 2 } });
    expect((await world.job(number)).stays.at(-1)?.state).toBe('running');
    await world.engine.stop(number, 'soft');
    await world.settle();
    expect(world.clock.time).toBe(time);
    expect(await world.states(number)).toEqual({ [A]: 'skipped', [B]: 'skipped' });
    expect(world.network.agent(A).requests).toEqual([]);
    const other = await world.createJob({ names: [A] });
    expect(await world.states(other)).toEqual({});
    await world.pass(1);
    expect(await world.states(other)).toEqual({ [A]: 'finished' });
  });

  it('ends at once by force, and ignores what comes later', async () => {
    const world = openWorld();
    world.network.addAgents([A, B], { runMs: 5000 });
    const number = await world.createJob({ names: [A, B] }, TASK_ORDER, { concurrency: 1 });
    await world.engine.stop(number, 'force');
    await world.settle();
    expect((await world.job(number)).stays.at(-1)?.state).toBe('stopped');
    await world.pass(10);
    expect(await world.states(number)).toEqual({ [A]: 'errored', [B]: 'skipped' });
    expect(await world.engine.stop(99, 'soft')).toBeNull();
  });

  it('hears of a stop that another process was asked for', async () => {
    const world = openWorld();
    world.network.addAgents([A, B], { runMs: 100_000 });
    const number = await world.createJob({ names: [A, B] }, TASK_ORDER, { concurrency: 1 });
    await world.stores.jobs.requestStop(number, 'soft');
    await world.pass(3);
    expect((await world.states(number))[B]).toBe('skipped');
  });
});

describe('a process that is told to end', () => {
  it('leaves its jobs to another one at once', async () => {
    const world = openWorld();
    world.network.addAgents([A, B], { runMs: 5000 });
    const number = await world.createJob({ names: [A, B] }, TASK_ORDER, { concurrency: 1 });
    const claim = () => {
      const now = world.clock.now();
      return world.stores.jobs.claim('job', number, { owner: 'another one', until: now + 1000 }, now);
    };
    expect(await claim()).toBeNull();
    await world.engine.run(AbortSignal.abort());
    expect(world.engine.active).toEqual([]);
    expect((await claim())?.body.nodeStates).toEqual({ new: 1, running: 1 });
  });
});

describe('a process that dies', () => {
  const names = [A, B, C];

  /** Runs a job whose process dies at its n-th write; another process goes on. */
  async function runWithDeath(write: number, isDone: boolean, behaviour: object) {
    const world = openWorld({ death: { write, isDone } });
    world.network.addAgents(names, behaviour);
    const number = await world.createJob({ names }, TASK_ORDER, { concurrency: 2 });
    for (let second = 0; second < 120 && (await world.job(number)).finishedAt === null; second += 1) {
      if (!world.isAlive) await world.restart();
      await world.pass(1);
    }
    return { world, number };
  }

  it.each([
    ['answer at once', {}],
    ['answer after a while', { runMs: 3000 }],
    ['lose their outcomes', { runMs: 3000, isOutcomeLost: true }],
  ])('runs no node twice and loses no result, wherever it dies, when agents %s', async (_, behaviour) => {
    let deaths = 0;
    for (let write = 1; ; write += 1) {
      const outcomes = [];
      for (const isDone of [false, true]) {
        const { world, number } = await runWithDeath(write, isDone, behaviour);
        deaths += world.failures.length > 0 ? 1 : 0;
        outcomes.push(world.failures.length);
        expect(names.map((name) => world.network.agent(name).runs)).toEqual([1, 1, 1]);
        expect((await world.nodes(number)).map(({ state, result }) => [state, result])).toEqual(
          names.map((name) => ['finished', { value: { ran: name } }]),
        );
        expect((await world.job(number)).nodeStates).toEqual({ finished: 3 });
        const ids = (await world.events(number)).map(({ id }) => id);
        expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
        const texts = await world.eventTexts(number);
        expect(texts.toSorted()).toEqual(
          [
            ...names.flatMap((name) => [`node_running ${name}`, `node_finished ${name}`]),
            'job_finished finished',
          ].toSorted(),
        );
        expect(texts.at(-1)).toBe('job_finished finished');
        expect(await world.stores.jobs.listOpen('job')).toEqual([]);
        worlds.pop()?.close();
      }
      if (outcomes.every((count) => count === 0)) break;
    }
    expect(deaths).toBeGreaterThan(10);
  });

  it('leaves a stopped job stopped', async () => {
    const world = openWorld();
    world.network.addAgents([A, B], { runMs: 20_000 });
    const number = await world.createJob({ names: [A, B] }, TASK_ORDER, { concurrency: 1 });
    await world.stores.jobs.requestStop(number, 'soft');
    await world.restart();
    await world.pass(25);
    expect(await world.states(number)).toEqual({ [A]: 'finished', [B]: 'skipped' });
    expect((await world.job(number)).stays.at(-1)?.state).toBe('stopped');
  });

  it('waits after its restart for agents that are not back yet', async () => {
    const world = openWorld();
    world.network.addAgents([A, B], { runMs: 2000 });
    const number = await world.createJob({ names: [A, B] }, TASK_ORDER, { concurrency: 1 });
    for (const name of [A, B]) world.network.agent(name).isConnected = false;
    await world.restart();
    await world.pass(30);
    expect(await world.states(number)).toEqual({ [A]: 'running' });
    for (const name of [A, B]) world.network.agent(name).isConnected = true;
    await world.pass(16);
    expect(await world.states(number)).toEqual({ [A]: 'finished', [B]: 'finished' });
    expect([world.network.agent(A).runs, world.network.agent(B).runs]).toEqual([1, 1]);
  });

  it('gives up an agent that had no request and does not come back', async () => {
    const world = openWorld();
    const number = await world.createJob({ names: [A] });
    await world.restart();
    await world.pass(55);
    expect(await world.states(number)).toEqual({ [A]: 'running' });
    await world.pass(30);
    expect(await world.nodes(number)).toMatchObject([{ message: `Error running task on ${A}: ${A} is not connected` }]);
  });

  it('ends a job whose nodes are lost', async () => {
    const world = openWorld();
    const number = await world.createJob({ names: [A] });
    await world.stores.blobs.delete(`jobs/${number}/targets`);
    await world.restart();
    await world.pass(1);
    expect((await world.job(number)).stays.at(-1)?.state).toBe('failed');
    expect((await world.eventTexts(number)).at(-1)).toBe('job_aborted failed');
    expect(await world.stores.jobs.listOpen('job')).toEqual([]);
  });

  it('ends a job whose secrets cannot be opened', async () => {
    const world = openWorld();
    const number = await world.createJob({ names: [A] }, { ...TASK_ORDER, params: null, sealed: 'of another key' });
    expect((await world.eventTexts(number)).at(-1)).toBe('job_aborted failed');
  });

  it('does not disturb the process that took over', async () => {
    const world = openWorld();
    world.network.addAgents([A], { runMs: 5000 });
    const number = await world.createJob({ names: [A] });
    const former = world.engine;
    await world.restart();
    await world.pass(20);
    await former.tick();
    await former.settle();
    expect(world.network.agent(A).runs).toBe(1);
    expect(await world.eventTexts(number)).toEqual([
      `node_running ${A}`,
      `node_finished ${A}`,
      'job_finished finished',
    ]);
  });
});

describe('a store that fails at times', () => {
  it.each([1, 2, 3, 4])('delays jobs, and neither repeats nor loses a node (seed %d)', async (seed) => {
    const chance = new SeededChance(seed);
    let isFailing = false;
    const wrap = (jobs: JobStore): JobStore =>
      new Proxy(jobs, {
        get: (target, key) => {
          const method: unknown = Reflect.get(target, key);
          if (typeof method !== 'function') return method;
          return async (...args: readonly unknown[]) => {
            const isSafe = ['get', 'listEvents'].includes(String(key));
            if (!isFailing || isSafe || !chance.often(0.25)) return Reflect.apply(method, target, args);
            if (chance.often(0.5)) await Reflect.apply(method, target, args);
            throw new StoreUnavailable('busy');
          };
        },
      });
    const world = openWorld({ wrap });
    const names = namesOf(20);
    world.network.addAgents(names, { runMs: 3000 });
    const number = await world.createJob({ names }, TASK_ORDER, { concurrency: 6 });
    isFailing = true;
    for (let round = 0; round < 60 && (await world.job(number)).finishedAt === null; round += 1) await world.pass(10);
    isFailing = false;
    expect(world.failures.length).toBeGreaterThan(0);
    expect((await world.job(number)).nodeStates).toEqual({ finished: 20 });
    expect(names.map((name) => world.network.agent(name).runs)).toEqual(names.map(() => 1));
    expect((await world.nodes(number)).map(({ result }) => result)).toEqual(names.map((ran) => ({ value: { ran } })));
    const texts = await world.eventTexts(number);
    expect([texts.length, new Set(texts).size, texts.at(-1)]).toEqual([41, 41, 'job_finished finished']);
  });
});
