import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { EmbeddedDatabase } from '../../../shared/store/embedded/database.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import type { CompileJob } from '../../../shared/store/ports/compile-queue.ts';
import { StoreRefused } from '../../../shared/store/ports/store-errors.ts';
import { selectMembers, selectOwners } from '../../../shared/store/sql/dependency-index.ts';
import { SQLITE } from '../../../shared/store/sql/dialect.ts';
import { selectExportsOfKey } from '../../../shared/store/sql/export-rows.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';

const base = mkdtempSync(join(tmpdir(), 'understudy-embedded-'));
afterAll(() => rmSync(base, { recursive: true }));

let directories = 0;
function newDirectory(): string {
  directories += 1;
  return join(base, `data${directories}`);
}

function refusal(directory: string): string {
  try {
    openEmbeddedStores(directory).close();
  } catch (error) {
    return error instanceof StoreRefused ? error.message : String(error);
  }
  return 'opened';
}

describe('a data directory that cannot be used', () => {
  it('is named when a file is in its place', () => {
    const directory = newDirectory();
    writeFileSync(directory, '');
    expect(refusal(directory)).toBe(
      `data directory '${directory}' cannot be used: EEXIST: file already exists, mkdir '${directory}'`,
    );
  });

  // Node's own way of making folders never ends there.
  it.each([
    ['where no folder can be made', '/proc/x', 'ENOENT: no such file or directory'],
    ['below one that cannot be made', '/proc/x/y', 'ENOENT: no such file or directory'],
    ['below a file', '/dev/null/x', 'ENOTDIR: not a directory'],
  ])('is named %s', (_, directory, reason) => {
    const shown = directory.replace(/\/y$/, '');
    expect(refusal(directory)).toBe(`data directory '${directory}' cannot be used: ${reason}, mkdir '${shown}'`);
  });

  it('is named when it cannot be locked', () => {
    const directory = newDirectory();
    const stores = openEmbeddedStores(directory);
    mkdirSync(join(directory, 'server.lock'));
    expect(() => stores.serveAlone()).toThrow(
      new StoreRefused(`data directory '${directory}' cannot be used: unable to open database file`),
    );
    stores.close();
  });

  it('is named when its database is none', () => {
    const directory = newDirectory();
    mkdirSync(directory);
    writeFileSync(join(directory, 'understudy.db'), 'x'.repeat(4096));
    expect(refusal(directory)).toBe(
      `data directory '${directory}' cannot be used: file is not a database: restore a backup ('understudy restore')`,
    );
  });

  it('is named when the database cannot be opened', () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'understudy.db'), { recursive: true });
    expect(refusal(directory)).toBe(`data directory '${directory}' cannot be used: unable to open database file`);
  });
});

describe('what is half written', () => {
  it('goes when it cannot be finished', async () => {
    const directory = newDirectory();
    const stores = openEmbeddedStores(directory);
    mkdirSync(join(directory, 'blobs/facts/below@1'), { recursive: true });
    await expect(stores.blobs.put('facts/below', new Uint8Array([2]))).rejects.toThrow(StoreRefused);
    expect(readdirSync(join(directory, 'unfinished'))).toEqual([]);
    stores.close();
  });

  it('goes with the next start when its writer ended', async () => {
    const directory = newDirectory();
    const stores = openEmbeddedStores(directory);
    const file = (name: string) => join(directory, 'unfinished', name);
    for (const name of ['left', 'written']) writeFileSync(file(name), 'x');
    const yesterday = new Date(Date.now() - 86_400_000);
    utimesSync(file('left'), yesterday, yesterday);
    await stores.releaseInFlight();
    expect(readdirSync(join(directory, 'unfinished'))).toEqual(['written']);
    stores.close();
  });
});

describe('several openers', () => {
  it('see each other', async () => {
    const directory = newDirectory();
    const [one, two] = [openEmbeddedStores(directory), openEmbeddedStores(directory)];
    await one.nodes.markSeen('a', 'production', 1);
    await two.nodes.want('a', 'x', 2, { asked: true });
    expect((await one.nodes.get('a'))?.wanted).toBe(1);
    await one.queue.send('express', [{ certname: 'a', generation: 1, reason: 'x', at: 2 }]);
    expect(await two.queue.receive(1, 0)).toHaveLength(1);
    expect(await one.queue.receive(1, 0)).toHaveLength(0);
    one.close();
    two.close();
  });

  it('lose nothing when each of several processes writes at once', async () => {
    const directory = newDirectory();
    const stores = openEmbeddedStores(directory);
    const writers = [1, 2, 3].map((writer) =>
      runWriter(directory, `for (let n = 0; n < 50; n += 1) await want('${writer}.' + n);`),
    );
    expect(await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0]))).toEqual([0, 0, 0]);
    expect(await stores.nodes.getCounts()).toEqual({ nodes: 150, outstanding: 150 });
    expect((await stores.queue.getDepth()).express.visible).toBe(150);
    stores.close();
  });
});

/** The subquery in the check of a row. */
const CHECKED_ROW = 'SCAN CONSTANT ROW';

it.each([
  ['owners', selectOwners(SQLITE), ['production', '[]'], ['SCAN json_each VIRTUAL TABLE INDEX 1:']],
  ['members', selectMembers(SQLITE), ['production', 'set', 0, '', 1], []],
])('finds the %s by indexes alone, so that it takes as long for many nodes as for few', (_, sql, parameters, scans) => {
  const database = new EmbeddedDatabase(newDirectory());
  const plan = database.selectAllNow(`EXPLAIN QUERY PLAN ${sql}`, ...parameters).map(({ detail }) => String(detail));
  expect(plan.filter((step) => step.startsWith('SCAN') && step !== CHECKED_ROW)).toEqual(scans);
  database.close();
});

it('reads the exports of a tag or title by indexes alone', () => {
  const database = new EmbeddedDatabase(newDirectory());
  const plan = database
    .selectAllNow(`EXPLAIN QUERY PLAN ${selectExportsOfKey(SQLITE)}`, 'Host', 'tag=web', 0, '', '', 0, 10)
    .map(({ detail }) => String(detail));
  expect(plan.filter((step) => !/^(SEARCH|CORRELATED)/.test(step) && step !== CHECKED_ROW)).toEqual([]);
  database.close();
});

describe('kill -9', () => {
  it('leaves everything that was answered', async () => {
    const directory = newDirectory();
    const stores = openEmbeddedStores(directory);
    const writer = runWriter(
      directory,
      `for (let n = 1; ; n += 1) { await want('' + n); await stores.blobs.put('facts/a', Buffer.alloc(50_000, n)); console.log(n); }`,
    );
    let answered = 0;
    for await (const chunk of writer.stdout) {
      answered = Math.max(answered, ...String(chunk).trim().split('\n').map(Number));
      if (answered >= 20) break;
    }
    writer.kill('SIGKILL');
    expect((await stores.nodes.getCounts()).outstanding).toBeGreaterThanOrEqual(answered);
    expect((await stores.queue.getDepth()).express.visible).toBeGreaterThanOrEqual(answered);
    const facts = await stores.blobs.get('facts/a');
    expect(facts?.length).toBe(50_000);
    expect(new Set(facts).size).toBe(1);
    stores.close();
  });

  it('of a compile leaves the lease with the job that stays, when two of a node become one', async () => {
    const stores = openEmbeddedStores(newDirectory());
    const job = { certname: 'a', generation: 1, reason: 'x', at: 2 };
    await stores.nodes.markSeen('a', 'production', 1);
    await stores.nodes.want('a', 'x', 1, { asked: true });
    await stores.queue.send('express', [job]);
    const [first] = await stores.queue.receive(1, 0);
    await stores.nodes.lease('a', 2, 600_000, first?.id ?? '');
    await stores.queue.send('waiting', [job]);
    if (first) await stores.queue.retryAfter(first, 5000);
    const [kept] = await stores.queue.receive(1, 0);
    expect(kept?.id).not.toBe(first?.id);
    expect(await stores.nodes.lease('a', 3, 600_001, kept?.id ?? '')).toHaveProperty('node');
    stores.close();
  });

  it('of the receiver of a job shows the job again at the next start', async () => {
    const directory = newDirectory();
    const first = openEmbeddedStores(directory);
    await first.queue.send('express', [{ certname: 'a', generation: 1, reason: 'x', at: 2 }]);
    expect(await first.queue.receive(1, 0)).toHaveLength(1);
    first.close();
    const second = openEmbeddedStores(directory);
    expect(await second.queue.receive(1, 0)).toHaveLength(0);
    await second.releaseInFlight();
    const [again] = await second.queue.receive(1, 0);
    expect(again).toMatchObject({ job: { certname: 'a' }, receiveCount: 2 });
    if (again) await second.queue.retryAfter(again, 60_000);
    second.close();
    const third = openEmbeddedStores(directory);
    expect(await third.queue.receive(1, 0)).toHaveLength(0);
    await third.releaseInFlight();
    expect(await third.queue.receive(1, 0)).toMatchObject([{ job: { certname: 'a' }, receiveCount: 3 }]);
    third.close();
  });
});

describe('a job of a node that has one', () => {
  const job = (generation: number, more: Partial<CompileJob> = {}): CompileJob => {
    return { certname: 'a', generation, reason: `job ${generation}`, at: generation, ...more };
  };
  const received = async (stores: EmbeddedStores) =>
    (await stores.queue.receive(10, 0)).map(({ queue, id, job: { generation } }) => `${queue} ${id} ${generation}`);

  it.each([
    ['express', 'express', 'express 1 2'],
    ['background', 'express', 'express 1 2'],
    ['express', 'waiting', 'waiting 1 2'],
    ['waiting', 'express', 'waiting 1 2'],
    ['express', 'background', 'express 1 2'],
  ] as const)('in the %s queue is joined by one for the %s queue', async (first, second, expected) => {
    const stores = openEmbeddedStores(newDirectory());
    await stores.queue.send(first, [job(1)]);
    await stores.queue.send(second, [job(2)]);
    expect(await received(stores)).toEqual([expected]);
    stores.close();
  });

  it('is joined when it waits for another try, and has all its tries again', async () => {
    const stores = openEmbeddedStores(newDirectory(), { maxReceives: 2 });
    await stores.queue.send('express', [job(1)]);
    const [first] = await stores.queue.receive(1, 0);
    if (first) await stores.queue.retryAfter(first, 60_000);
    expect(await stores.queue.receive(1, 0)).toEqual([]);
    await stores.queue.send('express', [job(2)]);
    const [second] = await stores.queue.receive(1, 0);
    expect(second).toMatchObject({ id: first?.id, receiveCount: 1, job: { generation: 2 } });
    if (first) await stores.queue.acknowledge(first);
    if (second) await stores.queue.retryAfter(second, 0);
    const [third] = await stores.queue.receive(1, 0);
    expect(third).toMatchObject({ id: first?.id, receiveCount: 2 });
    if (third) await stores.queue.retryAfter(third, 0);
    expect(await stores.queue.receive(1, 0)).toEqual([]);
    expect((await stores.queue.getDepth()).dead.visible).toBe(1);
    await stores.queue.send('express', [job(3)]);
    expect(await received(stores)).toEqual(['express 2 3']);
    stores.close();
  });

  it('is joined by a late one of an earlier generation, and keeps its own', async () => {
    const stores = openEmbeddedStores(newDirectory());
    await stores.queue.send('express', [job(2)]);
    await stores.queue.send('waiting', [job(1, { waiting: 'upgrade' })]);
    const [joined] = await stores.queue.receive(1, 0);
    expect(joined).toMatchObject({ queue: 'waiting', job: job(2) });
    stores.close();
  });

  it('has no claim of priority: it is moved when it loses it, so that no worker gives it up', async () => {
    const stores = openEmbeddedStores(newDirectory());
    await stores.queue.send('waiting', [job(1, { waiting: 'alone' })]);
    await stores.queue.demote('a');
    const [demoted] = await stores.queue.receive(1, 0);
    expect(demoted).toMatchObject({ queue: 'express', job: job(1) });
    expect(demoted?.job.waiting).toBeUndefined();
    stores.close();
  });

  it('stays when its worker returns it after its visibility has ended', async () => {
    const clock = new ManualClock();
    const stores = openEmbeddedStores(newDirectory(), { clock });
    await stores.queue.send('express', [job(1)]);
    const [late] = await stores.queue.receive(1, 0);
    clock.time += 3_600_000;
    if (late) await stores.queue.retryAfter(late, 0);
    expect(await received(stores)).toEqual(['express 1 1']);
    stores.close();
  });

  it.each([
    ['a later generation', 2, 'waiting 1 2'],
    ['an earlier generation', 0, 'waiting 1 1'],
  ])('is one with another of %s when a worker returns it', async (_, generation, expected) => {
    const stores = openEmbeddedStores(newDirectory());
    await stores.queue.send('waiting', [job(1)]);
    const [held] = await stores.queue.receive(1, 0);
    await stores.queue.send('background', [job(generation)], 60_000);
    if (held) await stores.queue.retryAfter(held, 0);
    expect(await received(stores)).toEqual([expected]);
    stores.close();
  });

  it.each([
    [undefined, 60_000, undefined],
    [60_000, undefined, undefined],
    [60_000, 30_000, 30_000],
    [30_000, 60_000, 30_000],
  ])('is received when the first of both is: after %s and %s ms', async (first, second, expected) => {
    const clock = new ManualClock();
    const stores = openEmbeddedStores(newDirectory(), { clock });
    const start = clock.time;
    const delayed = (pause: number | undefined) => (pause === undefined ? {} : { notBefore: start + pause });
    await stores.queue.send('express', [job(1, delayed(first))]);
    await stores.queue.send('express', [job(2, delayed(second))]);
    clock.time += expected ?? 0;
    const [joined] = await stores.queue.receive(1, 0);
    expect(joined?.job).toEqual(job(2, delayed(expected)));
    stores.close();
  });

  it('is not joined while a worker has it, nor by a question', async () => {
    const stores = openEmbeddedStores(newDirectory());
    await stores.queue.send('express', [job(1)]);
    expect(await received(stores)).toEqual(['express 1 1']);
    await stores.queue.send('express', [job(2)]);
    await stores.queue.send('waiting', [job(0, { request: 'q1' }), job(0, { request: 'q2' })]);
    await stores.queue.send('waiting', [job(3, { waiting: 'alone' })]);
    await stores.queue.demote('a');
    expect(await received(stores)).toEqual(['waiting 3 0', 'waiting 4 0', 'express 2 3']);
    stores.close();
  });
});

describe('the change feed of exports', () => {
  it('tells each change until it is done, to one receiver at a time', async () => {
    const stores = openEmbeddedStores(newDirectory());
    const resource = (title: string, v: number) => ({
      certname: 'a',
      type: 'File',
      title,
      tags: [],
      parameters: { v },
    });
    await stores.exports.replaceExports('a', 1, [resource('kept', 1), resource('changed', 1), resource('gone', 1)]);
    const first = await stores.changes.receive(10);
    expect(first.map(({ change }) => change)).toEqual(
      ['kept', 'changed', 'gone'].map((title) => ({ before: null, after: resource(title, 1) })),
    );
    expect(await stores.changes.receive(10)).toEqual([]);
    await stores.releaseInFlight();
    expect(await stores.changes.receive(10)).toEqual(first);
    await stores.changes.acknowledge(first.map(({ id }) => id));
    await stores.exports.replaceExports('a', 2, [resource('kept', 1), resource('changed', 2)]);
    expect((await stores.changes.receive(10)).map(({ change }) => change)).toEqual([
      { before: resource('changed', 1), after: resource('changed', 2) },
      { before: resource('gone', 1), after: null },
    ]);
    stores.close();
  });
});

it('tells changes of exports in batches: all that are there when the oldest has waited', async () => {
  const clock = new ManualClock();
  const stores = openEmbeddedStores(newDirectory(), { clock });
  const write = (generation: number, ...titles: readonly string[]) =>
    stores.exports.replaceExports(
      'a',
      generation,
      titles.map((title) => ({ certname: 'a', type: 'File', title, tags: [], parameters: {} })),
    );
  const receive = async () => (await stores.changes.receive(10, 15_000)).map(({ change }) => change.after?.title);
  await write(1, 'x');
  clock.time += 14_999;
  await write(2, 'x', 'y');
  expect(await receive()).toEqual([]);
  clock.time += 1;
  expect(await receive()).toEqual(['x', 'y']);
  await write(3, 'x', 'y', 'z');
  clock.time += 14_999;
  expect(await receive()).toEqual([]);
  clock.time += 1;
  expect(await receive()).toEqual(['z']);
  stores.close();
});

/** A process of its own that has the stores open, and `want()`: a node, a reason and its job. */
function runWriter(directory: string, body: string) {
  const program = `
    const { openEmbeddedStores } = await import(${JSON.stringify(new URL('../../../shared/store/embedded/stores.ts', import.meta.url))});
    const stores = openEmbeddedStores(${JSON.stringify(directory)});
    const want = async (certname) => {
      await stores.nodes.markSeen(certname, 'production', 1);
      const { wanted: generation } = await stores.nodes.want(certname, 'x', 2, { asked: true });
      await stores.queue.send('express', [{ certname, generation, reason: 'x', at: 2 }]);
    };
    ${body}`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
}

it('stored sums of queries on exports expire when nobody asks them any more', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 23));
  const directory = newDirectory();
  const stores = openEmbeddedStores(directory, { clock });
  const database = new DatabaseSync(join(directory, 'understudy.db'));
  const listQueries = () => database.prepare('SELECT query FROM export_sums').all().length;
  const ask = (type: string) => stores.exports.digestCollected([{ type, query: null }], '');
  let generation = 0;
  const change = (type: string) => {
    generation += 1;
    const parameters = { generation };
    return stores.exports.replaceExports(type, generation, [
      { certname: type, type, title: 'x', tags: [], parameters },
    ]);
  };
  await change('Old');
  await ask('Old');
  clock.time += 20 * 86_400_000;
  await change('New');
  await ask('New');
  expect(listQueries()).toBe(2);
  clock.time += 20 * 86_400_000;
  await change('New');
  await ask('New');
  expect(listQueries()).toBe(1);
  const digest = await ask('Old');
  expect(await ask('Old')).toBe(digest);
  database.close();
  stores.close();
});
