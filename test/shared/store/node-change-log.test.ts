import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedDatabase } from '../../../shared/store/embedded/database.ts';
import { type ChangeConsumer, followOnce, keepFollowing } from '../../../shared/store/follow-changes.ts';
import { SqlNodeChangeLog } from '../../../shared/store/sql/node-change-log.ts';
import { SqlNodeStore } from '../../../shared/store/sql/node-store.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';

const DAY_MS = 86_400_000;
let directory: string;
let database: EmbeddedDatabase;
let clock: ManualClock;
let log: SqlNodeChangeLog;
let nodes: SqlNodeStore;
/** For writes in one transaction. */
let nodesTogether: SqlNodeStore;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'understudy-changes-'));
  database = new EmbeddedDatabase(directory);
  clock = new ManualClock();
  log = new SqlNodeChangeLog(database, clock, { changes: 1500, ms: 3 * DAY_MS, consumerMs: 7 * DAY_MS });
  nodes = new SqlNodeStore(database, log);
  nodesTogether = new SqlNodeStore(database.transaction, log);
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

let made = 0;
async function make(count: number): Promise<void> {
  await database.runTogether(
    Array.from({ length: count }, () => async () => {
      made += 1;
      await nodesTogether.markSeen(`n${made}`, 'production', 1);
    }),
  );
}
const countRows = () => Number(database.getNow('SELECT count(*) AS rows FROM node_changes')?.rows);
/** Handles the next turn, and makes up for a pass at once. */
async function take(consumer: string): Promise<{ count: number; isPassDue: boolean }> {
  const { changes, pass, position } = await log.read(consumer, 1000);
  await log.advance(consumer, { position, pass: null });
  return { count: changes.length, isPassDue: pass !== null };
}

describe('the log of changes', () => {
  it('writes nothing without consumers', async () => {
    await make(3);
    expect(countRows()).toBe(0);
    await log.follow('a');
    await make(1);
    expect(countRows()).toBe(1);
    await log.forget('a');
    await make(1);
    expect(countRows()).toBe(0);
  });

  it('gives each consumer its own place, and deletes what all have handled', async () => {
    await log.follow('a');
    expect(await take('a')).toEqual({ count: 0, isPassDue: true });
    await make(2);
    await log.follow('b');
    await make(1);
    expect(await take('b')).toEqual({ count: 1, isPassDue: true });
    expect(countRows()).toBe(3);
    await log.follow('a');
    expect(await take('a')).toEqual({ count: 3, isPassDue: false });
    expect(countRows()).toBe(0);
    expect([await take('a'), await take('b')]).toEqual(Array(2).fill({ count: 0, isPassDue: false }));
  });

  it('gives the same turn again until the consumer advances', async () => {
    await log.follow('a');
    await make(2);
    const first = await log.read('a', 1);
    expect(await log.read('a', 1)).toEqual(first);
    await log.advance('a', { position: first.position, pass: 'n5' });
    const second = await log.read('a', 9);
    expect(second).toMatchObject({ pass: 'n5', position: first.position + 1 });
    expect(second.changes).toHaveLength(1);
  });

  it('makes nothing visible of a transaction that is undone', async () => {
    await log.follow('a');
    const undone = () =>
      database.runInTransaction(async () => {
        await nodesTogether.markSeen('x', 'production', 1);
        throw new Error('undone');
      });
    await expect(undone).rejects.toThrow('undone');
    expect(countRows()).toBe(0);
    await make(1);
    expect(await take('a')).toEqual({ count: 1, isPassDue: true });
    expect(await take('a')).toEqual({ count: 0, isPassDue: false });
  });

  it('is bounded in number: a consumer that missed changes passes over all nodes', async () => {
    await log.follow('a');
    await take('a');
    await make(3000);
    expect(countRows()).toBe(1500);
    expect(await take('a')).toEqual({ count: 1000, isPassDue: true });
    expect(await take('a')).toEqual({ count: 500, isPassDue: false });
  });

  it('is bounded in time, and forgets a consumer that is away', async () => {
    await log.follow('a');
    await take('a');
    await make(10);
    clock.time += 4 * DAY_MS;
    await make(1990);
    expect(countRows()).toBe(1500);
    clock.time += 4 * DAY_MS;
    await make(1000);
    expect(countRows()).toBe(0);
    await make(5);
    expect(countRows()).toBe(0);
    expect(await take('a')).toEqual({ count: 0, isPassDue: true });
  });
});

describe('a consumer', () => {
  const handled: string[] = [];
  const consumer: ChangeConsumer = {
    name: 'test',
    handleChanges: async (changes) => void handled.push(...changes.map(({ certname, kind }) => `${kind} ${certname}`)),
    continuePass: async (after) => {
      handled.push(`pass after '${after}'`);
      return after === '' ? 'b' : after === 'b' ? 'd' : null;
    },
  };
  beforeEach(() => {
    handled.length = 0;
  });

  it('begins with a pass, sees changes meanwhile, and then changes alone', async () => {
    expect(await followOnce(log, consumer)).toBe(true);
    await nodes.markSeen('x', 'production', 1);
    while (await followOnce(log, consumer));
    await nodes.markSeen('y', 'production', 1);
    expect(await followOnce(log, consumer)).toBe(true);
    expect(await followOnce(log, consumer)).toBe(false);
    expect(handled).toEqual(["pass after ''", 'created x', "pass after 'b'", "pass after 'd'", 'created y']);
  });

  it('repeats a turn that failed, with growing pauses, and resumes its pass', async () => {
    const stopping = new AbortController();
    const failures: string[] = [];
    let calls = 0;
    const failing: ChangeConsumer = {
      ...consumer,
      continuePass: async (after) => {
        calls += 1;
        if (calls === 1) return consumer.continuePass(after);
        if (calls < 9) throw new Error(`away after '${after}'`);
        stopping.abort();
        return consumer.continuePass('d');
      },
    };
    const before = clock.now();
    await keepFollowing(log, failing, clock, stopping.signal, (error) => failures.push(String(error)));
    expect(failures).toEqual(Array(7).fill("Error: away after 'b'"));
    expect(clock.now() - before).toBe((4 + 8 + 16 + 32 + 60 + 60 + 60) * 1000);
    expect(await followOnce(log, failing)).toBe(false);
  });
});
