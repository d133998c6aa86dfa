import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InventoryCommands } from '../../../../shared/orchestrator/jobs/inventory-commands.ts';
import type { PlanRunner } from '../../../../shared/orchestrator/jobs/plan-runner.ts';
import { PlanService } from '../../../../shared/orchestrator/jobs/plan-service.ts';
import type { PlanEffect } from '../../../../shared/orchestrator/plan-language/plan-effects.ts';
import { PlanActions } from '../../../../shared/orchestrator/plan-runs/plan-actions.ts';
import { PlanEngine } from '../../../../shared/orchestrator/plan-runs/plan-engine.ts';
import type { PlanListener, StartPlanThread } from '../../../../shared/orchestrator/plan-runs/plan-thread.ts';
import { SecretMask } from '../../../../shared/orchestrator/plan-runs/secret-mask.ts';
import { ADMIN_GRANTS } from '../../../helpers/fixed-access.ts';
import { OWNER } from '../../../helpers/orchestration.ts';
import { OrchestratorApi } from '../../../helpers/orchestrator-api.ts';

const NODE = 'web01.example.com';
const LEASE_MS = 20_000;

const LIMITS = {
  plans: 4,
  plansOfUser: 3,
  open: 104,
  openOfUser: 52,
  timeoutMs: 3600_000,
  effects: 1000,
  effectsAtOnce: 10,
  events: 1000,
  messageBytes: 1000,
  resultBytes: 1000,
};

/** Threads of plans, which do what a test has them do. */
class FakeThreads {
  readonly started: {
    readonly params: Readonly<Record<string, unknown>>;
    readonly listener: PlanListener;
    isOver: boolean;
  }[] = [];
  readonly answers: unknown[] = [];
  readonly start: StartPlanThread = ({ params }, listener) => {
    const thread = { params, listener, isOver: false };
    this.started.push(thread);
    return {
      answer: (id, outcome) => this.answers.push([id, outcome]),
      terminate: () => {
        thread.isOver = true;
      },
    };
  };
}

let api: OrchestratorApi;
let threads: FakeThreads;
let failures: string[];
beforeEach(async () => {
  api = new OrchestratorApi();
  threads = new FakeThreads();
  failures = [];
  await api.deploy('production', {
    'environments/production/modules/demo/plans/init.pp': 'plan demo(Sensitive[String] $secret) {\n}\n',
    'environments/production/modules/demo/plans/other.pp': 'plan demo::other() {\n}\n',
  });
});
afterEach(() => api.close());

/** A process that runs plans. */
function startProcess(
  startThread: StartPlanThread = threads.start,
  limits = LIMITS,
  commands: InventoryCommands | null = null,
): {
  plans: PlanService;
  engine: PlanEngine & PlanRunner;
  actions: PlanActions;
} {
  const { stores, network, clock } = api.world;
  // Processes differ by the time of their start.
  clock.time += 1;
  const library = { find: async (_: string, name: string) => (/^demo/.test(name) ? METADATA : null) };
  const plans = new PlanService(stores, { jobs: api.jobs, keepMs: 3600_000, library });
  const actions = new PlanActions({
    jobs: api.jobs,
    stores,
    gateway: network.openGateway(() => true),
    queries: null,
    commands,
  });
  const engine = new PlanEngine({
    stores,
    plans,
    actions,
    startThread,
    leaseMs: LEASE_MS,
    limits,
    reportFailure: (message, cause) => void failures.push(`${message}: ${String(cause)}`),
  });
  plans.connect(engine);
  return { plans, engine, actions };
}

const METADATA = {
  description: '',
  private: false,
  parameters: { secret: { type: 'Sensitive[String]', sensitive: true } },
};

/** An action that runs a command on a node. */
function runCommand(): PlanEffect {
  const params = { command: 'id' };
  const action = { kind: 'command', targets: [NODE], description: 'id', task: null, params, noop: false } as const;
  return { kind: 'action', action };
}

const readPlan = async (number: number) => (await api.get(`/plan_jobs/${number}`)).body;
const run = (plans: PlanService, params: Readonly<Record<string, unknown>> = {}, owner = OWNER) =>
  plans.run(owner, { plan_name: 'demo', params });
const failure = (kind: string, msg: string, details: object = {}) => ({
  state: 'failure',
  result: { kind: `puppetlabs.orchestrator/${kind}`, msg, details },
});

describe('a plan', () => {
  it('is ended by another process when its own is gone, with the jobs that it had begun', async () => {
    const { plans, engine } = startProcess();
    const number = await run(plans);
    await plans.append(number, [{ type: 'task_start', details: {}, message: 'x' }], [77]);
    const other = startProcess();
    await other.engine.tick();
    expect((await readPlan(number)).state).toBe('running');
    api.world.clock.time += LEASE_MS / 2;
    await engine.tick();
    api.world.clock.time += LEASE_MS - 1;
    await other.engine.tick();
    expect((await readPlan(number)).state).toBe('running');
    api.world.clock.time += LEASE_MS;
    await other.engine.tick();
    const msg = 'The server that ran the plan ended before the plan did';
    expect(await readPlan(number)).toMatchObject(failure('plan-ended', msg, { jobs: [{ job: '77', state: null }] }));
    // The first one was only slow: it finds out.
    await engine.tick();
    expect(threads.started[0]?.isOver).toBe(true);
    expect(engine.active).toEqual([]);
    expect(await api.world.stores.jobs.listOpen('plan')).toEqual([]);
  });

  it('ends when another process stopped it', async () => {
    const { plans, engine } = startProcess();
    const number = await run(plans);
    await startProcess().plans.stop(OWNER, { plan_job: number });
    threads.started[0]?.listener.begin(1, runCommand());
    const fault = { kind: 'puppetlabs.orchestrator/plan-stopped', msg: 'The plan was stopped', details: {} };
    await expect.poll(() => threads.answers).toEqual([[1, { kind: 'fault', fault }]]);
    expect((await api.get('/jobs')).body.items).toEqual([]);
    api.world.clock.time += LEASE_MS / 4;
    await engine.tick();
    expect(threads.started[0]?.isOver).toBe(true);
    expect(await readPlan(number)).toMatchObject(failure('plan-stopped', 'The plan was stopped'));
  });

  it('stops the job that began while it was stopped', async () => {
    const { plans, actions } = startProcess();
    const number = await run(plans);
    const mask = new SecretMask([]);
    const over = new AbortController();
    const readStop = async (job: number) => (await api.world.stores.jobs.get('job', job))?.stop;
    const stops: unknown[] = [];
    const noteJob = async (job: number) => {
      stops.push(await readStop(job));
      // The plan had no job yet: who stops it finds none in it.
      await startProcess().plans.stop(OWNER, { plan_job: number });
      stops.push(await readStop(job), job);
      over.abort();
    };
    const acting = { number, requester: OWNER, environment: 'production', mask, noteJob };
    expect(await actions.perform(acting, runCommand(), over.signal)).toMatchObject({ kind: 'results' });
    const [before, after, job] = stops;
    expect([before, after, await readStop(Number(job))]).toEqual([null, null, 'soft']);
  });

  it.each([
    ['admin', { kind: 'value', value: 'uuid' }],
    [
      'viewer',
      {
        kind: 'fault',
        fault: { kind: 'bolt/puppetdb-error', msg: expect.stringContaining('nodes:edit_data'), details: {} },
      },
    ],
  ] as const)('sends commands to the inventory with the rights of %s', async (login, outcome) => {
    const sent: unknown[] = [];
    const send = async (request: object) => {
      sent.push(request);
      return 'uuid';
    };
    const { plans, actions } = startProcess(threads.start, LIMITS, { send });
    const number = await run(plans);
    const requester = { ...OWNER, login, isSuperuser: false };
    const acting = { number, requester, environment: 'production', mask: new SecretMask([]), noteJob: async () => {} };
    const effect = { kind: 'inventory_command', command: 'deactivate_node', version: 3, payload: '{}' } as const;
    expect(await actions.perform(acting, effect, new AbortController().signal)).toEqual(outcome);
    expect(sent).toEqual(outcome.kind === 'value' ? [effect] : []);
  });

  it('is not taken for lost before its process has its lease', async () => {
    const { plans, engine } = startProcess();
    plans.connect({ demandRoom: () => {}, begin: async () => {}, drop: () => {} });
    const number = await run(plans);
    await engine.tick();
    expect((await readPlan(number)).state).toBe('running');
    api.world.clock.time += LEASE_MS;
    await engine.tick();
    expect((await readPlan(number)).state).toBe('failure');
  });

  it('waits while others run, and is refused when too many wait, and leaves places for other users', async () => {
    const { plans, engine } = startProcess();
    const others = ['bob', 'carol', 'dave'].map((login) => ({ ...OWNER, login }));
    for (const { login } of others) api.access.change(login, ADMIN_GRANTS);
    for (let count = 0; count < 52; count += 1) await run(plans, { of: OWNER.login });
    await expect.poll(() => threads.started.length).toBe(3);
    const refusal = (message: string) => ({ kind: 'puppetlabs.orchestrator/too-many-plans', status: 503, message });
    const ofOwn = 'The plan demo cannot be run now: too many of your plans run or wait';
    await expect(run(plans)).rejects.toMatchObject(refusal(ofOwn));
    for (let count = 0; count < 52; count += 1) {
      const other = others[count % 2];
      await run(plans, { of: other?.login }, other);
    }
    await expect.poll(() => threads.started.length).toBe(4);
    const ofAll = 'The plan demo cannot be run now: too many plans run or wait';
    await expect(run(plans, {}, others[2])).rejects.toMatchObject(refusal(ofAll));
    // The next places go to users in turn, and a plan that was stopped while it waited takes none.
    engine.drop(54);
    for (const index of [1, 2, 3]) threads.started[index]?.listener.end({ status: 'success', result: 'x' });
    await expect.poll(() => threads.started.length).toBe(7);
    const next = threads.started.slice(4).map(({ params }) => params.of);
    expect(new Set(next)).toEqual(new Set(['bob', 'carol', OWNER.login]));
  });

  it('ends when its time is over', async () => {
    const { plans, engine } = startProcess();
    const number = await plans.run(OWNER, { plan_name: 'demo', params: {}, timeout: 5 });
    api.world.clock.time += 4999;
    await engine.tick();
    expect(threads.started[0]?.isOver).toBe(false);
    api.world.clock.time += 1;
    await engine.tick();
    expect(threads.started[0]?.isOver).toBe(true);
    expect(await readPlan(number)).toMatchObject(failure('plan-timeout', 'The plan took too long, and was ended'));
  });

  it('fails with the reason when its thread ends', async () => {
    const { plans } = startProcess();
    const number = await run(plans);
    threads.started[0]?.listener.fail('The plan needed more than 512 MB of memory');
    await expect
      .poll(() => readPlan(number))
      .toMatchObject(failure('plan-ended', 'The plan needed more than 512 MB of memory', { jobs: [] }));
  });

  it('fails when its result is too large', async () => {
    const { plans } = startProcess();
    const number = await run(plans);
    threads.started[0]?.listener.end({ status: 'success', result: 'x'.repeat(1001) });
    await expect
      .poll(() => readPlan(number))
      .toMatchObject({ state: 'failure', result: { kind: 'puppetlabs.orchestrator/plan-result' } });
  });

  it('has so many messages and actions, and no more', async () => {
    const { plans } = startProcess(threads.start, { ...LIMITS, events: 3, effects: 2, messageBytes: 10 });
    const number = await run(plans);
    const listener = threads.started[0]?.listener;
    for (let count = 0; count < 5; count += 1) listener?.note({ type: 'message', message: `${count} is too long` });
    for (const id of [1, 2, 3]) listener?.begin(id, { kind: 'query', query: 'nodes {}' });
    const fault = { kind: 'bolt/limit', msg: 'A plan may run 2 actions', details: {} };
    await expect.poll(() => threads.answers).toContainEqual([3, { kind: 'fault', fault }]);
    listener?.end({ status: 'success', result: null });
    await expect.poll(async () => (await readPlan(number)).state).toBe('success');
    const { items } = (await api.get(`/plan_jobs/${number}/events`)).body;
    expect(items.map(({ message }: { readonly message: string }) => message)).toEqual([
      'Plan demo started',
      ...['0', '1', '2'].map((count) => `${count} is too l (cut)`),
      '2 further messages are not shown: a plan has at most 3',
      'Plan demo finished',
    ]);
  });

  it('shows none of its secrets', async () => {
    const { plans } = startProcess();
    const number = await run(plans, { secret: 'geheim "x"' });
    const listener = threads.started[0]?.listener;
    listener?.note({ type: 'log', level: 'error', message: '{"geheim \\"x\\"": 1}' });
    listener?.end({ status: 'failure', result: { kind: 'k', msg: 'no geheim "x"', details: { 'geheim "x"': 1 } } });
    await expect.poll(async () => (await readPlan(number)).state).toBe('failure');
    const all = JSON.stringify([await readPlan(number), (await api.get(`/plan_jobs/${number}/events`)).body]);
    expect(all).not.toContain('geheim');
    expect(all).toContain('no [Sensitive]');
  });

  it('runs nothing where none can be evaluated', async () => {
    const { stores } = api.world;
    const plans = new PlanService(stores, { jobs: api.jobs, keepMs: 1, library: { find: async () => METADATA } });
    await expect(run(plans)).rejects.toMatchObject({ kind: 'puppetlabs.orchestrator/not-available', status: 501 });
  });
});
