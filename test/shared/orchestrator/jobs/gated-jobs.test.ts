import { afterEach, describe, expect, it } from 'vitest';
import { DEPLOY_ORDER, Orchestration } from '../../../helpers/orchestration.ts';

const worlds: Orchestration[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

const NAMES = ['a', 'b', 'c', 'd'].map((name) => `${name}.example.com`);
const RUN = { transaction_uuid: 'u', environment: 'production', status: 'unchanged', metrics: {}, exitcode: 0 };
const GATED = { ...DEPLOY_ORDER, isGated: true };

/** A gate that the test opens. */
class Gate {
  allowed = 0;
  description: string | null = null;
  readonly refused = new Map<string, string>();
  readonly asked: string[] = [];

  async read() {
    return { allowed: this.allowed, description: this.description };
  }

  async admit(_: number, certname: string) {
    this.asked.push(certname);
    return this.refused.get(certname) ?? null;
  }
}

function openWorld(gate?: Gate): Orchestration {
  const world = new Orchestration(gate === undefined ? {} : { gate });
  worlds.push(world);
  world.network.addAgents(NAMES, { results: RUN });
  return world;
}

describe('a gated job', () => {
  it('waits in a process without a gate', async () => {
    const world = openWorld();
    const number = await world.createJob({ names: NAMES }, GATED);
    await world.pass(5);
    expect(await world.states(number)).toEqual({});
    expect((await world.job(number)).stays.at(-1)?.state).toBe('running');
  });

  it('starts as many nodes as the gate allows, also after a restart', async () => {
    const gate = new Gate();
    const world = openWorld(gate);
    const number = await world.createJob({ names: NAMES }, GATED);
    await world.pass(2);
    expect(await world.states(number)).toEqual({});
    gate.allowed = 1;
    await world.pass(2);
    expect(Object.keys(await world.states(number))).toEqual([NAMES[0]]);
    gate.allowed = 3;
    await world.restart();
    await world.pass(31);
    expect(Object.keys(await world.states(number))).toEqual(NAMES.slice(0, 3));
    gate.allowed = 100;
    await world.pass(2);
    expect(await world.job(number)).toMatchObject({
      nodeStates: { finished: 4 },
      finishedAt: world.clock.now() - 1000,
    });
    expect([...world.network.agents.values()].map(({ runs }) => runs)).toEqual([1, 1, 1, 1]);
  });

  it('skips nodes that the gate does not admit, and counts the others only', async () => {
    const gate = new Gate();
    gate.allowed = 2;
    gate.refused.set('b.example.com', 'it has the catalog');
    const world = openWorld(gate);
    const number = await world.createJob({ names: NAMES }, GATED);
    await world.pass(2);
    expect(await world.states(number)).toEqual({
      'a.example.com': 'finished',
      'b.example.com': 'skipped',
      'c.example.com': 'finished',
    });
    expect((await world.nodes(number))[1]?.message).toBe('Skipped b.example.com: it has the catalog');
    gate.refused.set('d.example.com', 'it has the catalog');
    gate.allowed = 3;
    await world.pass(2);
    expect(await world.job(number)).toMatchObject({ nodeStates: { finished: 2, skipped: 2 } });
    expect((await world.job(number)).stays.at(-1)?.state).toBe('finished');
    expect(gate.asked).toEqual(NAMES);
  });

  it('shows what the gate says, and stops', async () => {
    const gate = new Gate();
    const world = openWorld(gate);
    const number = await world.createJob({ names: NAMES }, GATED, { description: 'rollout' });
    gate.description = 'rollout; paused: a.example.com failed';
    await world.pass(2);
    expect((await world.job(number)).description).toBe('rollout; paused: a.example.com failed');
    expect(await world.eventTexts(number)).toEqual(['job_described running']);
    await world.engine.stop(number, 'soft');
    await world.pass(1);
    expect(await world.job(number)).toMatchObject({ nodeStates: { skipped: 4 } });
    expect((await world.job(number)).stays.at(-1)?.state).toBe('stopped');
    expect(gate.asked).toEqual([]);
  });

  it('asks no gate for jobs that are not gated', async () => {
    const gate = new Gate();
    const world = openWorld(gate);
    const number = await world.createJob({ names: NAMES }, DEPLOY_ORDER);
    expect(await world.job(number)).toMatchObject({ nodeStates: { finished: 4 } });
    expect(gate.asked).toEqual([]);
  });

  it('names the nodes on which Puppet runs', async () => {
    const world = openWorld();
    world.network.addAgents(['e.example.com'], { runMs: 5000, results: RUN });
    await world.createJob({ names: ['e.example.com'] }, DEPLOY_ORDER);
    expect([...world.engine.findRunning()]).toEqual(['e.example.com']);
    await world.pass(6);
    expect([...world.engine.findRunning()]).toEqual([]);
  });
});
