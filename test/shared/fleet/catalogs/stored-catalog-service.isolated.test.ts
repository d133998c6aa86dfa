import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import {
  DEFAULT_HOLD_OPTIONS,
  StoredCatalogService,
} from '../../../../shared/fleet/catalogs/stored-catalog-service.ts';
import { loadFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import { DEFAULT_POLICY } from '../../../../shared/fleet/policies/policy-fields.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Clock } from '../../../../shared/store/ports/clock.ts';
import { StoreRefused, StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { collectGarbage } from '../../../helpers/collect-garbage.ts';
import { CompileWorld, catalogOf, checkIn, hashOf } from '../../../helpers/compile-world.ts';
import { intercept } from '../../../helpers/intercept.ts';

const NODE = 'web.example.com';
const FACTS = { os: { family: 'Debian', release: '12' }, uptime: 5 };
let world: CompileWorld;
let offset = 0;
const clock: Clock = { ...systemClock, now: () => Date.now() + offset };

beforeEach(async () => {
  offset = 0;
  world = new CompileWorld(clock);
  world.addScript(NODE, { facts: [['os', 'family']], trusted: [['extensions', 'role']] });
  await world.deploy();
});
afterEach(() => world.close());

const node = async () => {
  const record = await world.stores.nodes.get(NODE);
  if (!record) throw new Error('no node');
  return record;
};
const express = async () => (await world.stores.queue.getDepth()).express.visible;
const waiting = async () => (await world.stores.queue.getDepth()).waiting.visible;

describe('a node that is current', () => {
  beforeEach(async () => {
    await world.run(checkIn(NODE, FACTS));
    world.compiler.compiled.length = 0;
  });

  it('gets the stored bytes, and nothing is written', async () => {
    const before = await node();
    const answer = await answerCheckIn(world.createService(), checkIn(NODE, FACTS));
    const stored = await world.stores.blobs.get(`catalogs/${before.catalog?.hash}`);
    expect(answer).toEqual({
      status: 'current',
      catalog: stored,
      hash: before.catalog?.hash,
      codeId: before.catalog?.codeId,
    });
    expect(await node()).toEqual(before);
    expect(await waiting()).toBe(0);
  });

  it.each([
    ['a fact that it did not use changes', { ...FACTS, uptime: 6, os: { family: 'Debian', release: '13' } }],
    ['a new fact comes', { ...FACTS, colour: 'blue' }],
  ])('stays so when %s', async (_, facts) => {
    expect((await answerCheckIn(world.createService({ holdMs: 0 }), checkIn(NODE, facts))).status).toBe('current');
    expect(await node()).toMatchObject({ wanted: 1, compiles: 1 });
  });

  it('stays so without facts', async () => {
    const answer = await answerCheckIn(world.createService({ holdMs: 0 }), { ...checkIn(NODE), facts: null });
    expect(answer.status).toBe('current');
  });

  it.each([
    ['fact os.family changed', checkIn(NODE, { ...FACTS, os: { family: 'RedHat' } })],
    ['fact os.family disappeared', checkIn(NODE, { uptime: 5 })],
    [
      'trusted extensions appeared',
      checkIn(NODE, FACTS, { trusted: hashOf({ certname: NODE, extensions: { role: 'web' } }) }),
    ],
  ])('is compiled again: %s', async (reason, request) => {
    const answer = await world.run(request);
    expect(answer.status).toBe('current');
    expect(world.compiler.compiled).toEqual([NODE]);
    expect(await node()).toMatchObject({ wanted: 2, built: 2, reasons: ['first catalog', reason] });
  });

  it('gets the catalog of another environment when it asks for that', async () => {
    world.addScript(NODE, { facts: [['uptime']] }, 'staging');
    await world.deploy('staging');
    const answer = await world.run(checkIn(NODE, FACTS, { environment: 'staging' }));
    expect(catalogOf(answer)).toMatchObject({ environment: 'staging', 'fact uptime': '5' });
    expect(await node()).toMatchObject({
      environment: 'staging',
      reasons: ['first catalog', 'environment production -> staging'],
    });
    expect(catalogOf(await world.run(checkIn(NODE, FACTS)))).toMatchObject({ environment: 'production' });
  });

  it('gets its catalog from a store that cannot be written', async () => {
    offset = 25 * 60 * 60_000;
    const refuse = () => Promise.reject(new StoreRefused('database or disk is full'));
    const { nodes } = world.stores;
    const [markSeen, put] = [vi.spyOn(nodes, 'markSeen'), vi.spyOn(world.stores.blobs, 'put')];
    for (const write of [markSeen, put]) write.mockImplementation(refuse);
    const answer = await answerCheckIn(world.createService(), checkIn(NODE, { ...FACTS, uptime: 9 }));
    expect([answer.status, markSeen.mock.calls.length]).toEqual(['current', 1]);
    markSeen.mockRestore();
    const again = await answerCheckIn(world.createService(), checkIn(NODE, { ...FACTS, uptime: 9 }));
    expect([again.status, put.mock.calls.length]).toEqual(['current', 1]);
    put.mockRestore();
  });

  it('is noted as seen, and its facts are stored, now and then', async () => {
    const before = await node();
    offset = 6 * 60_000;
    await answerCheckIn(world.createService(), checkIn(NODE, { ...FACTS, uptime: 7 }));
    const seen = await node();
    expect(seen.lastSeen).toBeGreaterThan(before.lastSeen);
    expect(seen.facts).toEqual(before.facts);
    offset = 25 * 60 * 60_000;
    await answerCheckIn(world.createService(), checkIn(NODE, { ...FACTS, uptime: 8 }));
    expect((await node()).facts?.digest).not.toBe(before.facts?.digest);
    expect(await node()).toMatchObject({ wanted: 1, compiles: 1 });
  });
});

describe('a node that is not current', () => {
  it('shares one job between all requests of the same facts', async () => {
    const service = world.createService();
    const requests = Array.from({ length: 10 }, () => answerCheckIn(service, checkIn(NODE, FACTS)));
    await expect.poll(waiting).toBe(1);
    await world.runJobs();
    expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set(['current']));
    expect(world.compiler.compiled).toEqual([NODE]);
    expect(await node()).toMatchObject({ wanted: 1, built: 1, compiles: 1 });
  });

  it('is accepted first, and held without its facts until the compile is committed', async () => {
    const service = world.createService();
    let parsed: WeakRef<PuppetHash> | undefined;
    const accept = () => {
      const request = checkIn(NODE, FACTS);
      if (request.facts) parsed = new WeakRef(request.facts);
      return service.accept(request);
    };
    const accepted = await accept();
    if (accepted.kind !== 'held') throw new Error('answered before a compile');
    expect(await waiting()).toBe(1);
    let parses = 0;
    const parse = async () => {
      parses += 1;
      return hashOf(FACTS);
    };
    const answer = accepted.wait({ parse });
    await collectGarbage();
    expect([parsed?.deref(), parses, service.waiting]).toEqual([undefined, 0, 1]);
    await world.runJobs();
    expect([(await answer).status, parses, service.waiting]).toEqual(['current', 1, 0]);
    expect(await service.accept(checkIn(NODE, FACTS))).toMatchObject({
      kind: 'answered',
      answer: { status: 'current' },
    });
  });

  it('gives each of two requests with different facts a catalog of its own facts', async () => {
    await world.run(checkIn(NODE, FACTS));
    const service = world.createService();
    const requests = ['RedHat', 'Suse'].map((family) => answerCheckIn(service, checkIn(NODE, { os: { family } })));
    let open = true;
    const answers = Promise.all(requests).finally(() => {
      open = false;
    });
    while (open) {
      await world.runJobs();
      await systemClock.sleep(5);
    }
    expect((await answers).map((answer) => catalogOf(answer)['fact os.family'])).toEqual(['RedHat', 'Suse']);
  });

  it('waits with a deploy that told it already, ahead of the jobs of the nodes that do not wait', async () => {
    await world.run(checkIn(NODE, FACTS));
    const others = Array.from({ length: 500 }, (_, n) => ({ certname: `n${n}`, generation: 1, reason: 'x', at: 1 }));
    await world.stores.queue.send('express', others);
    world.addScript(NODE, { facts: [['uptime']] });
    await world.deploy();
    const answer = answerCheckIn(world.createService(), checkIn(NODE, FACTS));
    await expect.poll(waiting).toBe(1);
    const again = answerCheckIn(world.createService(), checkIn(NODE, FACTS));
    await systemClock.sleep(30);
    expect(await waiting()).toBe(1);
    const [first] = await world.stores.queue.receive(1, 0);
    expect(first).toMatchObject({ queue: 'waiting', job: { certname: NODE, generation: 2 } });
    if (first) await world.stores.queue.retryAfter(first, 0);
    const reports = await world.runJobs();
    expect(reports[0]).toMatchObject({ certname: NODE, outcome: 'compiled' });
    expect(catalogOf(await answer)).toMatchObject({ 'fact uptime': '5' });
    expect(catalogOf(await again)).toMatchObject({ 'fact uptime': '5' });
    expect(await node()).toMatchObject({ wanted: 2, compiles: 2 });
  });

  it('gets a job of its own when so far only the background queue knows of it, and once when a job is lost', async () => {
    await world.run(checkIn(NODE, FACTS));
    await world.stores.nodes.want(NODE, 'at the pace of the ring', clock.now(), { asked: false });
    const first = answerCheckIn(world.createService(), checkIn(NODE, FACTS));
    await expect.poll(waiting).toBe(1);
    const second = answerCheckIn(world.createService(), checkIn(NODE, FACTS));
    await systemClock.sleep(30);
    expect(await waiting()).toBe(1);
    offset = 3 * 60_000;
    const third = answerCheckIn(world.createService(), checkIn(NODE, FACTS));
    await expect.poll(async () => (await node()).asked.at).toBeGreaterThan(Date.now() + offset - 60_000);
    // The holds of the others have ended: they give up the priority, and the third regains it.
    await expect.poll(waiting).toBe(1);
    await world.runJobs();
    await Promise.all([first, second, third]);
    expect(await node()).toMatchObject({ wanted: 2, built: 2, compiles: 1, verifications: 1 });
  });

  it('is not kept waiting by later reasons', async () => {
    const answer = answerCheckIn(world.createService(), checkIn(NODE, FACTS));
    await expect.poll(waiting).toBe(1);
    await world.runJobs();
    await world.stores.nodes.want(NODE, 'later', clock.now(), { asked: true });
    expect((await answer).status).toBe('current');
  });
});

describe('after the hold', () => {
  const RETRY = { ...DEFAULT_POLICY, afterHold: 'retry', retryAfterSeconds: [30, 30] } as const;

  it('an older catalog is answered when the policy says so', async () => {
    const first = await world.run(checkIn(NODE, FACTS));
    const request = checkIn(NODE, { ...FACTS, os: { family: 'RedHat' } });
    expect(await answerCheckIn(world.createService({ holdMs: 50 }), request)).toEqual({ ...first, status: 'stale' });
    const strict = world.createService({ holdMs: 50, policy: RETRY });
    expect(await answerCheckIn(strict, request)).toEqual({ status: 'unavailable', retryAfterSeconds: 30 });
    expect(await node()).toMatchObject({ wanted: 2, built: 1 });
  });

  it('a node without a catalog is told when to come back', async () => {
    expect(await answerCheckIn(world.createService({ holdMs: 50, policy: RETRY }), checkIn(NODE, FACTS))).toEqual({
      status: 'unavailable',
      retryAfterSeconds: 30,
    });
  });

  it('no catalog of another environment is answered', async () => {
    await world.run(checkIn(NODE, FACTS));
    world.addScript(NODE, {}, 'staging');
    await world.deploy('staging');
    const answer = await answerCheckIn(
      world.createService({ holdMs: 50 }),
      checkIn(NODE, FACTS, { environment: 'staging' }),
    );
    expect(answer.status).toBe('unavailable');
  });

  it('spreads Retry-After over its range', async () => {
    const seconds = async (random: number) => {
      const ports = { ...world.stores, clock: { ...clock, random: () => random } };
      const options = { ...DEFAULT_HOLD_OPTIONS, holdMs: 0 };
      const answer = await answerCheckIn(new StoredCatalogService(ports, options), checkIn(NODE, FACTS));
      return answer.status === 'unavailable' ? answer.retryAfterSeconds : null;
    };
    expect([await seconds(0), await seconds(0.5), await seconds(0.999)]).toEqual([30, 60, 90]);
  });

  it('is what the policy of the node says, else of its environment, else of all', async () => {
    const first = await world.run(checkIn(NODE, FACTS));
    const request = checkIn(NODE, { ...FACTS, os: { family: 'RedHat' } });
    const policies = new FreshnessPolicies(world.stores.documents);
    const service = world.createService();
    await policies.put('default', { freshness: 'retry', retryAfterSeconds: [7, 7] });
    expect(await answerCheckIn(service, request)).toEqual({ status: 'unavailable', retryAfterSeconds: 7 });
    await policies.put('environments/production', { freshness: 'stale' });
    expect(await answerCheckIn(service, request)).toEqual({ ...first, status: 'stale' });
    expect(await answerCheckIn(service, checkIn('new.example.com', FACTS), AbortSignal.abort())).toEqual({
      status: 'unavailable',
      retryAfterSeconds: 7,
    });
    await policies.put(`nodes/${NODE}`, { freshness: 'wait', holdSeconds: 0, afterHold: 'retry' });
    expect(await answerCheckIn(service, request)).toEqual({ status: 'unavailable', retryAfterSeconds: 7 });
    await policies.delete(`nodes/${NODE}`);
    expect((await answerCheckIn(service, request)).status).toBe('stale');
    expect(await node()).toMatchObject({ wanted: 2, built: 1 });
    // The job of the new node, whose agent is gone, lost its priority.
    expect([await waiting(), await express()]).toEqual([1, 1]);
  });

  it('comes after looks at moments that all requests share', async () => {
    // Time passes here as sleeps say: each request sees its own from its start on.
    const looks = new Set<number>();
    const hold = async (startedAt: number) => {
      let now = startedAt;
      const sleep = async (milliseconds: number) => {
        now += milliseconds;
        if (now > startedAt + 2000) looks.add(now);
      };
      const ports = { ...world.stores, clock: { ...clock, now: () => now, sleep } };
      const service = new StoredCatalogService(ports, { ...DEFAULT_HOLD_OPTIONS, holdMs: 10_000 });
      await answerCheckIn(service, checkIn(`n${startedAt}.example.com`, FACTS));
      looks.delete(startedAt + 10_000);
    };
    for (let request = 0; request < 10; request += 1) await hold(1_000_003 + 17 * request);
    expect([...looks].filter((at) => at % 250 !== 0)).toEqual([]);
    expect(looks.size).toBeGreaterThan(5);
    expect(looks.size).toBeLessThanOrEqual(33);
  });

  it('holds so many at a time; those beyond get an older catalog, or come back spread over a longer time', async () => {
    await world.run(checkIn(NODE, FACTS));
    const ports = { ...world.stores, clock: { ...clock, random: () => 0.999 } };
    const service = new StoredCatalogService(ports, { ...DEFAULT_HOLD_OPTIONS, holdMs: 60_000, mostWaiting: 1 });
    const end = new AbortController();
    const held = answerCheckIn(service, checkIn('first.example.com', FACTS), end.signal);
    await expect.poll(() => service.waiting).toBe(1);
    const changed = checkIn(NODE, { ...FACTS, os: { family: 'RedHat' } });
    expect((await answerCheckIn(service, changed)).status).toBe('stale');
    expect(await answerCheckIn(service, checkIn('second.example.com', FACTS))).toEqual({
      status: 'unavailable',
      retryAfterSeconds: 210,
    });
    expect(service.waiting).toBe(1);
    end.abort();
    expect((await held).status).toBe('unavailable');
    expect(service.waiting).toBe(0);
    expect([await waiting(), await express()]).toEqual([2, 1]);
  });

  it('the job of a node whose agent is gone loses its priority, and regains it for another request', async () => {
    const gone = new AbortController();
    const first = answerCheckIn(world.createService(), checkIn(NODE, FACTS), gone.signal);
    await expect.poll(waiting).toBe(1);
    gone.abort();
    await first;
    expect([await waiting(), await express(), (await node()).asked]).toMatchObject([0, 1, { waiting: false }]);
    const second = answerCheckIn(world.createService(), checkIn(NODE, FACTS));
    await expect.poll(waiting).toBe(1);
    const third = answerCheckIn(world.createService({ holdMs: 40 }), checkIn(NODE, FACTS));
    expect((await third).status).toBe('unavailable');
    await expect
      .poll(async () => [await waiting(), await express(), (await node()).asked.waiting])
      .toEqual([1, 0, true]);
    await world.runJobs();
    expect((await second).status).toBe('current');
    expect(await node()).toMatchObject({ wanted: 1, compiles: 1 });
  });

  it('facts that come without a request have a job without priority, which the request then raises', async () => {
    const service = world.createService();
    const facts = { ...checkIn(NODE, FACTS), isAwaited: false };
    expect(await service.accept(facts)).toMatchObject({ kind: 'answered', answer: { status: 'unavailable' } });
    expect([await waiting(), await express(), (await node()).asked.waiting]).toEqual([0, 1, false]);
    const end = new AbortController();
    const held = answerCheckIn(service, checkIn(NODE, FACTS), end.signal);
    await expect.poll(waiting).toBe(1);
    expect([await express(), (await node()).asked.waiting]).toEqual([0, true]);
    await service.accept(facts);
    await expect
      .poll(async () => [await waiting(), await express(), (await node()).asked.waiting])
      .toEqual([1, 0, true]);
    end.abort();
    await held;
  });

  it('a job whose compile has started keeps its priority', async () => {
    const gone = new AbortController();
    const first = answerCheckIn(world.createService(), checkIn(NODE, FACTS), gone.signal);
    await expect.poll(waiting).toBe(1);
    await world.stores.nodes.lease(NODE, clock.now(), clock.now() + 60_000, 'a');
    gone.abort();
    await first;
    expect((await node()).asked).toMatchObject({ waiting: true });
  });

  it('ends at once when the client is gone', async () => {
    const abort = new AbortController();
    const answer = answerCheckIn(world.createService({ holdMs: 60_000 }), checkIn(NODE, FACTS), abort.signal);
    await expect.poll(waiting).toBe(1);
    abort.abort();
    expect((await answer).status).toBe('unavailable');
  });
});

it('does not know an environment that is not deployed, and does not make a node of it', async () => {
  const answer = await answerCheckIn(world.createService(), checkIn(NODE, FACTS, { environment: 'nowhere' }));
  expect(answer).toEqual({ status: 'unknown-environment', environment: 'nowhere' });
  expect(await world.stores.nodes.get(NODE)).toBeNull();
});

it('compiles without facts for a node that never sent any', async () => {
  expect(catalogOf(await world.run({ ...checkIn(NODE), facts: null }))).toMatchObject({ 'fact os.family': 'absent' });
  expect(await node()).toMatchObject({ facts: { digest: expect.any(String) } });
});

describe('a store that does not answer', () => {
  const down = () => Promise.reject(new StoreUnavailable('down'));

  it('fails the request before anything is promised', async () => {
    for (const part of ['nodes', 'blobs', 'queue'] as const) {
      const ports = {
        ...world.stores,
        [part]: intercept<object>(world.stores[part], { want: down, put: down, send: down }),
      };
      const service = new StoredCatalogService(ports as typeof world.stores);
      await expect(answerCheckIn(service, checkIn(NODE, FACTS))).rejects.toThrow(new StoreUnavailable('down'));
    }
    expect((await world.run(checkIn(NODE, FACTS))).status).toBe('current');
  });

  it('for a moment does not end a hold', async () => {
    let calls = 0;
    const nodes = intercept(world.stores.nodes, {
      get: (certname) => {
        calls += 1;
        return calls % 3 === 2 ? down() : world.stores.nodes.get(certname);
      },
    });
    const answer = answerCheckIn(new StoredCatalogService({ ...world.stores, nodes }), checkIn(NODE, FACTS));
    await expect.poll(() => calls).toBeGreaterThan(3);
    await world.runJobs();
    expect((await answer).status).toBe('current');
  });
});

it('keeps facts as they were posted', async () => {
  const facts = PuppetHash.of([
    ['big', 12345678901234567890n],
    ['load', 1],
    ['list', [1n, null, 'ü']],
  ]);
  world.addScript(NODE, { facts: [['big'], ['load'], ['list']] });
  await world.deploy();
  const catalog = catalogOf(await world.run({ ...checkIn(NODE), facts }));
  expect(catalog).toMatchObject({ 'fact big': '12345678901234567890', 'fact load': '1', 'fact list': '1,,ü' });
  expect((await answerCheckIn(world.createService({ holdMs: 0 }), { ...checkIn(NODE), facts })).status).toBe('current');
});

describe('facts that no compile needs', () => {
  const keepFacts = { intervalMs: 3600_000, blocked: ['/^secret/'] };
  /** Runs twice an hour with what `change` makes of the facts; returns runs that stored them. */
  const runs = async (count: number, change: (run: number) => object, options: object = { keepFacts }) => {
    const stored: number[] = [];
    for (let run = 1; run <= count; run += 1) {
      offset += 1800_000;
      const before = (await node()).facts;
      const answer = await answerCheckIn(world.createService(options), checkIn(NODE, { ...FACTS, ...change(run) }));
      expect(answer.status).toBe('current');
      if ((await node()).facts?.at !== before?.at) stored.push(run);
    }
    return stored;
  };
  beforeEach(async () => {
    await world.run(checkIn(NODE, FACTS));
  });

  it('are stored once a day without an inventory', async () => {
    expect(await runs(50, (run) => ({ uptime: run, colour: run }), {})).toEqual([48]);
  });

  it('are stored at once for an inventory, and those that change at each run once an interval', async () => {
    // The first run finds facts that were stored without an inventory.
    const changing = (run: number) => ({
      uptime: run,
      load_averages: { '1m': run },
      memory: { system: { total: 4, available_bytes: run } },
      secret_number: run,
      colour: run === 4 ? 'red' : 'blue',
    });
    expect(await runs(8, changing)).toEqual([1, 3, 4, 5, 7]);
  });

  it('have a time after that of those before them, whatever the clock says', async () => {
    const times = [(await node()).facts?.at ?? 0];
    for (const colour of ['red', 'blue']) {
      offset -= 3600_000;
      await answerCheckIn(world.createService({ keepFacts }), checkIn(NODE, { ...FACTS, colour }));
      times.push((await node()).facts?.at ?? 0);
    }
    await world.run(checkIn(NODE, { os: { family: 'RedHat' } }));
    times.push((await node()).facts?.at ?? 0);
    const [first = 0] = times;
    expect(times).toEqual([first, first + 1, first + 2, first + 3]);
  });

  it('do not take the place of those that another check-in sent meanwhile', async () => {
    const { blobs } = world.stores;
    const other = { os: { family: 'RedHat' } };
    const late = intercept(blobs, {
      put: async (key, bytes) => {
        await world.run(checkIn(NODE, other));
        return blobs.put(key, bytes);
      },
    });
    const options = { ...DEFAULT_HOLD_OPTIONS, keepFacts };
    const service = new StoredCatalogService({ ...world.stores, blobs: late }, options);
    await answerCheckIn(service, checkIn(NODE, { ...FACTS, colour: 'red' }));
    const stored = await loadFacts(blobs, await node());
    expect(stored?.facts).toEqual(hashOf(other));
  });

  it('are found to change at each run, by any name', async () => {
    expect(await runs(12, (run) => ({ last_run: run }))).toEqual([1, 2, 3, 4, 6, 8, 10, 12]);
    expect((await node()).facts?.moving).toEqual({ last_run: 3 });
  });
});
