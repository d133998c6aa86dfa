import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ExportedResource } from '../../../shared/puppet/catalog/exported.ts';
import { EmbeddedDatabase } from '../../../shared/store/embedded/database.ts';
import { openConnectedStores, openThreadedStores } from '../../../shared/store/embedded/threaded-stores.ts';
import { WriteClient } from '../../../shared/store/embedded/write-client.ts';
import { WriteServer } from '../../../shared/store/embedded/write-server.ts';
import { StoreRefused, StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import { createTables } from '../../../shared/store/sql/tables.ts';

const base = mkdtempSync(join(tmpdir(), 'understudy-threaded-'));
afterAll(() => rmSync(base, { recursive: true }));

let directories = 0;
function newDirectory(): string {
  directories += 1;
  return join(base, `data${directories}`);
}

/** A write server in this thread, whose transactions can be watched. */
function openWatched() {
  const directory = newDirectory();
  const database = new EmbeddedDatabase(directory);
  const tables = createTables(database.transaction, {});
  const { port1, port2 } = new MessageChannel();
  const server = new WriteServer(database, tables);
  server.serve(port2);
  return { directory, database, tables, server, stores: openConnectedStores(directory, port1) };
}

function exported(certname: string, title: string, parameters: Readonly<Record<string, unknown>>): ExportedResource {
  return { certname, type: 'Notify', title, tags: [], parameters };
}

describe('group commit', () => {
  it('writes the calls that arrive together in one transaction, and answers after it', async () => {
    const { database, stores } = openWatched();
    const together = vi.spyOn(database, 'runTogether');
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => stores.nodes.markSeen(name, 'production', 1)));
    expect(together).toHaveBeenCalledTimes(1);
    expect((await stores.nodes.getCounts()).nodes).toBe(100);
    await stores.close();
    database.close();
  });

  it('undoes only the call that fails', async () => {
    const { database, stores } = openWatched();
    const together = vi.spyOn(database, 'runTogether');
    // JSON has no big integers: the second row cannot be written, and the first must not stay.
    const results = await Promise.allSettled([
      stores.exports.replaceExports('a', 1, [exported('a', 'x', {})]),
      stores.exports.replaceExports('b', 1, [exported('b', 'x', {}), exported('b', 'y', { size: 1n })]),
      stores.exports.replaceExports('c', 1, [exported('c', 'x', {})]),
    ]);
    expect(together).toHaveBeenCalledTimes(1);
    expect(results).toEqual([
      { status: 'fulfilled', value: true },
      { status: 'rejected', reason: new Error('Do not know how to serialize a BigInt') },
      { status: 'fulfilled', value: true },
    ]);
    const left = await stores.exports.collect([{ type: 'Notify', query: null }], '');
    expect(left.map(({ certname, title }) => `${certname} ${title}`)).toEqual(['a x', 'c x']);
    await stores.close();
    database.close();
  });

  it('fails all calls of a transaction that cannot be committed, and goes on', async () => {
    const { database, stores } = openWatched();
    const undone = vi.spyOn(database, 'runTogether').mockImplementationOnce((works) => {
      return database.runInTransaction(async () => {
        for (const work of works) await work();
        throw new StoreUnavailable('database is locked');
      });
    });
    const write = (name: string) => stores.nodes.markSeen(name, 'production', 1);
    const failed = await Promise.allSettled([write('a'), write('b')]);
    const reason = new StoreUnavailable('database is locked');
    expect(failed).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(undone).toHaveBeenCalledTimes(1);
    await write('c');
    expect((await stores.nodes.list(null, 10)).map(({ certname }) => certname)).toEqual(['c']);
    await stores.close();
    database.close();
  });
});

describe('an error of the write thread', () => {
  it.each([
    ['that a retry can fix', new StoreUnavailable('too busy')],
    ['that needs an operator', new StoreRefused('the disk is full')],
    ['that is ours', new Error('invariant: no')],
  ])('%s keeps its class and its message', async (_, error) => {
    const { database, tables, stores } = openWatched();
    vi.spyOn(tables.nodes, 'delete').mockRejectedValue(error);
    const seen = await stores.nodes.delete('a').catch((caught: unknown) => caught);
    expect(seen).toStrictEqual(error);
    expect(Object.getPrototypeOf(seen)).toBe(Object.getPrototypeOf(error));
    await stores.close();
    database.close();
  });

  it('names what is no method of a store', async () => {
    const { database, server, directory } = openWatched();
    const { port1, port2 } = new MessageChannel();
    server.serve(port2);
    const client = new WriteClient(port1, directory);
    await expect(client.call('nodes', 'vanish', [])).rejects.toThrow(
      new Error("invariant: the store 'nodes' has no method 'vanish'"),
    );
    await client.close();
    database.close();
  });
});

it("refuses writes on the caller's own connection", () => {
  const directory = newDirectory();
  const database = new EmbeddedDatabase(directory);
  database.refuseWrites();
  expect(() => database.runNow("DELETE FROM nodes WHERE certname = 'a'")).toThrow(
    new StoreRefused(`data directory '${directory}': attempt to write a readonly database`),
  );
  database.close();
});

it('bounds the calls that wait', async () => {
  const { port1, port2 } = new MessageChannel();
  const client = new WriteClient(port1, 'data', 2);
  const waiting = Promise.allSettled([client.call('nodes', 'delete', ['a']), client.call('nodes', 'delete', ['b'])]);
  await expect(client.call('nodes', 'delete', ['c'])).rejects.toThrow(
    new StoreUnavailable("data directory 'data': 2 writes wait already"),
  );
  port2.close();
  const reason = new StoreUnavailable("data directory 'data': its write thread ended");
  expect(await waiting).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  await expect(client.call('nodes', 'delete', ['d'])).rejects.toThrow(reason);
});

describe('the write thread', () => {
  it('never makes its callers wait for a lock, and a read sees every write that was answered', async () => {
    const directory = newDirectory();
    const stores = openThreadedStores(directory, {}, () => {});
    await stores.nodes.markSeen('a', 'production', 1);
    const other = new DatabaseSync(join(directory, 'understudy.db'));
    other.exec('BEGIN IMMEDIATE');
    let isWritten = false;
    const writing = stores.nodes.markSeen('b', 'production', 2).then(() => {
      isWritten = true;
    });
    const began = Date.now();
    for (let turn = 0; turn < 20; turn += 1) await stores.clock.sleep(10);
    expect((await stores.nodes.get('a'))?.lastSeen).toBe(1);
    expect(isWritten).toBe(false);
    expect(Date.now() - began).toBeLessThan(5000);
    other.exec('COMMIT');
    await writing;
    expect((await stores.nodes.get('b'))?.lastSeen).toBe(2);
    other.close();
    await stores.close();
  });

  it('is shared by other threads', async () => {
    const directory = newDirectory();
    const stores = openThreadedStores(directory, {}, () => {});
    const others = [1, 2].map(() => openConnectedStores(directory, stores.connect()));
    await stores.nodes.markSeen('a', 'production', 1);
    const raise = () => others.map((other) => other.nodes.want('a', 'x', 2, { asked: true }));
    await Promise.all([raise(), raise(), raise()].flat());
    await stores.queue.send('express', [{ certname: 'a', generation: 1, reason: 'x', at: 1 }]);
    const received = await Promise.all(others.map((other) => other.queue.receive(1, 0)));
    expect(received.flat().map(({ job }) => job.certname)).toEqual(['a']);
    for (const other of others) await other.close();
    await stores.close();
  });

  it('reports its end, and no later call waits for it', async () => {
    const directory = newDirectory();
    const failures: string[] = [];
    const stores = openThreadedStores(directory, {}, (error) => failures.push(error.message));
    await stores.nodes.markSeen('a', 'production', 1);
    // No call: it ends the thread.
    stores.connect().postMessage(null);
    await expect.poll(() => failures).toHaveLength(1);
    const message = failures[0] ?? '';
    expect(message).toMatch(/^data directory '.*': its write thread ended: Cannot read properties of null/);
    await expect(stores.nodes.markSeen('b', 'production', 1)).rejects.toThrow(StoreUnavailable);
    expect((await stores.nodes.get('a'))?.certname).toBe('a');
    await stores.close();
  });

  it('is the only server of its directory', async () => {
    const directory = newDirectory();
    const stores = openThreadedStores(directory, {}, () => {});
    expect(() => openThreadedStores(directory, {}, () => {})).toThrow(
      new StoreRefused(`data directory '${directory}' is already served by another process: ${process.pid}`),
    );
    await stores.close();
  });
});
