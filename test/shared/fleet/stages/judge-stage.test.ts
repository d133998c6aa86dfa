import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Author } from '../../../../shared/access/accounts/account.ts';
import { createToken, revokeToken } from '../../../../shared/access/tokens/deploy-tokens.ts';
import { catalogUuid } from '../../../../shared/fleet/catalogs/catalog-blob.ts';
import { purgeNode } from '../../../../shared/fleet/code/purge-node.ts';
import { abortStage } from '../../../../shared/fleet/fan-out/end-stage.ts';
import { storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { beginStage } from '../../../../shared/fleet/stages/begin-stage.ts';
import { describeOutcome, judgeStage, judgeStages } from '../../../../shared/fleet/stages/judge-stage.ts';
import { type CanaryProgress, lookAtCanaries } from '../../../../shared/fleet/stages/look-at-canaries.ts';
import { createStagePlan, type StageOptions } from '../../../../shared/fleet/stages/stage-plan.ts';
import { readStageCounts } from '../../../../shared/fleet/stages/stage-progress.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { openAccessWorld } from '../../../helpers/access-world.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';
import { prepareFolder } from '../../../helpers/deploy-folder.ts';
import { intercept } from '../../../helpers/intercept.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const NODES = ['web1', 'web2', 'web3', 'web4'];
const DATA = 'environments/production/data/web.yaml';
const MINUTE = 60_000;
let world: CompileWorld;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  world = new CompileWorld(clock);
  world.write({ [DATA]: 'v: 1' });
  for (const name of NODES) world.addScript(name, { files: ['data/web.yaml'] });
  await world.deploy();
  for (const name of NODES) await world.stores.nodes.markSeen(name, 'production', clock.now());
  for (const name of NODES) await world.createService().accept(checkIn(name, {}, { isAwaited: false }));
  await world.runJobs();
  for (const name of NODES) await report(name, {});
  clock.time += MINUTE;
});
afterEach(() => world.close());

interface Run {
  readonly status?: string;
  readonly failed?: number;
  readonly changed?: number;
}

/** A report of a run with the node's present catalog, a moment from now. */
async function report(certname: string, { status = 'changed', failed = 0, changed = 0 }: Run): Promise<void> {
  clock.time += 1000;
  const catalog = (await world.stores.nodes.get(certname))?.catalog;
  const resources = {
    values: [
      ['failed', 'Failed', failed],
      ['changed', 'Changed', changed],
    ],
  };
  const summary = {
    certname,
    receivedAt: clock.now(),
    status,
    environment: 'production',
    time: new Date(clock.now() - 500).toISOString(),
    puppetVersion: '8.10.0',
    transactionUuid: `${certname}-${clock.now()}`,
    ...(catalog ? { catalogUuid: catalogUuid(catalog.hash) } : {}),
    noop: false,
    ...(changed > 0 ? { changes: { corrective: 0, intentional: changed } } : {}),
  };
  const body = gzipSync(JSON.stringify({ status, metrics: { resources } }));
  await storeReport(world.stores, summary, body, { kept: 10, days: 14 });
}

async function begin(
  options: StageOptions = {},
  canaries = ['web1', 'web2'],
  more: Record<string, string> = {},
  author?: Author,
) {
  world.write({ [DATA]: 'v: 2', ...more });
  const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
  const request = {
    environment: 'production',
    codeId,
    by: 'jane',
    canaries: { nodes: canaries },
    ...(author && { author }),
  };
  await beginStage({ ...request, plan: createStagePlan(options) }, world.stores);
  await world.runJobs();
  clock.time += MINUTE;
}
const judge = async () => (await judgeStages(world.stores, true)).map(describeOutcome);
const production = async () => {
  const record = await world.stores.environments.get('production');
  if (!record) throw new Error('nothing is deployed');
  return record;
};
const statesOf = async () => {
  const record = await production();
  if (!record.stage) throw new Error('no stage');
  const states = await lookAtCanaries(record, record.stage, world.stores);
  return states.map(({ certname, status, reason }) => [certname, status, reason]);
};

describe('a stage', () => {
  it('is held when the user who began it may not deploy any more', async () => {
    const access = openAccessWorld({}, world.stores.documents);
    const { id, login } = await access.addUser('jane', [4]);
    await begin({}, ['web1', 'web2'], {}, { id, login });
    for (const name of ['web1', 'web2']) await report(name, {});
    const jane = await access.access.accounts.getById(id);
    await access.access.accounts.change(jane, (before) => ({ ...before, roleIds: [3] }));
    expect(await judge()).toMatchObject([
      expect.stringContaining(
        'held: 2 of 2 canaries ran, and none is worse; ' +
          'the user jane no longer has the permission environment:deploy_code:production',
      ),
    ]);
    expect((await production()).stage?.held).toBeDefined();
  });

  it.each([
    ['revoked', (id: string) => revokeToken(world.stores, id)],
    ['expired', async () => (clock.time += 60 * MINUTE)],
  ])('is held when the deploy token that began it is %s', async (_, end) => {
    const { id } = await createToken(world.stores, 'secret', 'pipeline', 30 * MINUTE);
    await begin({ minutes: 120 }, ['web1', 'web2'], {}, { id, login: 'pipeline', isToken: true });
    await report('web1', {});
    expect(await judge()).toEqual([]);
    const { stage } = await production();
    expect(stage && (await readStageCounts('production', stage, world.stores))).toEqual({ good: 1, worse: 0 });
    await end(id);
    await report('web2', {});
    expect(await judge()).toMatchObject([expect.stringContaining('; the deploy token of pipeline is gone')]);
    expect((await production()).stage?.held).toBeDefined();
  });

  it('is promoted when all canaries ran as before, and compiles the others alone', async () => {
    await begin();
    expect(await judge()).toEqual([]);
    await report('web1', {});
    expect(await statesOf()).toEqual([
      ['web1', 'good', null],
      ['web2', 'waiting', 'it has not run yet'],
    ]);
    expect(await judge()).toEqual([]);
    await report('web2', {});
    world.compiler.compiled.length = 0;
    const { stage } = await production();
    expect(await judge()).toEqual([
      `staged deploy of production promoted: 2 of 2 canaries ran, and none is worse (code_id ${stage?.codeId.slice(0, 12)}, by jane)`,
    ]);
    await world.runJobs();
    expect(world.compiler.compiled.toSorted()).toEqual(['web3', 'web4']);
    expect(await production()).toMatchObject({ codeId: stage?.codeId, by: 'jane' });
    expect(await judge()).toEqual([]);
  });

  it('is held when a canary fails that did not before, until somebody decides', async () => {
    await begin();
    await report('web1', { status: 'failed', failed: 2 });
    expect(await judge()).toEqual([
      expect.stringMatching(
        /^staged deploy of production held: web1: 2 resources failed, 0 before \(code_id \w{12}, by jane\)$/,
      ),
    ]);
    expect((await production()).stage?.held).toEqual({
      at: clock.now(),
      reason: 'web1: 2 resources failed, 0 before',
      nodes: ['web1'],
    });
    await report('web1', {});
    await report('web2', {});
    const reads = vi.spyOn(world.stores.nodes, 'get');
    expect(await judge()).toEqual([]);
    expect(reads).not.toHaveBeenCalled();
    reads.mockRestore();
    expect(await abortStage('production', world.stores)).toMatchObject({ invalidated: ['web1', 'web2'] });
  });

  it('is not held for a run that fails as the one before', async () => {
    await report('web1', { status: 'failed', failed: 2 });
    clock.time += MINUTE;
    await begin();
    await report('web1', { status: 'failed', failed: 2 });
    await report('web2', {});
    expect(await judge()).toHaveLength(1);
    expect((await production()).stage).toBeUndefined();
  });

  it('takes no report for an answer that is of the catalog before', async () => {
    world.write({ [DATA]: 'v: 2' });
    const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
    const request = { environment: 'production', codeId, by: 'jane', canaries: { nodes: ['web1'] } };
    await beginStage({ ...request, plan: createStagePlan({}) }, world.stores);
    await report('web1', { status: 'failed', failed: 1 });
    await world.runJobs();
    expect(await statesOf()).toEqual([['web1', 'waiting', 'it has not run yet']]);
  });

  it('is taken back by itself when a canary does not compile, if so wanted', async () => {
    const broken = JSON.stringify({ fail: 'no such class' });
    await begin({ whenWorse: 'abort' }, NODES.slice(0, 2), { 'environments/production/manifests/web2.json': broken });
    expect(await statesOf()).toEqual([
      ['web1', 'waiting', 'it has not run yet'],
      ['web2', 'worse', 'no catalog: no such class (file: x.pp, line: 1) on node web2'],
    ]);
    const lines = await judge();
    expect(lines[0]).toMatch(/^staged deploy of production taken back: web2: no catalog: no such class /);
    await world.runJobs();
    expect((await world.stores.nodes.get('web2'))?.failure).toBeNull();
    expect((await production()).stage).toBeUndefined();
  });

  it('counts changed resources when asked', async () => {
    await begin({ countsChanges: true });
    await report('web1', { changed: 1 });
    await judge();
    expect((await production()).stage?.held?.reason).toBe('web1: 1 resource changed, 0 before');
  });

  it.each([
    ['hold', 'held'],
    ['promote', 'promoted'],
    ['abort', 'taken back'],
  ])('is late when not all canaries ran in time: %s', async (whenLate, done) => {
    await begin({ minutes: 30, whenLate });
    await report('web1', {});
    clock.time += 27 * MINUTE;
    expect(await judge()).toEqual([]);
    clock.time += 2 * MINUTE;
    const [line] = await judge();
    expect(line).toContain(`${done}: 1 of 2 canaries ran, and none is worse; the time is over`);
  });

  it('waits for no canary that was purged or uses another environment', async () => {
    world.addScript('web2', {}, 'testing');
    await world.deploy('testing');
    await begin({}, ['web1', 'web2', 'web3']);
    await purgeNode('web1', world.stores);
    await world.createService().accept(checkIn('web2', {}, { environment: 'testing', isAwaited: false }));
    await world.runJobs();
    expect(await statesOf()).toEqual([
      ['web1', 'uncounted', 'it was purged'],
      ['web2', 'uncounted', 'it uses environment testing'],
      ['web3', 'waiting', 'it has not run yet'],
    ]);
    await report('web3', {});
    expect(await judge()).toHaveLength(1);
  });

  it('counts no canary that did not compile before either, and waits for one that does now', async () => {
    const fails = JSON.stringify({ fail: 'no such class' });
    world.write({
      'environments/production/manifests/web1.json': fails,
      'environments/production/manifests/web2.json': fails,
    });
    await world.deploy();
    await world.runJobs();
    clock.time += MINUTE;
    await begin({}, ['web1', 'web2', 'web3'], {
      'environments/production/manifests/web2.json': JSON.stringify({ files: ['data/web.yaml'] }),
    });
    expect(await statesOf()).toEqual([
      ['web1', 'uncounted', 'it failed before, too'],
      ['web2', 'waiting', 'it has not run yet'],
      ['web3', 'waiting', 'it has not run yet'],
    ]);
  });

  it.each([
    ['others', ['web1', 'web3'], 2, ['web2', 'web4']],
    ['fewer others than wanted', ['web1', 'web2', 'web3'], 2, ['web4']],
    ['no others', ['web1', 'web2', 'web3', 'web4'], 4, ['web1', 'web2', 'web3', 'web4']],
  ])('begins without nodes that do not compile while there are %s', async (_, failing, count, canaries) => {
    const fails = JSON.stringify({ fail: 'no such class', files: ['data/web.yaml'] });
    world.write(Object.fromEntries(failing.map((name) => [`environments/production/manifests/${name}.json`, fails])));
    await world.deploy();
    await world.runJobs();
    world.write({ [DATA]: 'v: 2' });
    const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
    const request = { environment: 'production', codeId, by: 'jane', canaries: { count } };
    const begun = await beginStage({ ...request, plan: createStagePlan({}) }, world.stores);
    expect(begun?.stage.canaries).toEqual(canaries);
  });

  it('goes on after a process that began or ended it died', async () => {
    const dead = () => {
      const want = () => Promise.reject(new StoreUnavailable('killed'));
      return { ...world.stores, nodes: intercept(world.stores.nodes, { want }) };
    };
    world.write({ [DATA]: 'v: 2' });
    const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
    const request = { environment: 'production', codeId, by: 'jane', canaries: { nodes: ['web1'] } };
    await expect(beginStage({ ...request, plan: createStagePlan({}) }, dead())).rejects.toThrow('killed');
    expect(await judge()).toEqual([]);
    expect(await world.stores.nodes.listOutstandingNames(10)).toEqual(['web1']);
    await world.runJobs();
    expect((await world.stores.nodes.get('web1'))?.catalog?.codeId).toBe(codeId);
    await expect(abortStage('production', dead())).rejects.toThrow('killed');
    const [line] = await judge();
    expect(line).toContain('staged deploy of production taken back: it had been cut short');
    await world.runJobs();
    expect((await world.stores.nodes.get('web1'))?.catalog?.codeId).not.toBe(codeId);
  });
});

describe('the judge', () => {
  const state = (certname: string, status: CanaryProgress['status']): CanaryProgress => {
    return { certname, status, reason: status === 'worse' ? 'its run failed' : null, isMissed: false };
  };
  const ALL_LATE = 2 * 60 * MINUTE;

  it.each([
    ['nobody ran, too late to promote', ['waiting'], { whenLate: 'promote' }, ALL_LATE, 'hold'],
    ['all are gone', ['uncounted'], {}, ALL_LATE, 'hold'],
    ['all are gone, in time', ['uncounted'], {}, 0, 'wait'],
    ['one is worse, one waits', ['worse', 'waiting'], {}, 0, 'hold'],
    ['all are good', ['good', 'uncounted'], {}, 0, 'promote'],
    ['all are good, by hand', ['good'], { whenGood: 'hold' }, 0, 'hold'],
  ] as const)('decides when %s', (_, statuses, options, age, action) => {
    const states = statuses.map((status, index) => state(`web${index}`, status));
    expect(judgeStage(createStagePlan(options), states, age).action).toBe(action);
  });

  it('names the canaries that are worse', () => {
    const states = ['web1', 'web2'].map((name) => state(name, 'worse'));
    expect(judgeStage(createStagePlan({}), states, 0)).toEqual({
      action: 'hold',
      reason: 'web1: its run failed (2 canaries are worse)',
      nodes: ['web1', 'web2'],
    });
  });
});
