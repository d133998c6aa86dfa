import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AwsJobStore } from '../../../shared/store/aws/job-store.ts';
import { Table } from '../../../shared/store/aws/table.ts';
import { openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import type { JobRecord, NodeRun } from '../../../shared/store/ports/job-records.ts';
import { StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import { deployNames, type Emulators, startEmulators } from '../../helpers/aws-emulators.ts';

// The stores take these for opaque: they are what a job's writer makes of them.
const body = (description: string) => ({ description }) as JobRecord;
const run = (name: string, message: string) => ({ name, message }) as NodeRun;
const event = (id: number) => ({ id, type: 'node_running', at: 0, details: {}, message: '' });
const OPEN = { isOpen: true, expiresAt: 1000 };

/** A table whose process dies before or after its n-th write. */
class DyingTable extends Table {
  writesLeft = Number.POSITIVE_INFINITY;
  isDone = false;

  override put(...args: Parameters<Table['put']>): Promise<boolean> {
    return this.#write(() => super.put(...args));
  }

  override update(...args: Parameters<Table['update']>): ReturnType<Table['update']> {
    return this.#write(() => super.update(...args));
  }

  override delete(...args: Parameters<Table['delete']>): Promise<boolean> {
    return this.#write(() => super.delete(...args));
  }

  async #write<T>(write: () => Promise<T>): Promise<T> {
    this.writesLeft -= 1;
    if (this.writesLeft > 0) return write();
    if (this.writesLeft === 0 && this.isDone) await write();
    throw new StoreUnavailable('down');
  }
}

describe('a commit in DynamoDB whose writer dies', () => {
  let emulators: Emulators;
  let name: string;

  beforeAll(async () => {
    emulators = await startEmulators();
    name = (await deployNames(emulators.clients, { visibilityMs: 1000, maxReceives: 1 })).UNDERSTUDY_JOBS_TABLE ?? '';
  });
  afterAll(() => emulators.close());

  const openTable = () => new DyingTable(DynamoDBDocumentClient.from(emulators.clients.dynamodb), name);

  it('is made whole by the next owner, or did not happen', async () => {
    const next = new AwsJobStore(openTable());
    const outcomes = [];
    for (let death = 1; death <= 10; death += 1) {
      const number = await next.takeNumbers('ledgers', 1);
      await next.create('job', number, body('before'), OPEN);
      const table = openTable();
      const writer = new AwsJobStore(table);
      await writer.claim('job', number, { owner: 'writer', until: 10 }, 0);
      table.writesLeft = Math.ceil(death / 2);
      table.isDone = death % 2 === 0;
      const change = { body: body('after'), nodes: [run('a', 'x'), run('b', 'x')], events: [event(1)], isOpen: false };
      await expect(writer.commit('job', number, 2, change, 'token')).rejects.toThrow('down');
      const claimed = await next.claim('job', number, { owner: 'next', until: 30 }, 20);
      const nodes = await next.listNodes(number, '', 10);
      const events = await next.listEvents('job', number, 0, 10);
      outcomes.push(`${claimed?.body.description} ${nodes.length} ${events.length}`);
      // The dead writer comes back: its step is in force, or it is shut out.
      table.writesLeft = Number.POSITIVE_INFINITY;
      expect(await writer.commit('job', number, 2, change, 'token')).toBe(false);
      expect(await next.listNodes(number, '', 10)).toEqual(nodes);
    }
    expect(outcomes).toEqual(['before 0 0', ...Array.from({ length: 9 }, () => 'after 2 1')]);
    expect(await next.listOpen('job')).toEqual([1]);
  });

  it('is made whole by the writer itself, when it tries again', async () => {
    for (let death = 1; death <= 10; death += 1) {
      const table = openTable();
      const writer = new AwsJobStore(table);
      const number = await writer.takeNumbers('ledgers', 1);
      await writer.create('job', number, body('before'), OPEN);
      table.writesLeft = Math.ceil(death / 2);
      table.isDone = death % 2 === 0;
      const change = { body: body('after'), nodes: [run('a', 'x'), run('b', 'x')], events: [event(1)], isOpen: false };
      await expect(writer.commit('job', number, 1, change, 'token')).rejects.toThrow('down');
      table.writesLeft = Number.POSITIVE_INFINITY;
      expect(await writer.commit('job', number, 1, change, 'token')).toBe(true);
      expect(await writer.get('job', number)).toMatchObject({ version: 2, body: { description: 'after' } });
      expect(await writer.listNodes(number, '', 10)).toEqual(change.nodes);
      expect(await writer.listEvents('job', number, 0, 10)).toEqual(change.events);
    }
  });
});

describe('expired jobs', () => {
  it('go from the embedded store with their nodes and events, and nothing else does', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'understudy-jobs-'));
    const stores = openEmbeddedStores(directory);
    const { jobs } = stores;
    for (const number of [1, 2]) {
      await jobs.create('job', number, body('x'), { isOpen: true, expiresAt: number * 1000 });
      await jobs.commit('job', number, 1, { body: body('x'), nodes: [run('a', '')], events: [event(number)] }, 't');
    }
    await jobs.create('schedule', 3, { description: 's' } as never, { isOpen: true, expiresAt: null });
    expect(await jobs.expire(1500)).toEqual([1]);
    expect(await jobs.get('job', 1)).toBeNull();
    expect(await jobs.listNodes(1, '', 9)).toEqual([]);
    expect(await jobs.listEvents('job', 1, 0, 9)).toEqual([]);
    expect(await jobs.listNodes(2, '', 9)).toHaveLength(1);
    expect(await jobs.listOpen('schedule')).toEqual([3]);
    stores.close();
    rmSync(directory, { recursive: true });
  });
});
