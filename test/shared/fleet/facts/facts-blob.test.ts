import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoredCatalogService } from '../../../../shared/fleet/catalogs/stored-catalog-service.ts';
import { pruneCode } from '../../../../shared/fleet/code/prune-code.ts';
import { purgeNode } from '../../../../shared/fleet/code/purge-node.ts';
import { factsBlobOf, loadFacts, storeFacts, storeTrustedFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { invalidateNodes } from '../../../../shared/fleet/nodes/invalidate-nodes.ts';
import { toPlainJson } from '../../../../shared/puppet/serialization/json.ts';
import { listPages } from '../../../../shared/store/list-pages.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { CompileWorld, checkIn, hashOf } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';
import { LaterClock } from '../../../helpers/later-clock.ts';

const NODE = 'web.example.com';
const HOUR = 3600_000;

let world: CompileWorld;
let clock: LaterClock;
beforeEach(async () => {
  clock = new LaterClock();
  world = new CompileWorld(clock);
  world.addScript(NODE, { facts: [['tier']] });
  await world.deploy();
});
afterEach(() => world.close());

async function owner() {
  return { certname: NODE, facts: (await world.stores.nodes.get(NODE))?.facts ?? null };
}

async function readStored() {
  return toPlainJson((await loadFacts(world.stores.blobs, await owner()))?.facts ?? null);
}

async function keys(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of listPages(world.stores.blobs, 'facts/')) found.push(...page.map(({ key }) => key));
  return found;
}

describe('facts', () => {
  it('stay those of the record when a fault ends a check-in between blob and record', async () => {
    await world.run(checkIn(NODE, { tier: 'gold' }));
    const { nodes } = world.stores;
    const faulty = intercept(nodes, {
      want: async () => {
        throw new StoreUnavailable('nodes are away');
      },
    });
    const service = new StoredCatalogService({ ...world.stores, nodes: faulty });
    await expect(service.accept(checkIn(NODE, { tier: 'silver' }))).rejects.toThrow('nodes are away');
    expect(await readStored()).toEqual({ tier: 'gold' });
    await invalidateNodes([NODE], 'asked by the operator', world.stores);
    const [report] = await world.runJobs();
    expect(report).toMatchObject({ outcome: 'verified', reasons: [] });
    const answer = await world.createService().accept(checkIn(NODE, { tier: 'gold' }));
    expect(answer).toMatchObject({ kind: 'answered', answer: { status: 'current' } });
  });

  it('that are damaged count as missing', async () => {
    const { blobs } = world.stores;
    await world.run(checkIn(NODE, { tier: 'gold' }));
    for (const bytes of [Buffer.from('no gzip'), gzipSync('{}')]) {
      await blobs.put(factsBlobOf(await owner()), bytes);
      expect(await loadFacts(blobs, await owner())).toBeNull();
    }
  });

  it('that are lost fail the job, not the node, until its next run sends them', async () => {
    const { blobs, nodes } = world.stores;
    await world.run(checkIn(NODE, { tier: 'gold' }));
    expect((await world.createService().accept(checkIn(NODE, { tier: 'silver' }))).kind).toBe('held');
    const key = factsBlobOf(await owner());
    await blobs.delete(key);
    const lost = `blob ${key} is lost or damaged: the next run of ${NODE} sends its facts`;
    await expect(world.runJobs()).rejects.toThrow(lost);
    expect(await nodes.get(NODE)).toMatchObject({ failure: null, compiles: 1 });
    await world.run(checkIn(NODE, { tier: 'gold' }));
    expect(await readStored()).toEqual({ tier: 'gold' });
  });
});

describe('pruning of facts', () => {
  const prune = (dryRun = false) => pruneCode(world.stores, { historyKept: 1, keptMs: 0, dryRun });

  it('deletes those that no record names, an hour later', async () => {
    for (const tier of ['gold', 'silver', 'gold']) {
      clock.passed += 1000;
      await world.run(checkIn(NODE, { tier }));
    }
    expect(await keys()).toHaveLength(3);
    expect(await prune()).toMatchObject({ facts: 0 });
    clock.passed += 2 * HOUR;
    expect(await prune(true)).toMatchObject({ facts: 2 });
    expect(await prune()).toMatchObject({ facts: 2 });
    expect(await keys()).toEqual([factsBlobOf(await owner())]);
    expect(await readStored()).toEqual({ tier: 'gold' });
  });

  it('keeps young facts that no record names yet, also when the clock of the machine was set', async () => {
    clock.passed = 48 * HOUR;
    await storeFacts(world.stores.blobs, { facts: hashOf({ tier: 'new' }), trusted: hashOf({}) }, clock.now());
    expect(await prune()).toMatchObject({ facts: 0 });
    clock.passed += 2 * HOUR;
    expect(await prune()).toMatchObject({ facts: 1 });
  });

  it('keeps what is known of a node that sent none', async () => {
    const { blobs, nodes } = world.stores;
    await nodes.markSeen('new.example.com', 'production', clock.now());
    await storeTrustedFacts(blobs, 'new.example.com', { facts: hashOf({}), trusted: hashOf({}) });
    clock.passed += 2 * HOUR;
    expect(await prune()).toMatchObject({ facts: 0 });
    expect(await keys()).toEqual(['facts/new.example.com']);
  });

  it('deletes those that a purged node left', async () => {
    await world.run(checkIn(NODE, { tier: 'gold' }));
    await storeFacts(world.stores.blobs, { facts: hashOf({ tier: 'lost' }), trusted: hashOf({}) }, clock.now());
    expect(await purgeNode(NODE, world.stores)).toBe(true);
    expect(await keys()).toHaveLength(1);
    clock.passed += 2 * HOUR;
    expect(await prune()).toMatchObject({ facts: 1 });
    expect(await keys()).toEqual([]);
  });
});
