import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportedResource } from '../../../../shared/puppet/catalog/exported.ts';
import { digestCollected } from '../../../../shared/store/exports-digest.ts';
import type { CompileJob } from '../../../../shared/store/ports/compile-queue.ts';
import { type DependencySet, MEMBER_SHARDS } from '../../../../shared/store/ports/dependency-index.ts';
import type { ExportChange } from '../../../../shared/store/ports/export-store.ts';
import type { NodeChange } from '../../../../shared/store/ports/node-changes.ts';
import type { CatalogPointer } from '../../../../shared/store/ports/node-record.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { openPostgresStores, type PostgresStores } from '../../../../shared/store/postgres/stores.ts';
import { createTables } from '../../../../shared/store/sql/tables.ts';
import { JOB, run } from '../../../helpers/job-records.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';
import { seededRandom } from '../../../soundness/generate.ts';

/** The time of all tests of this file, in milliseconds. */
const ALL_MS = 1000 * Number(process.env.UNDERSTUDY_STRESS_SECONDS ?? 5);
const SEED = Number(process.env.UNDERSTUDY_STRESS_SEED ?? 1);
const TESTS = 9;
const WRITERS = 12;
const HOUR_MS = 3600_000;

type Random = () => number;
/** A writer's next act. */
type Act = (stores: PostgresStores, random: Random, writer: number) => Promise<unknown>;

const pick = <T>(random: Random, all: readonly T[]): T => {
  const one = all[Math.floor(random() * all.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
};
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe.skipIf(!canSharePostgres())('two servers with many writers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-stress-'));
  let one: PostgresStores;
  let two: PostgresStores;
  beforeEach(async () => {
    const url = await createTestDatabase();
    const open = (instance: string) =>
      openPostgresStores(url, { directory: folder, connections: 8, maxReceives: 2, instance });
    [one, two] = [await open('one'), await open('two')];
  });
  afterEach(async () => {
    // Each connection counts what happened to it when it ends.
    const { database } = one;
    await two.close();
    const sql = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
    const row = await database.get(sql);
    await one.close();
    expect(row).toEqual({ deadlocks: 0 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Lets all writers act again and again, for this test's part of the time. */
  async function stress(act: Act, writers = WRITERS): Promise<void> {
    const end = performance.now() + ALL_MS / TESTS;
    const write = async (writer: number) => {
      const random = seededRandom(SEED * 1000 + writer);
      while (performance.now() < end) await act(writer % 2 === 0 ? one : two, random, writer);
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  }

  /** Calls `work` until the end of `during`, and once after it. */
  async function meanwhile(during: Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = during.finally(() => {
      isOver = true;
    });
    while (!isOver) await Promise.all([work(), pause(1)]);
    await over;
    await work();
  }

  it.each([true, false])(
    'lose no update of a node, commit once and lease to one, with changes followed: %s',
    async (isFollowed) => {
      const [kept, mortal] = [
        ['n0', 'n1', 'n2'],
        ['d0', 'd1'],
      ];
      const all = [...kept, ...mortal];
      const [updates, facts, verifications] = [new Map<string, number>(), new Map<string, number>(), new Map()];
      const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
      const [commits, leases] = [new Map<string, number[]>(), new Map<string, number>()];
      let clock = 1;
      const changes: NodeChange[] = [];
      if (isFollowed) await Promise.all([one.nodeChanges.follow('reader'), two.nodeChanges.follow('other')]);
      for (const name of all) await one.nodes.markSeen(name, 'production', 1);

      const wantFacts: Act = async ({ nodes }, random) => {
        const name = pick(random, all);
        clock += 1;
        const news = { digest: `d${clock}`, at: clock };
        if (random() < 0.5) {
          const wanted = await nodes.want(name, `r${clock}`, clock, { asked: true, facts: news });
          if (wanted) for (const counts of [updates, facts]) count(counts, name);
          if (wanted) expect(wanted.built).toBeLessThanOrEqual(wanted.wanted);
          return;
        }
        const { version } = random() < 0.5 ? ((await nodes.get(name)) ?? {}) : {};
        if (await nodes.factsStored(name, news, version)) for (const counts of [updates, facts]) count(counts, name);
      };
      const classify: Act = async ({ nodes }, random) => {
        clock += 1;
        const classification = { classes: { [`c${clock}`]: {} }, parameters: {}, environment: null };
        const name = pick(random, all);
        const wanted = await nodes.classify(name, classification, 'classified', clock);
        expect(wanted.classification).toEqual(classification);
        count(updates, name);
      };
      const compile: Act = async ({ nodes }, random) => {
        const name = pick(random, all);
        clock += 1;
        const until = clock + HOUR_MS + random();
        const hours = Math.round(until);
        const claim = await nodes.lease(name, clock, hours, null);
        if (claim === 'built' || 'heldUntil' in claim) return;
        for (let node: typeof claim.node | null = claim.node; node !== null; ) {
          expect(leases.has(name) && kept.includes(name)).toBe(false);
          leases.set(name, hours);
          expect(node.started).toBe(node.wanted);
          const generation = node.wanted;
          clock += 1;
          const commit = { certname: name, generation, failure: null, inputs: NO_INPUTS, at: clock };
          if (random() < 0.2) {
            if (await nodes.markVerified(name, generation, clock)) count(verifications, name);
          } else if (await nodes.commit({ ...commit, catalog: catalogOf(clock) })) {
            commits.set(name, [...(commits.get(name) ?? []), generation]);
          }
          leases.delete(name);
          node = await nodes.finishRound(name, hours);
        }
      };
      const ask: Act = async ({ nodes }, random) => {
        const name = pick(random, all);
        clock += 1;
        const node = await nodes.get(name);
        if (!node) return nodes.markSeen(name, 'production', clock);
        expect(node.built).toBeLessThanOrEqual(node.wanted);
        // Its worker had a lease that ended.
        const late = { certname: name, generation: node.wanted, failure: null, inputs: NO_INPUTS, at: clock };
        if (random() < 0.5 && (await nodes.commit({ ...late, catalog: catalogOf(clock) }))) {
          commits.set(name, [...(commits.get(name) ?? []), node.wanted]);
        }
        return nodes.ask(name, node.wanted, clock, 0);
      };
      const live: Act = async ({ nodes }, random) => {
        const name = pick(random, mortal);
        clock += 1;
        return random() < 0.6 ? nodes.markSeen(name, 'production', clock) : nodes.delete(name);
      };
      const seen: NodeChange[] = [];
      const read = async ({ nodeChanges }: PostgresStores, consumer: string, into: NodeChange[]) => {
        const turn = await nodeChanges.read(consumer, 200);
        expect(turn.pass === null || into.length === 0).toBe(true);
        into.push(...turn.changes);
        await nodeChanges.advance(consumer, { position: turn.position, pass: null });
      };
      const readBoth = () => Promise.all([read(two, 'reader', changes), read(one, 'other', seen)]);
      const acts = [wantFacts, wantFacts, classify, compile, compile, ask, live];
      await meanwhile(
        stress((stores, random, writer) => pick(random, acts)(stores, random, writer)),
        isFollowed ? readBoth : async () => {},
      );
      expect(seen).toEqual(changes);

      for (const name of kept) {
        const node = await one.nodes.get(name);
        const own = commits.get(name) ?? [];
        expect(new Set(own).size).toBe(own.length);
        expect(node).toMatchObject({ version: updates.get(name) ?? 0, compiles: own.length });
        expect(node?.verifications).toBe(verifications.get(name) ?? 0);
        if (!isFollowed) continue;
        const kinds = changes.filter(({ certname }) => certname === name).map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'facts')).toHaveLength(facts.get(name) ?? 0);
        expect(kinds.filter((kind) => kind === 'catalog')).toHaveLength(own.length);
      }
      for (const name of isFollowed ? all : []) {
        const last = replay(changes.filter(({ certname }) => certname === name));
        const node = await one.nodes.get(name);
        expect(last).toEqual(node && { facts: node.facts, catalog: node.catalog });
      }
    },
  );

  it('show a new consumer each change: in its pass or in the log', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `n${index}`);
    for (const name of names) await one.nodes.markSeen(name, 'production', 1);
    const random = seededRandom(SEED);
    const end = performance.now() + ALL_MS / TESTS;
    for (let round = 1; performance.now() < end; round += 1) {
      const news = { digest: `d${round}`, at: round };
      const written = names.map(async (name, index) => {
        await pause(3 * random());
        await (index % 2 === 0 ? one : two).nodes.factsStored(name, news);
      });
      await pause(3 * random());
      await one.nodeChanges.follow('late');
      const known = new Map((await one.nodes.list(null, 100)).map(({ certname, facts }) => [certname, facts]));
      await Promise.all(written);
      const { changes } = await one.nodeChanges.read('late', 1000);
      for (const change of changes) if (change.kind === 'facts') known.set(change.certname, change.after);
      expect([...known]).toEqual(names.map((name) => [name, news]));
      await one.nodeChanges.forget('late');
    }
  });

  it('store the exports of the newest generation, and announce each change of them', async () => {
    const [kept, mortal] = [
      ['a', 'b', 'c', 'd'],
      ['e', 'f'],
    ];
    const types = ['Red', 'Blue'];
    const queries = types.map((type) => ({ type, query: null }));
    const newest = new Map<string, { generation: number; resources: readonly ExportedResource[] }>();
    const stored = new Map<string, number>();
    const changes: { readonly id: number; readonly change: ExportChange }[] = [];
    let generations = 0;
    const replace: Act = async ({ exports }, random) => {
      const certname = pick(random, [...kept, ...mortal]);
      generations += 1;
      const generation = generations;
      const resources = [...Array(6).keys()]
        .filter(() => random() < 0.5)
        .map((number) => exportOf(certname, types[number % 2] ?? '', `t${number}`, Math.floor(2 * random())));
      const isNewest = generation > (newest.get(certname)?.generation ?? 0);
      if (isNewest) newest.set(certname, { generation, resources });
      if (random() < 0.3) await pause(30 * random());
      const before = stored.get(certname) ?? 0;
      if (await exports.replaceExports(certname, generation, resources)) {
        if (kept.includes(certname)) expect(generation).toBeGreaterThan(before);
        stored.set(certname, Math.max(generation, stored.get(certname) ?? 0));
      } else expect(newest.get(certname)?.generation).toBeGreaterThan(generation);
      if (random() < 0.3) {
        const query = random() < 0.5 ? null : ['=', 'title', `t${generation % 6}`];
        await exports.replaceCollectors(certname, generation, [{ certname, type: 'Red', query }], 'production');
      }
    };
    const collect: Act = ({ exports }, random) => {
      const except = pick(random, kept);
      return random() < 0.7 ? exports.digestCollected(queries, except) : exports.collect(queries, except);
    };
    const purge: Act = ({ exports }, random) => exports.delete(pick(random, mortal));
    const receive: Act = async ({ changes: feed }, random) => {
      const received = await feed.receive(1 + Math.floor(5 * random()));
      changes.push(...received);
      await feed.acknowledge(received.map(({ id }) => id));
    };
    const acts = [replace, replace, replace, collect, collect, receive, purge];
    await stress((stores, random, writer) => pick(random, acts)(stores, random, writer));
    for (let isEmpty = false; !isEmpty; ) {
      const received = await one.changes.receive(1000);
      changes.push(...received);
      await one.changes.acknowledge(received.map(({ id }) => id));
      isEmpty = received.length === 0;
    }

    expect(new Set(changes.map(({ id }) => id)).size).toBe(changes.length);
    const announced = new Map<string, ExportedResource>();
    for (const { change } of changes.toSorted((a, b) => a.id - b.id)) {
      const { before, after } = change;
      const { certname, type, title } = after ?? before ?? exportOf('', '', '', 0);
      const key = JSON.stringify([certname, type, title]);
      expect(announced.get(key) ?? null).toEqual(before);
      if (after) announced.set(key, after);
      else announced.delete(key);
    }
    const collected = await one.exports.collect(queries, '');
    expect(sorted(announced.values())).toEqual(sorted(collected));
    for (const certname of kept) {
      expect(sorted(await two.exports.listOwn(certname, null))).toEqual(sorted(newest.get(certname)?.resources ?? []));
    }
    for (const certname of ['', ...kept, ...mortal]) {
      const others = collected.filter((resource) => resource.certname !== certname);
      for (const { exports } of [one, two, createTables(one.database, { clock: one.clock })]) {
        expect(await exports.digestCollected(queries, certname)).toBe(digestCollected(queries, others));
      }
    }
    // A node that was purged counts from the beginning.
    for (const certname of mortal) {
      await one.exports.delete(certname);
      expect(await one.exports.replaceExports(certname, 1, [])).toBe(true);
    }
  });

  it('keep the sets of members, and no others', async () => {
    const sets = [...Array(8).keys()].map(setOf);
    const began = new Map<number, number>();
    let tokens = 0;
    const at = () => one.clock.now();
    const compile: Act = async (stores, random, writer) => {
      const certname = `n${writer}`;
      const { nodes, dependencies } = stores;
      began.set(writer, at());
      await nodes.markSeen(certname, 'production', at());
      const node = await nodes.want(certname, 'x', at(), { asked: false });
      if (!node) throw new Error('the node is there');
      const set = pick(random, sets);
      tokens += 1;
      const token = `t${tokens}`;
      const own = `own/${certname}`;
      const last = node.inputs?.dependencies;
      const leaves = last ? { environment: 'production', set: last.set, token: last.membership } : null;
      const joins = { set: set.id, token };
      const registration = { certname, generation: node.wanted, environment: 'production', joins, leaves };
      const ownPaths = last ? [] : [own];
      if (!(await dependencies.register({ ...registration, ownPaths, at: at() }))) await dependencies.define(set);
      const inputs = { ...NO_INPUTS, dependencies: { ...NO_INPUTS.dependencies, set: set.id, membership: token } };
      const commit = { certname, generation: node.wanted, catalog: null, failure: null, inputs, at: at() };
      expect(await nodes.commit({ ...commit, replaces: last?.membership })).toBe(true);
      began.delete(writer);
      const parts = new Set(set.parts.map(({ id }) => id));
      expect(await dependencies.findSets('production', parts)).toContain(set.id);
      const names = set.parts.map(({ name }) => name);
      const found = (await dependencies.findParts('production', names)).map(({ id }) => id);
      expect(found).toEqual(expect.arrayContaining([...parts]));
      expect(await membersOf(stores, set)).toContain(certname);
      expect(await dependencies.findOwners('production', [own])).toEqual([certname]);
      if (random() < 0.3) {
        await nodes.delete(certname);
        await dependencies.forget({
          certname,
          environment: 'production',
          leaves: { ...joins, environment: 'production' },
          ownPaths: [own],
          at: at(),
        });
      }
    };
    const retire: Act = ({ dependencies }, random) =>
      dependencies.retire(Math.min(at(), ...began.values()), 1 + Math.floor(4 * random()));
    await stress((stores, random, writer) => (writer < 4 ? retire : compile)(stores, random, writer));
    await pause(2);
    await one.dependencies.retire(at(), 100_000);
    const rows = async (sql: string) => (await one.database.selectAll(sql)).map((row) => Object.values(row).join(' '));
    const members = await rows('SELECT certname, set_id FROM dependency_memberships');
    // A node that came back before its last life was retired may have left rows of that life.
    const current = await rows('SELECT certname, dependency_set FROM nodes');
    expect(members).toEqual(expect.arrayContaining([...current]));
    expect(await rows('SELECT id FROM dependency_sets ORDER BY id')).toEqual(
      await rows('SELECT DISTINCT set_id FROM dependency_memberships ORDER BY set_id'),
    );
    expect(await rows('SELECT id FROM dependency_parts ORDER BY id')).toEqual(
      await rows('SELECT DISTINCT key FROM dependency_sets, json_each_text(parts::json) ORDER BY key'),
    );
    expect(await rows('SELECT certname FROM dependency_owners ORDER BY certname')).toEqual(
      await rows('SELECT certname FROM nodes ORDER BY certname'),
    );
  });

  it('write the events of a ledger without a gap or a double, and end each ledger once', async () => {
    const [tokens, ended] = [new Set<number>(), [] as number[]];
    let [commits, taken, short] = [0, 0, 0];
    await one.jobs.create('job', 1_000_001, JOB, { isOpen: true, expiresAt: null });
    const commit: Act = async ({ jobs }, random, writer) => {
      const ledger = await jobs.get('job', 1_000_001);
      if (!ledger) throw new Error('the ledger is there');
      const id = Number(ledger.body.description) + 1;
      const events = [{ id, type: 'e', at: 1, details: {}, message: `${writer}` }];
      const change = { body: { ...JOB, description: `${id}` }, events, nodes: [run(`n${Math.floor(3 * random())}`)] };
      if (await jobs.commit('job', 1_000_001, ledger.version, change, `${writer} ${id}`)) commits += 1;
    };
    const take: Act = async ({ jobs }, random) => {
      const size = 1 + Math.floor(3 * random());
      const first = await jobs.takeNumbers('ledgers', size);
      for (let number = first; number < first + size; number += 1) {
        tokens.add(number);
        await jobs.create('job', number, JOB, { isOpen: true, expiresAt: 1 });
        short += 1;
      }
      taken += size;
    };
    const expire: Act = async ({ jobs }) => ended.push(...(await jobs.expire(2)));
    const claim: Act = async ({ jobs }, random, writer) => {
      const lease = { owner: `w${writer}`, until: random() < 0.5 ? 0 : 1 };
      await jobs.claim('job', 1_000_001, lease, 2);
    };
    const acts = [commit, commit, commit, take, expire, claim];
    await stress((stores, random, writer) => pick(random, acts)(stores, random, writer));
    ended.push(...(await one.jobs.expire(2)));
    const events = await two.jobs.listEvents('job', 1_000_001, 0, 1_000_000);
    expect(events.map(({ id }) => id)).toEqual(Array.from({ length: commits }, (_, index) => index + 1));
    expect(tokens.size).toBe(taken);
    expect([ended.length, new Set(ended).size]).toEqual([short, short]);
  });

  it('count and replace documents, environments and groups without losing a write', async () => {
    let [counted, added, created, switched] = [0, 0, 0, 0];
    const record = { name: 'production', codeId: 'c', deployedAt: 1, by: 'test', settled: 0, history: [] };
    await one.documents.create('sums', 'sum', { sum: 0 });
    await one.environments.replace({ ...record, revision: 1 }, null);
    const keys = new Map<string, number>();
    const counting: Act = async ({ documents }) => {
      await documents.count('counters', 'runs', { certname: 'n' });
      counted += 1;
    };
    const adding: Act = async ({ documents }) => {
      const before = await documents.get('sums', 'sum');
      if (before && (await documents.replace('sums', 'sum', before, { sum: Number(before.sum) + 1 }))) added += 1;
    };
    const creating: Act = async ({ documents }, random) => {
      created += random() < 0.2 ? 1 : 0;
      const key = `k${created}`;
      if (await documents.create('made', key, {})) keys.set(key, (keys.get(key) ?? 0) + 1);
    };
    const switching: Act = async ({ environments }, random) => {
      const before = await environments.get('production');
      if (!before) throw new Error('the environment is there');
      const { revision, settled } = before;
      expect(settled).toBeLessThanOrEqual(revision);
      expect(revision).toBeGreaterThanOrEqual(1);
      if (random() < 0.5) await environments.settle('production', revision);
      else if (await environments.replace({ ...before, revision: revision + 1 }, revision)) switched += 1;
    };
    const acts = [counting, adding, creating, switching, switching];
    await stress((stores, random, writer) => pick(random, acts)(stores, random, writer));
    if (counted > 0) expect(await two.documents.get('counters', 'runs')).toEqual({ certname: 'n', count: counted });
    expect(await two.documents.get('sums', 'sum')).toEqual({ sum: added });
    expect([...keys.values()].filter((times) => times !== 1)).toEqual([]);
    expect((await two.environments.get('production'))?.revision).toBe(switched + 1);
  });

  it('deliver the newest job of each node, and no receipt twice', async () => {
    const names = ['n0', 'n1', 'n2', 'n3', 'n4'];
    const [sent, done] = [new Map<string, number>(), new Map<string, number>()];
    const receipts: string[] = [];
    let generation = 0;
    const send: Act = async ({ queue }, random) => {
      const jobs = names
        .filter(() => random() < 0.5)
        .map((certname): CompileJob => {
          generation += 1;
          return { certname, generation, reason: 'x', at: 1 };
        });
      await queue.send(pick(random, ['waiting', 'express', 'background']), random() < 0.5 ? jobs : jobs.toReversed());
      for (const job of jobs) sent.set(job.certname, Math.max(job.generation, sent.get(job.certname) ?? 0));
    };
    const receive: Act = async ({ queue }, random) => {
      for (const received of await queue.receive(1 + Math.floor(3 * random()), 0)) {
        receipts.push(received.receipt);
        const { certname, generation: own } = received.job;
        if (random() < 0.3) await queue.retryAfter(received, 0);
        else {
          done.set(certname, Math.max(own, done.get(certname) ?? 0));
          await queue.acknowledge(received);
        }
      }
    };
    const demote: Act = ({ queue }, random) => queue.demote(pick(random, names));
    const redrive: Act = async ({ queue }, random) => {
      const dead = (await queue.listDeadLetters(10)).map(({ id }) => id);
      return queue.redrive(random() < 0.5 ? dead : dead.toReversed());
    };
    const check: Act = async ({ database }) => {
      const sql = `SELECT certname FROM jobs WHERE receipt IS NULL AND queue <> 2 GROUP BY certname HAVING count(*) > 1`;
      expect(await database.selectAll(sql)).toEqual([]);
    };
    const acts = [send, send, receive, receive, receive, demote, redrive, check];
    await stress((stores, random, writer) => pick(random, acts)(stores, random, writer));
    const left = seededRandom(SEED);
    const areLeft = async () => Object.values(await one.queue.getDepth()).some(({ visible }) => visible > 0);
    while (await areLeft()) for (const act of [receive, redrive]) await act(one, left, 0);
    expect(new Set(receipts).size).toBe(receipts.length);
    expect([...done].sort()).toEqual([...sent].sort());
  });

  it('read whole blobs, and keep the bytes of no other', async () => {
    const keys = ['files/a', 'files/b', 'files/c'];
    const act: Act = async ({ blobs }, random, writer) => {
      const key = pick(random, keys);
      const kind = random();
      if (kind < 0.2) await blobs.delete(key);
      else if (kind < 0.4) await blobs.put(key, Buffer.alloc(3000, writer));
      else if (kind < 0.6) await blobs.putIfAbsent(key, Buffer.alloc(2000, writer));
      else {
        const bytes = await blobs.get(key).catch((error: unknown) => {
          // It is written too often.
          if (error instanceof StoreUnavailable) return null;
          throw error;
        });
        if (bytes) expect(new Set(bytes).size).toBe(1);
      }
    };
    await stress(act);
    const orphans = 'SELECT version FROM blob_chunks WHERE version NOT IN (SELECT version FROM blobs)';
    expect(await one.database.selectAll(orphans)).toEqual([]);
  });
});

const catalogOf = (at: number): CatalogPointer => ({
  ...{ hash: `h${at}`, codeId: null, namedCode: [], compiledAt: at, durationMs: 1, exported: '' },
});

/** The state that a node has after its changes, each of which begins where the last one ended. */
function replay(changes: readonly NodeChange[]): { readonly facts: unknown; readonly catalog: unknown } | null {
  let state: { facts: unknown; catalog: unknown } | null = null;
  for (const change of changes) {
    if (change.kind === 'created') {
      expect(state).toBeNull();
      state = { facts: null, catalog: null };
      continue;
    }
    expect(state).not.toBeNull();
    if (change.kind === 'removed') state = null;
    else if (state !== null && (change.kind === 'facts' || change.kind === 'catalog')) {
      expect(change.before).toEqual(state[change.kind]);
      state = { ...state, [change.kind]: change.after };
    }
  }
  return state;
}

function exportOf(certname: string, type: string, title: string, value: number): ExportedResource {
  return { certname, type, title, tags: [title], parameters: { value } };
}

function sorted(resources: Iterable<ExportedResource>): readonly string[] {
  return [...resources].map((resource) => JSON.stringify(Object.entries(resource).sort())).sort();
}

/** Each set has a part of its own, and one that all have. */
function setOf(number: number): DependencySet {
  const parts = [`own${number}`, 'common'].map((name) => ({
    id: `part ${name}`,
    name,
    observations: { contents: [name], kinds: [], keys: {} },
  }));
  return { environment: 'production', id: `set${number}`, parts };
}

async function membersOf({ dependencies }: PostgresStores, { id }: DependencySet): Promise<readonly string[]> {
  const shards = Array.from({ length: MEMBER_SHARDS }, (_, shard) =>
    dependencies.listMembers('production', id, shard, null, 100),
  );
  return (await Promise.all(shards)).flatMap(({ certnames }) => certnames);
}
