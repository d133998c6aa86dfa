import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { codeHistory, rollBack } from '../../../../shared/fleet/code/code-history.ts';
import { switchToStage } from '../../../../shared/fleet/code/deploy.ts';
import { pruneCode } from '../../../../shared/fleet/code/prune-code.ts';
import { DEFAULT_RING, feed } from '../../../../shared/fleet/compiles/ring.ts';
import { abortStage } from '../../../../shared/fleet/fan-out/end-stage.ts';
import { removeEnvironment } from '../../../../shared/fleet/fan-out/remove-environment.ts';
import { settleEnvironment } from '../../../../shared/fleet/fan-out/settle-environment.ts';
import { beginStage } from '../../../../shared/fleet/stages/begin-stage.ts';
import { createStagePlan, parseCanaries } from '../../../../shared/fleet/stages/stage-plan.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';
import { prepareFolder } from '../../../helpers/deploy-folder.ts';
import { intercept } from '../../../helpers/intercept.ts';

const NODES = ['db1', 'db2', 'web1', 'web2', 'web3', 'web4'];
const WEB = 'environments/production/data/web.yaml';
let world: CompileWorld;

beforeEach(async () => {
  world = new CompileWorld();
  world.write({ [WEB]: 'v: 1', 'environments/production/data/db.yaml': 'v: 1' });
  for (const name of NODES) {
    world.addScript(name, { files: [`data/${name.slice(0, -1)}.yaml`], facts: [['uptime']] });
  }
  await world.deploy();
  for (const name of NODES) await world.run(checkIn(name));
  world.compiler.compiled.length = 0;
});
afterEach(() => world.close());

async function begin(canaries: string, text = 'v: 2') {
  world.write({ [WEB]: text });
  const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
  const request = { environment: 'production', codeId, by: 'jane', canaries: parseCanaries(canaries) };
  return beginStage({ ...request, plan: createStagePlan({}) }, world.stores);
}
const production = async () => {
  const record = await world.stores.environments.get('production');
  if (!record) throw new Error('nothing is deployed');
  return record;
};
/** What the catalog that a node gets has of the file of web nodes. */
async function seen(certname: string, facts = {}): Promise<unknown> {
  const catalog = catalogOf(await world.run(checkIn(certname, facts)));
  return catalog['data/web.yaml'];
}
const outstanding = async () => (await world.stores.nodes.listOutstandingNames(100)).toSorted();

describe('a staged deploy', () => {
  it('gives canaries the new code, and leaves the other nodes current with theirs', async () => {
    const begun = await begin('web1,web3');
    expect(begun).toMatchObject({ touched: 4, replaced: null, stage: { canaries: ['web1', 'web3'], by: 'jane' } });
    expect(await outstanding()).toEqual(['web1', 'web3']);
    await world.runJobs();
    expect(world.compiler.compiled.toSorted()).toEqual(['web1', 'web3']);
    expect(await Promise.all(NODES.slice(2).map((name) => seen(name)))).toEqual(['v: 2', 'v: 1', 'v: 2', 'v: 1']);
    expect(world.compiler.compiled).toHaveLength(2);
  });

  it('compiles each node with its own code when facts change', async () => {
    await begin('web1');
    expect(await seen('web1', { uptime: 1 })).toBe('v: 2');
    expect(await seen('web2', { uptime: 1 })).toBe('v: 1');
    await world.runJobs();
    const [canary, other] = [await world.stores.nodes.get('web1'), await world.stores.nodes.get('web2')];
    expect(canary?.catalog?.codeId).toBe((await production()).stage?.codeId);
    expect(other?.catalog?.codeId).toBe((await production()).codeId);
  });

  it('leaves no node out of date that the ring looks at', async () => {
    await begin('web1');
    await world.runJobs();
    await feed(world.stores, { ...DEFAULT_RING, restMs: 0 });
    const reports = await world.runJobs();
    expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(['verified']));
  });

  it('verifies a canary before it is served, when the one who began it died before he invalidated it', async () => {
    const dead = {
      ...world.stores,
      nodes: intercept(world.stores.nodes, { want: () => Promise.reject(new StoreUnavailable('killed')) }),
    };
    world.write({ [WEB]: 'v: 2' });
    const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
    const request = {
      environment: 'production',
      codeId,
      by: 'jane',
      canaries: { nodes: ['web1'] },
      plan: createStagePlan({}),
    };
    await expect(beginStage(request, dead)).rejects.toThrow('killed');
    expect(await outstanding()).toEqual([]);
    expect(await seen('web1')).toBe('v: 2');
  });

  it('is promoted: the others are compiled, canaries are verified', async () => {
    const begun = await begin('web1');
    await world.runJobs();
    world.compiler.compiled.length = 0;
    if (!begun) throw new Error('no stage');
    expect(await switchToStage(world.stores, 'production', begun.stage)).toBe(true);
    const { certnames } = await settleEnvironment('production', world.stores);
    expect(certnames).toEqual(['web1', 'web2', 'web3', 'web4']);
    await world.runJobs();
    expect(world.compiler.compiled.toSorted()).toEqual(['web2', 'web3', 'web4']);
    expect(await production()).toMatchObject({ codeId: begun.stage.codeId, by: 'jane' });
    expect((await production()).stage).toBeUndefined();
    expect(await codeHistory(world.stores, 'production')).toHaveLength(2);
    expect(await switchToStage(world.stores, 'production', begun.stage)).toBe(false);
  });

  it('is aborted: canaries alone are compiled, with the code of the others', async () => {
    await begin('web1');
    await world.runJobs();
    world.compiler.compiled.length = 0;
    expect(await abortStage('production', world.stores)).toMatchObject({ invalidated: ['web1'] });
    expect(await outstanding()).toEqual(['web1']);
    await world.runJobs();
    expect(world.compiler.compiled).toEqual(['web1']);
    expect(await seen('web1')).toBe('v: 1');
    expect(await production()).not.toHaveProperty('stage');
    expect(await codeHistory(world.stores, 'production')).toHaveLength(1);
    expect(await abortStage('production', world.stores)).toBeNull();
  });

  it('does not leave staged code with a canary when the one who aborted it died', async () => {
    await begin('web1');
    await world.runJobs();
    const dead = {
      ...world.stores,
      nodes: intercept(world.stores.nodes, { want: () => Promise.reject(new StoreUnavailable('killed')) }),
    };
    await expect(abortStage('production', dead)).rejects.toThrow('killed');
    expect(await outstanding()).toEqual([]);
    expect(await seen('web1')).toBe('v: 1');
    await expect(world.deploy()).rejects.toThrow(
      /^the staged deploy of [0-9a-f]{12} in environment 'production' is being taken back: try again in a minute$/,
    );
    await abortStage('production', world.stores);
    expect(await production()).not.toHaveProperty('stage');
  });

  it('keeps other code from being deployed for all nodes, and the same code, too', async () => {
    const begun = await begin('web1');
    const short = begun?.stage.codeId.slice(0, 12);
    const refusal = `the staged deploy of ${short} in environment 'production' has to end first: 'code stage promote production' puts it in force, 'code stage abort production' takes it back`;
    await expect(world.deploy()).rejects.toThrow(refusal);
    world.write({ [WEB]: 'v: 3' });
    await expect(world.deploy()).rejects.toThrow(refusal);
    expect(await seen('web2')).toBe('v: 1');
  });

  it('gives way to a newer one', async () => {
    const first = await begin('web1,web2');
    await world.runJobs();
    const second = await begin('web2,web3', 'v: 3');
    expect(second?.replaced).toBe(first?.stage.codeId);
    await world.runJobs();
    expect(await Promise.all(NODES.slice(2).map((name) => seen(name)))).toEqual(['v: 1', 'v: 3', 'v: 3', 'v: 1']);
  });

  it('is what a rollback takes back; with a state, all nodes go there', async () => {
    world.write({ [WEB]: 'v: 0' });
    await world.deploy();
    const earlier = (await codeHistory(world.stores, 'production'))[1];
    await begin('web1');
    await world.runJobs();
    expect(await rollBack(world.stores, 'production', null, 'joe')).toMatchObject({
      changed: true,
      wasStaged: true,
      nodes: ['web1'],
      codeId: (await production()).codeId,
    });
    await world.runJobs();
    expect(await seen('web1')).toBe('v: 0');
    await begin('web1', 'v: 3');
    const report = await rollBack(world.stores, 'production', earlier?.codeId ?? '', 'joe');
    expect(report).toMatchObject({ changed: true, wasStaged: false });
    await world.runJobs();
    expect(await Promise.all(NODES.slice(2).map((name) => seen(name)))).toEqual(['v: 1', 'v: 1', 'v: 1', 'v: 1']);
  });

  it('goes with its environment', async () => {
    await begin('web1');
    await world.runJobs();
    await removeEnvironment(world.stores, 'production');
    expect(await outstanding()).toEqual(NODES);
    await world.runJobs();
    const answer = await answerCheckIn(world.createService({ holdMs: 0 }), checkIn('web1'));
    expect(answer).toMatchObject({ status: 'failed' });
  });

  it('keeps the code of both from being pruned', async () => {
    const begun = await begin('web1');
    const options = { historyKept: 0, keptMs: 0, dryRun: false };
    for (let round = 0; round < 2; round += 1) {
      const pruned = await pruneCode(world.stores, options);
      expect([pruned?.leaving, pruned?.snapshots]).toEqual([[], []]);
    }
    expect(begun?.stage.codeId).not.toBe((await production()).codeId);
  });

  it('needs code before it, and a node', async () => {
    expect(await begin('web1', 'v: 1')).toBeNull();
    await expect(begin('web9,web1')).rejects.toThrow("no catalog was compiled in environment 'production' for web9");
    world.write({ 'environments/fresh/manifests/site.pp': '' });
    const { codeId } = await prepareFolder(world.stores, world.repo, 'fresh');
    const request = { environment: 'fresh', codeId, by: 'jane', canaries: { count: 1 }, plan: createStagePlan({}) };
    await expect(beginStage(request, world.stores)).rejects.toThrow(
      "environment 'fresh' has no code yet: a first deploy has no stage",
    );
    await world.deploy('fresh');
    world.write({ 'environments/fresh/manifests/site.pp': '# new' });
    const next = await prepareFolder(world.stores, world.repo, 'fresh');
    await expect(beginStage({ ...request, ...next }, world.stores)).rejects.toThrow(
      "environment 'fresh' has no node: deploy without canaries",
    );
  });
});
