import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { openPostgresStores, type PostgresStores } from '../../../../shared/store/postgres/stores.ts';
import type { SqlConnection } from '../../../../shared/store/sql/connection.ts';
import { createTables, type DatabaseTables } from '../../../../shared/store/sql/tables.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';

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
});
