import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FactsPointer, Grouping, InputSummary } from '../../../shared/store/ports/node-record.ts';
import type {
  CatalogPage,
  Commit,
  GroupedNode,
  LeaseClaim,
  NodeStore,
  NodeSummary,
  WantChange,
} from '../../../shared/store/ports/node-store.ts';
import { NO_INPUTS } from '../../helpers/no-inputs.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const dependenciesOf = (set: string) => ({
  set,
  membership: `member of ${set}`,
  own: { contents: ['data/own.yaml'], kinds: [], keys: {} },
  states: 'states',
  codeId: 'code',
});

const inputs = (more: Partial<InputSummary> = {}): InputSummary => ({
  ...NO_INPUTS,
  facts: { '["os","family"]': 'digest' },
  dependencies: dependenciesOf('set1'),
  collectors: [{ type: 'File', query: ['tag', '==', 'x'] }],
  collected: 'none',
  ...more,
});

const commitOf = (certname: string, generation: number, more: Partial<Commit> = {}): Commit => ({
  certname,
  generation,
  catalog: { hash: `h${generation}`, codeId: 'code', namedCode: [], compiledAt: 5, durationMs: 6, exported: 'e' },
  failure: null,
  inputs: inputs(),
  at: 5000 + generation,
  ...more,
});

const isGranted = (claim: LeaseClaim) => typeof claim === 'object' && 'node' in claim;

/** Begins the outstanding compile, without keeping the lease. */
async function start(nodes: NodeStore, certname: string): Promise<void> {
  expect(await nodes.lease(certname, 1, 2, 'starter')).toSatisfy(isGranted);
  await nodes.release(certname, 2);
}

describeStores('NodeStore', (open) => {
  let nodes: NodeStore;
  let certname: string;
  let count = 0;
  beforeAll(async () => {
    nodes = (await open()).nodes;
  });
  beforeEach(() => {
    count += 1;
    certname = `node${count}.example.com`;
  });

  it('creates a node when it is seen, and keeps its environment when it is seen again', async () => {
    expect(await nodes.get(certname)).toBeNull();
    const created = await nodes.markSeen(certname, 'production', 1000);
    expect(created).toEqual({
      certname,
      environment: 'production',
      wanted: 0,
      started: 0,
      built: 0,
      revision: null,
      reasons: [],
      wantedAt: 1000,
      asked: { generation: 0, at: 0, waiting: false },
      classification: null,
      grouping: null,
      external: null,
      catalog: null,
      failure: null,
      inputs: null,
      facts: null,
      checkedFacts: null,
      version: 0,
      lastSeen: 1000,
      ringPosition: 1000,
      compiles: 0,
      verifications: 0,
    });
    const again = await nodes.markSeen(certname, 'staging', 2000);
    expect(again).toEqual({ ...created, lastSeen: 2000 });
    expect(await nodes.get(certname)).toEqual(again);
  });

  it('raises wanted with its reason, environment and facts', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    const facts = { digest: 'f', at: 2000 };
    const wanted = await nodes.want(certname, 'environment', 2000, { environment: 'staging', facts, asked: true });
    expect(wanted).toMatchObject({
      wanted: 1,
      built: 0,
      reasons: ['environment'],
      wantedAt: 2000,
      environment: 'staging',
      facts,
    });
    expect(wanted?.asked).toEqual({ generation: 1, at: 2000, waiting: false });
    await start(nodes, certname);
    const quiet = await nodes.want(certname, 'ring', 3000, { asked: false });
    expect(quiet).toMatchObject({ wanted: 2, reasons: ['environment', 'ring'], facts, asked: { generation: 1 } });
    expect(quiet?.isJobDue).toBe(false);
  });

  describe('a reason for a node', () => {
    const want = (at: number, change: Partial<WantChange> = {}) =>
      nodes.want(certname, `at ${at}`, at, { asked: true, ...change });
    beforeEach(async () => {
      await nodes.markSeen(certname, 'production', 1000);
      expect(await want(2000)).toMatchObject({ wanted: 1, isJobDue: true });
    });

    it('adds nothing but its text while the outstanding compile has not started', async () => {
      const before = await nodes.get(certname);
      const facts = { digest: 'f', at: 2100 };
      const after = await want(2100, { environment: 'staging', facts });
      expect(after).toEqual({
        ...before,
        version: 2,
        reasons: ['at 2000', 'at 2100'],
        environment: 'staging',
        facts,
        isJobDue: false,
        isUpgrade: false,
      });
      expect((await nodes.listOutstanding(2001, 10)).map((node) => node.certname)).toContain(certname);
    });

    it('gives a compile that has started exactly one more, by the worker that is at it', async () => {
      expect(await nodes.lease(certname, 3000, 9000, 'a')).toMatchObject({ node: { wanted: 1, started: 1 } });
      expect(await want(3100)).toMatchObject({ wanted: 2, started: 1, isJobDue: false });
      expect(await want(3200)).toMatchObject({ wanted: 2, started: 1, isJobDue: false });
      await nodes.commit(commitOf(certname, 1));
      expect(await nodes.finishRound(certname, 9000)).toMatchObject({
        wanted: 2,
        started: 2,
        built: 1,
        asked: { generation: 2, at: 2000 },
      });
      expect(await want(3300)).toMatchObject({ wanted: 3, isJobDue: false });
    });

    it('needs a job when no worker has a lease and the node is built', async () => {
      await nodes.lease(certname, 3000, 9000, 'a');
      await nodes.commit(commitOf(certname, 1));
      expect(await nodes.finishRound(certname, 9000)).toBeNull();
      expect(await want(4000)).toMatchObject({
        wanted: 2,
        isJobDue: true,
        asked: { generation: 2, at: 4000, waiting: false },
      });
    });

    it('relies on the job of a worker that failed, which is received again', async () => {
      await nodes.lease(certname, 3000, 9000, 'a');
      await nodes.release(certname, 9000);
      expect(await want(4000)).toMatchObject({ wanted: 2, isJobDue: false, asked: { generation: 2, at: 2000 } });
    });

    it('needs a job when a worker died before the round that was to serve an earlier one', async () => {
      await nodes.lease(certname, 3000, 9000, 'a');
      await nodes.commit(commitOf(certname, 1));
      expect(await want(3100)).toMatchObject({ wanted: 2, isJobDue: false, asked: { generation: 1 } });
      expect(await want(9001)).toMatchObject({ wanted: 2, isJobDue: true, asked: { generation: 2, at: 9001 } });
      expect(await want(9002)).toMatchObject({ wanted: 2, isJobDue: false });
    });

    it('that waits needs a job with priority, once', async () => {
      expect(await want(2100, { waiting: true })).toMatchObject({
        wanted: 1,
        isJobDue: true,
        isUpgrade: true,
        asked: { generation: 1, at: 2100, waiting: true },
      });
      expect(await want(2200, { waiting: true })).toMatchObject({ wanted: 1, isJobDue: false, isUpgrade: false });
      expect(await want(2300)).toMatchObject({ wanted: 1, isJobDue: false, asked: { at: 2100, waiting: true } });
    });

    it('that waits needs the only job when the last one could not be sent', async () => {
      await nodes.unask(certname, 1);
      expect(await want(2100, { waiting: true })).toMatchObject({ wanted: 1, isJobDue: true, isUpgrade: false });
    });

    it('needs a job when the last one could not be sent', async () => {
      await nodes.unask(certname, 1);
      expect((await nodes.listOutstanding(1, 1000)).map((node) => node.certname)).toContain(certname);
      expect(await want(2500)).toMatchObject({ wanted: 1, isJobDue: true, asked: { generation: 1, at: 2500 } });
      await nodes.unask(certname, 7);
      expect(await want(2600)).toMatchObject({ isJobDue: false });
    });

    it('does not rely on a job that is received later, unless it may wait, too', async () => {
      await nodes.ask(certname, 1, 50_000, 50_000);
      expect(await want(2600, { mayWait: true })).toMatchObject({ isJobDue: false, asked: { at: 50_000 } });
      expect(await want(2700)).toMatchObject({ wanted: 1, isJobDue: true, asked: { generation: 1, at: 2700 } });
      expect(await want(2800, { mayWait: true })).toMatchObject({ isJobDue: false });
    });

    it('is told of a revision once; its job is due again until the compile starts', async () => {
      expect(await want(2100, { revision: 'r1' })).toMatchObject({ wanted: 1, isJobDue: false });
      const told = await nodes.get(certname);
      expect(await want(2200, { revision: 'r1' })).toEqual({ ...told, isJobDue: true, isUpgrade: false });
      await nodes.lease(certname, 3000, 9000, 'a');
      expect(await want(3100, { revision: 'r1' })).toMatchObject({ wanted: 1, isJobDue: false });
      await nodes.commit(commitOf(certname, 1));
      await nodes.finishRound(certname, 9000);
      expect(await want(4000, { revision: 'r1' })).toMatchObject({ wanted: 1, built: 1, isJobDue: false });
      expect(await want(4100, { revision: 'r2' })).toMatchObject({ wanted: 2, isJobDue: true });
      expect(await nodes.get(certname)).toMatchObject({ reasons: ['at 2000', 'at 2100', 'at 4100'] });
    });
  });

  it('takes the priority of a job back until its compile starts', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    await nodes.want(certname, 'x', 2000, { asked: true, waiting: true });
    expect(await nodes.demote(certname, 1)).toBe(true);
    expect((await nodes.get(certname))?.asked).toEqual({ generation: 1, at: 2000, waiting: false });
    expect(await nodes.demote(certname, 1)).toBe(false);
    expect(await nodes.ask(certname, 1, 2100, 0, true)).toEqual({ generation: 1, at: 2000, waiting: false });
    await start(nodes, certname);
    expect(await nodes.demote(certname, 1)).toBe(false);
    expect(await nodes.demote('nobody', 1)).toBe(false);
  });

  it('wants nothing of a node that is not there', async () => {
    expect(await nodes.want(certname, 'x', 1, { asked: true })).toBeNull();
    expect(await nodes.get(certname)).toBeNull();
  });

  it('lets one of several callers that expect the same raise wanted', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    const want = () => nodes.want(certname, 'check-in', 2000, { asked: true, expected: 0 });
    const results = await Promise.all([want(), want(), want()]);
    expect(results.filter((node) => node !== null)).toHaveLength(1);
    expect((await nodes.get(certname))?.wanted).toBe(1);
  });

  it('raises the version of a record when what it says of the node changes', async () => {
    const first = await nodes.markSeen(certname, 'production', 1000);
    const versions = [first.version];
    const note = async (write: () => Promise<unknown>) => {
      await write();
      versions.push((await nodes.get(certname))?.version ?? -1);
    };
    const facts = { digest: 'f', at: 1000 };
    const grouping: Grouping = { state: 's', classification: null, values: {}, paths: [], at: 1000 };
    await note(() => nodes.want(certname, 'first', 1000, { asked: true, facts }));
    await note(() => nodes.want(certname, 'while it waits', 1001, { asked: true }));
    await note(() => nodes.factsStored(certname, { digest: 'g', at: 2000 }));
    await note(() => nodes.noteGrouping(certname, grouping, 3));
    await note(() => nodes.classify(certname, null, 'pushed', 3000));
    await note(() => nodes.ask(certname, 1, 4000, 4000));
    await note(() => nodes.lease(certname, 5000, 6000, null));
    await note(() => nodes.commit(commitOf(certname, 1)));
    expect(versions).toEqual([0, 1, 2, 3, 4, 5, 5, 5, 5]);
    expect(await nodes.want(certname, 'late', 7000, { asked: true, version: 4 })).toBeNull();
    expect(await nodes.noteGrouping(certname, grouping, 4)).toBe(false);
    expect(await nodes.want(certname, 'in time', 7000, { asked: true, version: 5 })).toMatchObject({ version: 6 });
  });

  it('takes the reasons of callers at the same time, and keeps the latest 20', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    await Promise.all(Array.from({ length: 50 }, (_, n) => nodes.want(certname, `reason ${n}`, 2000, { asked: true })));
    const node = await nodes.want(certname, 'last', 2001, { asked: true });
    expect(node?.wanted).toBe(1);
    const reasons = (await nodes.get(certname))?.reasons;
    expect(reasons).toHaveLength(20);
    expect(reasons?.at(-1)).toBe('last');
  });

  it('keeps long reasons short', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    const node = await nodes.want(certname, `fact ${'x'.repeat(100_000)} changed`, 1000, { asked: false });
    expect(node?.reasons).toEqual([`fact ${'x'.repeat(495)}...`]);
  });

  it('lets one caller ask for a generation, and another one when that is long ago', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    await nodes.want(certname, 'x', 1000, { asked: false });
    const asks = await Promise.all([1, 2, 3].map(() => nodes.ask(certname, 1, 2000, 1500)));
    expect(asks.filter((before) => before !== null)).toEqual([{ generation: 0, at: 0, waiting: false }]);
    expect(await nodes.ask(certname, 1, 2100, 1999)).toBeNull();
    expect(await nodes.ask(certname, 1, 9000, 8000)).toEqual({ generation: 1, at: 2000, waiting: false });
    expect(await nodes.ask(certname, 2, 9001, 0)).toEqual({ generation: 1, at: 9000, waiting: false });
    expect(await nodes.ask('nobody', 1, 1, 1)).toBeNull();
  });

  it('lets the first one for whom a node waits ask again, ahead of the others', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    await nodes.want(certname, 'environment production deployed', 1000, { asked: true });
    expect(await nodes.ask(certname, 1, 1100, 0)).toBeNull();
    expect(await nodes.ask(certname, 1, 1100, 0, true)).toEqual({ generation: 1, at: 1000, waiting: false });
    expect(await nodes.ask(certname, 1, 1200, 0, true)).toBeNull();
    expect((await nodes.get(certname))?.asked).toEqual({ generation: 1, at: 1100, waiting: true });
    await start(nodes, certname);
    await nodes.commit(commitOf(certname, 1));
    await nodes.want(certname, 'fact x changed', 1300, { asked: true, waiting: true });
    expect(await nodes.ask(certname, 2, 1400, 0, true)).toBeNull();
    await start(nodes, certname);
    await nodes.commit(commitOf(certname, 2));
    await nodes.want(certname, 'environment production deployed', 1500, { asked: true });
    expect(await nodes.ask(certname, 3, 1600, 0, true)).toEqual({ generation: 3, at: 1500, waiting: false });
  });

  it('classifies nodes: new ones quietly, those that were compiled with a reason to compile', async () => {
    const web = { classes: { web: { port: 80 }, ntp: null }, parameters: { tier: 'gold' }, environment: 'staging' };
    const created = await nodes.classify(certname, web, 'classification changed', 1000);
    expect(created).toMatchObject({ classification: web, wanted: 0, environment: 'production', lastSeen: 1000 });
    await nodes.want(certname, 'first catalog', 2000, { asked: true });
    expect(await nodes.get(certname)).toMatchObject({ classification: web, wanted: 1 });
    await start(nodes, certname);
    await nodes.commit(commitOf(certname, 1));
    const plain = { classes: ['ntp'], parameters: {}, environment: null };
    const changed = await nodes.classify(certname, plain, 'classification changed', 3000);
    expect(changed).toMatchObject({
      classification: plain,
      wanted: 2,
      reasons: ['first catalog', 'classification changed'],
      asked: { generation: 2, at: 3000, waiting: false },
      isJobDue: true,
    });
    expect(await nodes.classify(certname, null, 'classification taken away', 4000)).toMatchObject({
      classification: null,
      wanted: 2,
      isJobDue: false,
    });
  });

  it('loses no reason and no classification when many classify at once', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    const one = (n: number) => ({ classes: [`c${n}`], parameters: {}, environment: null });
    await nodes.want(certname, 'x', 1000, { asked: true });
    await Promise.all([0, 1, 2, 3].map((n) => nodes.classify(certname, one(n), `c${n}`, 2000)));
    const node = await nodes.get(certname);
    expect(node?.reasons.toSorted()).toEqual(['c0', 'c1', 'c2', 'c3', 'x']);
    expect(node?.classification?.classes).toEqual([node?.reasons.at(-1)]);
  });

  it('lets one caller at a time compile a node, and tells the others until when', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    await nodes.want(certname, 'x', 1000, { asked: true });
    const leases = await Promise.all([3001, 3002, 3003].map((until) => nodes.lease(certname, 2000, until, `${until}`)));
    expect(leases.filter(isGranted)).toHaveLength(1);
    const until = 3001 + leases.findIndex(isGranted);
    for (const claim of leases) if (!isGranted(claim)) expect(claim).toEqual({ heldUntil: until });
    expect(await nodes.lease(certname, 3000, 4000, 'x')).toEqual({ heldUntil: until });
    expect(await nodes.lease(certname, 3000, 4000, null)).toEqual({ heldUntil: until });
    expect(await nodes.finishRound(certname, until)).toMatchObject({ wanted: 1, started: 1, built: 0 });
    await nodes.want(certname, 'y', 1000, { asked: true });
    await nodes.commit(commitOf(certname, 1));
    expect(await nodes.finishRound(certname, until)).toMatchObject({ wanted: 2, started: 2, built: 1 });
    expect(await nodes.lease(certname, 3000, 4000, 'x')).toEqual({ heldUntil: until });
    await nodes.commit(commitOf(certname, 2));
    expect(await nodes.finishRound(certname, until)).toBeNull();
    expect(await nodes.lease(certname, 3000, 4000, 'x')).toBe('built');
  });

  it('gives a lease away once it is over, or given back', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    await nodes.want(certname, 'x', 1000, { asked: true });
    expect(await nodes.lease(certname, 2000, 3000, 'a')).toSatisfy(isGranted);
    expect(await nodes.lease(certname, 3000, 4000, 'b')).toSatisfy(isGranted);
    expect(await nodes.finishRound(certname, 3000)).toBeNull();
    await nodes.release(certname, 3000);
    expect(await nodes.lease(certname, 3500, 4500, 'a')).toEqual({ heldUntil: 4000 });
    await nodes.release(certname, 4000);
    expect(await nodes.lease(certname, 3500, 4500, 'a')).toSatisfy(isGranted);
    expect(await nodes.lease('nobody', 1, 2, 'a')).toBe('built');
    expect(await nodes.finishRound('nobody', 2)).toBeNull();
  });

  it('gives a lease to its own job again, and to no other', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    await nodes.want(certname, 'x', 1000, { asked: true });
    expect(await nodes.lease(certname, 2000, 3000, 'a')).toSatisfy(isGranted);
    expect(await nodes.lease(certname, 2500, 3500, 'a')).toSatisfy(isGranted);
    expect(await nodes.lease(certname, 2600, 3600, 'b')).toEqual({ heldUntil: 3500 });
    await nodes.release(certname, 3500);
    expect(await nodes.lease(certname, 2700, 3700, null)).toSatisfy(isGranted);
    expect(await nodes.lease(certname, 2800, 3800, null)).toEqual({ heldUntil: 3700 });
  });

  it.each([
    ['a', false, true],
    ['b', false, false],
    ['a', true, false],
  ])(
    'of a job that has nothing to do: by %s, with a reason that came %s, it ends: %s',
    async (holder, isWanted, isEnded) => {
      await nodes.markSeen(certname, 'production', 1000);
      await nodes.want(certname, 'x', 1000, { asked: true });
      await nodes.lease(certname, 2000, 9000, 'a');
      await nodes.commit(commitOf(certname, 1));
      if (isWanted) await nodes.want(certname, 'y', 3000, { asked: true });
      await nodes.endLease(certname, holder);
      await nodes.want(certname, 'z', 3000, { asked: true });
      const claim = await nodes.lease(certname, 3000, 9500, 'c');
      if (isEnded) expect(claim).toSatisfy(isGranted);
      else expect(claim).toEqual({ heldUntil: 9000 });
      await nodes.endLease('nobody', 'a');
      expect(await nodes.get('nobody')).toBeNull();
    },
  );

  it('keeps facts that are stored without a reason', async () => {
    await nodes.markSeen(certname, 'production', 1000);
    await nodes.factsStored(certname, { digest: 'f', at: 7 });
    expect(await nodes.get(certname)).toMatchObject({ facts: { digest: 'f', at: 7 }, wanted: 0 });
    expect(await nodes.factsStored(certname, { digest: 'g', at: 8 }, 0)).toBe(false);
    expect(await nodes.get(certname)).toMatchObject({ facts: { digest: 'f', at: 7 }, version: 1 });
    expect(await nodes.factsStored(certname, { digest: 'g', at: 8 }, 1)).toBe(true);
    expect(await nodes.get(certname)).toMatchObject({ facts: { digest: 'g', at: 8 }, version: 2 });
  });

  describe('commit', () => {
    beforeEach(async () => {
      await nodes.markSeen(certname, 'production', 1000);
      for (const reason of ['one', 'two', 'three']) {
        await nodes.want(certname, reason, 2000, { asked: true });
        await start(nodes, certname);
      }
    });

    it('writes catalog, inputs and place in the ring', async () => {
      expect(await nodes.commit(commitOf(certname, 3, { revision: 'r1' }))).toBe(true);
      const { catalog, at } = commitOf(certname, 3);
      expect(await nodes.get(certname)).toMatchObject({
        built: 3,
        wanted: 3,
        catalog,
        failure: null,
        inputs: inputs(),
        revision: 'r1',
        ringPosition: at,
        compiles: 1,
      });
    });

    it('does not let an older compile, or the same one again, write over a newer one', async () => {
      expect(await nodes.commit(commitOf(certname, 2))).toBe(true);
      const before = await nodes.get(certname);
      expect(await nodes.commit(commitOf(certname, 2, { at: 9999 }))).toBe(false);
      expect(await nodes.commit(commitOf(certname, 1))).toBe(false);
      expect(await nodes.get(certname)).toEqual(before);
      expect(await nodes.commit(commitOf(certname, 3))).toBe(true);
    });

    it('commits one of several at the same generation', async () => {
      const results = await Promise.all([1, 2, 3].map((at) => nodes.commit(commitOf(certname, 3, { at }))));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await nodes.get(certname))?.compiles).toBe(1);
    });

    it('does not commit what was never wanted, nor for a node that is gone', async () => {
      expect(await nodes.commit(commitOf(certname, 4))).toBe(false);
      expect(await nodes.commit(commitOf('nobody', 1))).toBe(false);
      expect(await nodes.get('nobody')).toBeNull();
    });

    it('keeps the last good catalog beside a failure, and drops the failure with the next good one', async () => {
      const failure = { message: 'Error while evaluating', at: 5, codeId: 'code' };
      await nodes.commit(commitOf(certname, 1));
      await nodes.commit(
        commitOf(certname, 2, { catalog: null, failure, inputs: inputs({ dependencies: dependenciesOf('set2') }) }),
      );
      expect(await nodes.get(certname)).toMatchObject({
        built: 2,
        catalog: { hash: 'h1' },
        failure,
        inputs: { dependencies: dependenciesOf('set2') },
      });
      await nodes.commit(commitOf(certname, 3));
      expect(await nodes.get(certname)).toMatchObject({ built: 3, catalog: { hash: 'h3' }, failure: null });
    });

    it('takes a verified node as built, but never backwards', async () => {
      await nodes.commit(commitOf(certname, 2));
      expect(await nodes.markVerified(certname, 3, 7000, { revision: 'r2' })).toBe(true);
      expect(await nodes.get(certname)).toMatchObject({
        built: 3,
        ringPosition: 7000,
        revision: 'r2',
        verifications: 1,
        compiles: 1,
      });
      expect(await nodes.markVerified(certname, 3, 8000)).toBe(true);
      expect((await nodes.get(certname))?.revision).toBeNull();
      expect(await nodes.markVerified(certname, 2, 9000)).toBe(false);
      expect(await nodes.get(certname)).toMatchObject({ built: 3, ringPosition: 8000, verifications: 2 });
    });

    it('takes no node as built that was committed since it was read', async () => {
      await nodes.commit(commitOf(certname, 2));
      expect(await nodes.markVerified(certname, 3, 7000, { built: 1 })).toBe(false);
      expect(await nodes.get(certname)).toMatchObject({ built: 2, verifications: 0 });
      expect(await nodes.markVerified(certname, 3, 7000, { built: 2 })).toBe(true);
    });

    it('has the facts that a node was compiled or verified with', async () => {
      const checked = async () => (await nodes.get(certname))?.checkedFacts;
      await nodes.commit(commitOf(certname, 1, { facts: 'f1' }));
      expect(await checked()).toBe('f1');
      await nodes.markVerified(certname, 1, 7000);
      expect(await checked()).toBe('f1');
      await nodes.markVerified(certname, 1, 7000, { facts: 'f2' });
      expect(await checked()).toBe('f2');
      await nodes.markVerified(certname, 1, 7000, { facts: null });
      expect(await checked()).toBeNull();
      await nodes.markVerified(certname, 1, 7000, { facts: 'f3' });
      await nodes.commit(commitOf(certname, 2));
      expect(await checked()).toBeNull();
    });
  });
});

describeStores('NodeStore: the ring', (open) => {
  let nodes: NodeStore;
  beforeAll(async () => {
    nodes = (await open()).nodes;
    for (let n = 0; n < 30; n += 1) await nodes.markSeen(`n${n}`, 'production', 1000 + ((n * 7) % 30));
  });
  const ringOf = async (limit: number, before: number) =>
    (await nodes.listRing(limit, before)).map((one) => one.certname);

  it('is ordered by the last compile, verification or feeding', async () => {
    const all = await nodes.listRing(100, 5000);
    expect(all.map(({ ringPosition }) => ringPosition)).toEqual(Array.from({ length: 30 }, (_, n) => 1000 + n));
    const [first, second] = all;
    expect(await ringOf(2, 5000)).toEqual([first?.certname, second?.certname]);
    expect(await ringOf(10, 1002)).toEqual([first?.certname, second?.certname]);
  });

  it('moves a node that was fed to the end, once', async () => {
    const [first, second] = await nodes.listRing(2, 5000);
    expect(await nodes.moveToRingEnd(first?.certname ?? '', first?.ringPosition ?? 0, 3000)).toBe(true);
    expect(await nodes.moveToRingEnd(first?.certname ?? '', first?.ringPosition ?? 0, 3001)).toBe(false);
    expect((await ringOf(1, 5000))[0]).toBe(second?.certname);
    expect((await ringOf(100, 5000)).at(-1)).toBe(first?.certname);
  });

  it('shows nodes that are outstanding for long, until they are asked for or built', async () => {
    await nodes.want('n1', 'x', 2000, { asked: true });
    await nodes.want('n2', 'x', 2001, { asked: false });
    await nodes.want('n3', 'x', 2900, { asked: true });
    const outstanding = async (before: number) => (await nodes.listOutstanding(before, 10)).map((one) => one.certname);
    expect(await outstanding(2500)).toEqual(['n1', 'n2']);
    expect(await outstanding(3000)).toEqual(['n1', 'n2', 'n3']);
    expect((await nodes.getCounts()).outstanding).toBe(3);
    await nodes.ask('n1', 1, 2950, 2500);
    expect(await outstanding(2500)).toEqual(['n2']);
    await nodes.markVerified('n2', 1, 3000);
    await nodes.commit(commitOf('n3', 1));
    expect(await outstanding(3000)).toEqual(['n1']);
    await start(nodes, 'n1');
    await nodes.want('n1', 'y', 2960, { asked: true });
    await nodes.commit(commitOf('n1', 1));
    expect(await outstanding(3000)).toEqual(['n1']);
    expect((await nodes.getCounts()).outstanding).toBe(1);
  });

  it('lists all nodes page by page', async () => {
    const names: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await nodes.list(after, 7);
      names.push(...page.map(({ certname }) => certname));
      if (page.length < 7) break;
      after = page.at(-1)?.certname ?? null;
    }
    expect(names.sort()).toEqual(Array.from({ length: 30 }, (_, n) => `n${n}`).sort());
  });

  it('deletes a node', async () => {
    await nodes.delete('n29');
    await nodes.delete('n29');
    expect(await nodes.get('n29')).toBeNull();
    expect(await ringOf(100, 9999)).not.toContain('n29');
  });
});

describeStores('NodeStore: catalogs', (open) => {
  it('lists the catalogs and facts of all nodes that have any, page by page', async () => {
    const { nodes } = await open();
    for (let n = 0; n < 7; n += 1) {
      await nodes.markSeen(`n${n}`, 'production', 1000);
      await nodes.want(`n${n}`, 'first catalog', 1000, { asked: true });
      if (n % 3 > 0) await nodes.commit(commitOf(`n${n}`, 1));
    }
    const pointer: FactsPointer = { digest: 'd', at: 1000, stable: 's' };
    await nodes.factsStored('n0', pointer);
    const pointers: unknown[] = [];
    const facts: unknown[] = [];
    for (let after: string | null = null; ; ) {
      const { catalogs, facts: named, next }: CatalogPage = await nodes.listCatalogs(after, 2);
      expect(catalogs.length).toBeLessThanOrEqual(2);
      pointers.push(...catalogs);
      facts.push(...named);
      if (next === null) break;
      after = next;
    }
    const { catalog } = commitOf('', 1);
    expect(pointers).toEqual([catalog, catalog, catalog, catalog]);
    expect(facts).toEqual([{ certname: 'n0', ...pointer }]);
  });
});

describeStores('NodeStore: groupings', (open) => {
  const grouping: Grouping = {
    state: 'a'.repeat(64),
    classification: { classes: { web: { port: 80 } }, parameters: { zone: 'a' }, environment: null },
    values: { '["fact","tier"]': 'web', '["fact","cpus"]': 4 },
    paths: ['["fact","tier"]', '["fact","cpus"]', '["fact","absent"]'],
    at: 1000,
  };
  const external = { classes: ['web'], parameters: {}, environment: 'staging', failure: 'x' };

  it('keeps what groups and an external classifier say, with a reason or without', async () => {
    const { nodes } = await open();
    await nodes.markSeen('a', 'production', 1000);
    await nodes.want('a', 'first catalog', 1000, { asked: true, grouping, external });
    expect(await nodes.get('a')).toMatchObject({ wanted: 1, grouping, external, classification: null });
    await nodes.want('a', 'another', 1001, { asked: true });
    expect(await nodes.get('a')).toMatchObject({ grouping, external });
    const later = { ...grouping, values: null, classification: null, at: 2000 };
    expect(await nodes.noteGrouping('a', later, 7)).toBe(false);
    expect(await nodes.noteGrouping('a', later, 2)).toBe(true);
    expect(await nodes.get('a')).toMatchObject({ wanted: 1, grouping: later });
    await nodes.want('a', 'gone', 1002, { asked: true, grouping: null, external: null });
    expect(await nodes.get('a')).toMatchObject({ grouping: null, external: null });
    expect(await nodes.noteGrouping('nowhere', later, 0)).toBe(false);
    expect(await nodes.get('nowhere')).toBeNull();
  });

  it('lists them page by page', async () => {
    const { nodes } = await open();
    for (const name of ['a', 'b', 'c']) await nodes.markSeen(name, 'production', 1000);
    await nodes.noteGrouping('b', grouping, 0);
    const facts: FactsPointer = { digest: 'b'.repeat(64), at: 1000 };
    await nodes.factsStored('b', facts);
    await nodes.classify('c', { classes: [], parameters: {}, environment: null }, 'pushed', 1000);
    const found: GroupedNode[] = [];
    for (let after: string | null = null; ; ) {
      const page: readonly GroupedNode[] = await nodes.listGroupings(after, 2);
      found.push(...page);
      if (page.length < 2) break;
      after = page.at(-1)?.certname ?? null;
    }
    expect(found.toSorted((a, b) => (a.certname < b.certname ? -1 : 1))).toEqual([
      { certname: 'a', wanted: 0, version: 0, grouping: null, facts: null, isPushed: false },
      { certname: 'b', wanted: 0, version: 2, grouping, facts, isPushed: false },
      { certname: 'c', wanted: 0, version: 1, grouping: null, facts: null, isPushed: true },
    ]);
  });
});

describeStores('NodeStore: summaries', (open) => {
  it('lists what a list shows of all nodes, page by page, and the names of outstanding ones', async () => {
    const { nodes } = await open();
    for (const name of ['a', 'b', 'c']) {
      await nodes.markSeen(name, 'production', 1000);
      if (name !== 'c') await nodes.want(name, 'first catalog', 1000, { asked: true });
    }
    const { inputs } = commitOf('a', 1);
    await nodes.commit({ ...commitOf('a', 1), inputs: { ...inputs, volatile: ['time() at site.pp:1'] } });
    await nodes.want('a', 'facts changed', 1000, { asked: true });
    const failure = { message: 'x'.repeat(300), at: 7, codeId: null };
    await nodes.commit({ ...commitOf('b', 1), catalog: null, failure });
    const found: NodeSummary[] = [];
    for (let after: string | null = null; ; ) {
      const page: readonly NodeSummary[] = await nodes.listSummaries(after, 2);
      found.push(...page);
      if (page.length < 2) break;
      after = page.at(-1)?.certname ?? null;
    }
    const common = { environment: 'production', lastSeen: 1000, compiledAt: null, failure: null, isVolatile: false };
    const { compiledAt } = commitOf('a', 1).catalog ?? { compiledAt: 0 };
    expect(found.toSorted((a, b) => (a.certname < b.certname ? -1 : 1))).toEqual([
      { ...common, certname: 'a', wanted: 2, built: 1, compiledAt, isVolatile: true },
      { ...common, certname: 'b', wanted: 1, built: 1, failure: 'x'.repeat(200) },
      { ...common, certname: 'c', wanted: 0, built: 0 },
    ]);
    expect(await nodes.listOutstandingNames(10)).toEqual(['a']);
    const some = await nodes.getSummaries(['c', 'gone', 'b']);
    expect(some.toSorted((a, b) => (a.certname < b.certname ? -1 : 1))).toEqual(
      found.filter(({ certname }) => certname !== 'a').toSorted((a, b) => (a.certname < b.certname ? -1 : 1)),
    );
    expect(await nodes.getSummaries([])).toEqual([]);
  });

  it('lists what came into an index since a time, and says whether there is more', async () => {
    const { nodes } = await open();
    const names = Array.from({ length: 60 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    for (const [index, name] of names.entries()) await nodes.markSeen(name, 'production', 1000 + index);
    const marks = names.map((certname, index) => ({ certname, at: 1000 + index }));
    expect(await nodes.listMarks('ring', 1000, 60)).toEqual({ marks, hasMore: false });
    expect(await nodes.listMarks('ring', 1058, 60)).toEqual({ marks: marks.slice(58), hasMore: false });
    const first = await nodes.listMarks('ring', 1000, 10);
    expect([first.hasMore, first.marks.length > 0]).toEqual([true, true]);
    expect(first.marks).toEqual(marks.slice(0, first.marks.length));
    await nodes.want('n07', 'facts changed', 2000, { asked: true });
    await nodes.commit({ ...commitOf('n09', 1), at: 3000 });
    await nodes.want('n09', 'first catalog', 2500, { asked: true });
    await nodes.commit({ ...commitOf('n09', 1), at: 3000 });
    expect(await nodes.listMarks('outstanding', 0, 10)).toEqual({
      marks: [{ certname: 'n07', at: 2000 }],
      hasMore: false,
    });
    expect(await nodes.listMarks('ring', 1059, 10)).toEqual({
      marks: [
        { certname: 'n59', at: 1059 },
        { certname: 'n09', at: 3000 },
      ],
      hasMore: false,
    });
  });
});
