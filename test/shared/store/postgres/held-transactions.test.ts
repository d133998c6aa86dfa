import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DependencySet } from '../../../../shared/store/ports/dependency-index.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { PostgresBlobStore } from '../../../../shared/store/postgres/blob-store.ts';
import { openPostgresStores, type PostgresStores } from '../../../../shared/store/postgres/stores.ts';
import type { SqlConnection } from '../../../../shared/store/sql/connection.ts';
import { createTables, type DatabaseTables } from '../../../../shared/store/sql/tables.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';

const CATALOG = { type: 'File', title: '/motd', parameters: {}, tags: ['file'] };
const exportOf = (certname: string) => ({ ...CATALOG, certname });
const job = (certname: string) => ({ certname, generation: 1, reason: 'asked', at: 1 });

describe.skipIf(!canSharePostgres())('a transaction that another one meets in progress', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-held-'));
  let one: PostgresStores;
  let other: DatabaseTables;
  let held: { readonly end: () => Promise<void> } | null = null;
  let url: string;
  beforeAll(async () => {
    url = await createTestDatabase();
  });
  beforeEach(async () => {
    one = await openPostgresStores(url, { directory: folder, connections: 6, instance: 'one' });
    other = createTables(one.database, { clock: one.clock });
  });
  afterEach(async () => {
    await held?.end();
    held = null;
    await one.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Does `work` in a transaction that stays open until `end` is called. */
  async function hold(work: (tables: DatabaseTables, on: SqlConnection) => Promise<unknown>): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const ended = one.database.runInTransaction(async (on) => {
      await work(createTables(on, { clock: one.clock }), on);
      begun.resolve();
      await gate.promise;
    });
    ended.catch(begun.reject);
    await begun.promise;
    held = {
      end: async () => {
        gate.resolve();
        await ended;
      },
    };
  }

  /** Begins the call, and ends the held transaction when the call waits for it. */
  async function endWhileWaiting<T>(call: Promise<T>): Promise<T> {
    let isDone = false;
    const done = call.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    const waits = `SELECT count(*) AS waits FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(async () => isDone || (await one.database.get(waits))?.waits === 1).toBe(true);
    expect(isDone).toBe(false);
    await held?.end();
    return done;
  }

  async function takeChanges(consumer: string): Promise<readonly string[]> {
    const { changes, position } = await one.nodeChanges.read(consumer, 100);
    await one.nodeChanges.advance(consumer, { position, pass: null });
    return changes.map(({ certname, kind }) => `${certname} ${kind}`);
  }

  it('that looked for consumers before a new one came has ended when this one begins its pass', async () => {
    await hold(({ nodes }) => nodes.markSeen('before.example.com', 'production', 1));
    const following = one.nodeChanges.follow('late');
    await expect.poll(() => one.database.get('SELECT consumer FROM change_consumers')).toEqual({ consumer: 'late' });
    const isDone = vi.fn();
    const done = following.then(isDone);
    // Those that look from now on write their changes, and nobody waits for them.
    await other.nodes.markSeen('after.example.com', 'production', 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isDone).not.toHaveBeenCalled();
    await held?.end();
    await done;
    expect(await one.nodes.get('before.example.com')).not.toBeNull();
    expect(await takeChanges('late')).toEqual(['after.example.com created']);
    await one.nodeChanges.forget('late');
  });

  it('makes a new consumer wait for some seconds at most', async () => {
    await hold(({ nodes }) => nodes.markSeen('slow.example.com', 'production', 1));
    let passed = 0;
    const sleep = async (milliseconds: number) => {
      passed += milliseconds * 100;
    };
    const clock = { now: () => one.clock.now() + passed, sleep, random: Math.random };
    const { nodeChanges } = createTables(one.database, { clock });
    await expect(nodeChanges.follow('hurried')).rejects.toThrow(StoreUnavailable);
    await expect(nodeChanges.follow('hurried')).rejects.toThrow('transactions that change nodes take too long');
    await held?.end();
    await nodeChanges.follow('hurried');
    await nodeChanges.forget('hurried');
  });

  it('and that only reads, as a backup does, delays no new consumer', async () => {
    await hold(async (_, on) => {
      await on.run('LOCK TABLE change_consumers, nodes IN ACCESS SHARE MODE');
      await on.selectAll('SELECT * FROM change_consumers');
    });
    await one.nodeChanges.follow('beside a backup');
    await one.nodeChanges.forget('beside a backup');
  });

  it('creates a node, which is logged once', async () => {
    await one.nodeChanges.follow('reader');
    await hold(({ nodes }) => nodes.markSeen('new.example.com', 'production', 1));
    await endWhileWaiting(other.nodes.markSeen('new.example.com', 'production', 2));
    expect(await takeChanges('reader')).toEqual(['new.example.com created']);
    await one.nodeChanges.forget('reader');
  });

  it('creates a node, which the one that deletes it finds', async () => {
    await one.nodeChanges.follow('reader');
    await hold(({ nodes }) => nodes.markSeen('short.example.com', 'production', 1));
    await endWhileWaiting(other.nodes.delete('short.example.com'));
    expect(await takeChanges('reader')).toEqual(['short.example.com created', 'short.example.com removed']);
    expect(await one.nodes.get('short.example.com')).toBeNull();
    await one.nodeChanges.forget('reader');
  });

  it('wants a new node, whose classification is a reason then', async () => {
    await hold(async ({ nodes }) => {
      await nodes.markSeen('wanted.example.com', 'production', 1);
      await nodes.want('wanted.example.com', 'first', 1, { asked: false });
    });
    const classification = { classes: { motd: null }, parameters: {}, environment: null };
    const classified = await endWhileWaiting(
      other.nodes.classify('wanted.example.com', classification, 'classified', 2),
    );
    expect(classified).toMatchObject({ wanted: 1, reasons: ['first', 'classified'], isJobDue: true, classification });
  });

  it('stores the first exports of a node, which are deleted with it', async () => {
    await hold(({ exports }) => exports.replaceExports('purged.example.com', 7, [exportOf('purged.example.com')]));
    await endWhileWaiting(other.exports.delete('purged.example.com'));
    expect(await one.exports.listOwn('purged.example.com', null)).toEqual([]);
    // The node comes back, and counts from the beginning.
    const again = [exportOf('purged.example.com')];
    expect(await one.exports.replaceExports('purged.example.com', 1, again)).toBe(true);
  });

  it('deletes the exports of a node, which another one stores again', async () => {
    await one.exports.replaceExports('again.example.com', 7, [exportOf('again.example.com')]);
    await hold(({ exports }) => exports.delete('again.example.com'));
    const again = [exportOf('again.example.com')];
    expect(await endWhileWaiting(other.exports.replaceExports('again.example.com', 1, again))).toBe(true);
    expect(await one.exports.listOwn('again.example.com', null)).toEqual(again);
  });

  it('deletes a member of a set, and the one that deletes the last one drops the set', async () => {
    const [environment, at] = ['production', 1];
    const part = { id: 'p', name: 'modules/a', observations: { contents: ['modules/a/x.pp'], kinds: [], keys: {} } };
    const set: DependencySet = { environment, id: 'shrinking', parts: [part] };
    await one.dependencies.define(set);
    for (const certname of ['m1', 'm2']) {
      const joins = { set: set.id, token: certname };
      await one.dependencies.register({ certname, generation: 1, environment, joins, leaves: null, ownPaths: [], at });
    }
    await hold(({ dependencies }) => dependencies.retire(at + 1, 1));
    const { sets } = await endWhileWaiting(other.dependencies.retire(at + 1, 10));
    expect(sets).toEqual([set.id]);
    expect(await one.dependencies.findSets(environment, new Set(['p']))).toEqual([]);
  });

  it('writes a blob, whose bytes go when it is written over', async () => {
    const blobsOf = (on: SqlConnection) => new PostgresBlobStore(on, one.clock, () => {});
    await hold((_, on) => blobsOf(on).put('files/a', Buffer.from('first')));
    await endWhileWaiting(one.blobs.put('files/a', Buffer.from('second')));
    expect(Buffer.from((await one.blobs.get('files/a')) ?? []).toString()).toBe('second');
    await hold((_, on) => blobsOf(on).delete('files/a'));
    await endWhileWaiting(one.blobs.put('files/a', Buffer.from('third')));
    expect(Buffer.from((await one.blobs.get('files/a')) ?? []).toString()).toBe('third');
    expect(await one.database.get('SELECT count(*) AS chunks FROM blob_chunks')).toEqual({ chunks: 1 });
  });

  it('received a job, which another receive that lost its answer does not return', async () => {
    await one.queue.send('express', [job('a'), job('b')]);
    const received = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const takes = vi.spyOn(one.database, 'mendAndRun');
    takes.mockImplementationOnce(async (_, work) => {
      const jobs = await work(one.database);
      received.resolve();
      await answer.promise;
      return jobs;
    });
    const first = one.queue.receive(1, 0);
    await received.promise;
    takes.mockImplementationOnce(async (_, work) => {
      await work(one.database);
      throw new StoreUnavailable('the connection ended');
    });
    await expect(one.queue.receive(1, 0)).rejects.toThrow('the connection ended');
    const second = await one.queue.receive(2, 0);
    answer.resolve();
    const names = [...(await first), ...second].map((each) => each.job.certname);
    expect(names.sort()).toEqual(['a', 'b']);
    takes.mockRestore();
  });
});
