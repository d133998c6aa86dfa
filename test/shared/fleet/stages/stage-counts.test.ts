import { afterEach, expect, it } from 'vitest';
import { switchToStage } from '../../../../shared/fleet/code/deploy.ts';
import { abortStage } from '../../../../shared/fleet/fan-out/end-stage.ts';
import { settleEnvironment } from '../../../../shared/fleet/fan-out/settle-environment.ts';
import { beginStage } from '../../../../shared/fleet/stages/begin-stage.ts';
import { createStagePlan } from '../../../../shared/fleet/stages/stage-plan.ts';
import type { EmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';
import { prepareFolder } from '../../../helpers/deploy-folder.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

/** `UNDERSTUDY_TEST_NODES=250,1000,4000` counts larger fleets. */
const SIZES = (process.env.UNDERSTUDY_TEST_NODES ?? '40,400').split(',').map(Number);
const CANARIES = 5;
let world: CompileWorld;
afterEach(() => world.close());

/** Has nodes with equal inputs to `like`, without compiling each. */
async function addAlike(like: string, count: number): Promise<void> {
  const { nodes, dependencies } = world.stores;
  const record = await nodes.get(like);
  const { inputs, catalog, revision } = record ?? {};
  const last = inputs?.dependencies;
  if (!inputs || !catalog || !last) throw new Error(`${like} was not compiled`);
  const common = { generation: 1, environment: 'production', leaves: null, ownPaths: [], at: 1 };
  for (let index = 1; index < count; index += 1) {
    const certname = `${like}-${index}`;
    const token = `token-${index}`;
    await nodes.markSeen(certname, 'production', 1);
    await dependencies.register({ ...common, certname, joins: { set: last.set, token } });
    await nodes.want(certname, 'first catalog', 1, { asked: false });
    const own = { ...inputs, dependencies: { ...last, membership: token, own: { contents: [], kinds: [], keys: {} } } };
    const commit = { certname, generation: 1, catalog, failure: null, inputs: own, revision: revision ?? null, at: 1 };
    if (!(await nodes.commit(commit))) throw new Error(`${certname} was not committed`);
  }
}

/** The stores, and how often each of their methods is called. */
function counted(): { readonly stores: EmbeddedStores; readonly take: () => Record<string, number> } {
  let counts: Record<string, number> = {};
  const counting = <T extends object>(name: string, store: T): T =>
    new Proxy(store, {
      get: (_, method) => {
        const found: unknown = Reflect.get(store, method, store);
        if (typeof found !== 'function') return found;
        return (...args: unknown[]) => {
          const key = `${name}.${String(method)}`;
          const jobs = key === 'queue.send' && Array.isArray(args[1]) ? args[1].length : 1;
          counts[key] = (counts[key] ?? 0) + jobs;
          return found.apply(store, args);
        };
      },
    });
  const { nodes, environments, queue, dependencies } = world.stores;
  const stores = {
    ...world.stores,
    nodes: counting('nodes', nodes),
    environments: counting('environments', environments),
    queue: counting('queue', queue),
    dependencies: counting('dependencies', dependencies),
  };
  const take = () => {
    const taken = counts;
    counts = {};
    return taken;
  };
  return { stores, take };
}

it.each(SIZES)('costs what its canaries do, and what the change does, with %i nodes', async (size) => {
  world = new CompileWorld(new ManualClock());
  const touched = size / 10;
  world.write({ 'environments/production/data/x.yaml': 'v: 1', 'environments/production/data/y.yaml': 'v: 1' });
  for (const suffix of ['', ...Array.from({ length: touched - 1 }, (_, index) => `-${index + 1}`)]) {
    world.addScript(`web${suffix}`, { files: ['data/x.yaml'] });
  }
  world.addScript('db', { files: ['data/y.yaml'] });
  await world.deploy();
  for (const name of ['web', 'db']) await world.createService().accept(checkIn(name, {}, { isAwaited: false }));
  await world.runJobs();
  await addAlike('web', touched);
  await addAlike('db', size - touched);
  world.write({ 'environments/production/data/x.yaml': 'v: 2' });
  const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
  const { stores, take } = counted();
  const plan = createStagePlan({});
  const canaries = { count: Math.min(CANARIES, touched - 1) };
  const begin = () => beginStage({ environment: 'production', codeId, by: 'jane', canaries, plan }, stores);
  const invalidated = { 'nodes.want': canaries.count, 'queue.send': canaries.count };
  expect(await begin()).toMatchObject({ touched });
  const begun = take();
  expect(begun).toMatchObject({ ...invalidated, 'environments.replace': 1 });
  // Members are listed by shard: 16 calls, whatever their number is.
  expect(begun['dependencies.listMembers']).toBe(16);
  expect(begun['nodes.get']).toBe(canaries.count);
  await world.runJobs();
  await abortStage('production', stores);
  expect(take()).toMatchObject({ ...invalidated, 'environments.replace': 2 });
  await world.runJobs();
  const stage = (await begin())?.stage;
  await world.runJobs();
  take();
  if (!stage) throw new Error('no stage');
  expect(await switchToStage(stores, 'production', stage)).toBe(true);
  expect((await settleEnvironment('production', stores)).count).toBe(touched);
  const promoted = take();
  expect([promoted['nodes.want'], promoted['queue.send']]).toEqual([touched, touched]);
});
