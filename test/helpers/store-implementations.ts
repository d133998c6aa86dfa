import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, describe } from 'vitest';
import { ENVIRONMENT_VARIABLES, TABLES } from '../../shared/config/deployment.ts';
import { readNodeChanges } from '../../shared/store/aws/change-streams.ts';
import { openAwsStores } from '../../shared/store/aws/stores.ts';
import { EmbeddedDatabase } from '../../shared/store/embedded/database.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { openConnectedStores } from '../../shared/store/embedded/threaded-stores.ts';
import { WriteServer } from '../../shared/store/embedded/write-server.ts';
import type { NodeChange, NodeChangeLog } from '../../shared/store/ports/node-changes.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { openPostgresStores } from '../../shared/store/postgres/stores.ts';
import { createTables } from '../../shared/store/sql/tables.ts';
import { deployNames, type Emulators, type QueueSettings, startEmulators } from './aws-emulators.ts';
import { canSharePostgres, createTestDatabase } from './shared-postgres.ts';
import { TableStream } from './table-stream.ts';

const QUEUES: QueueSettings = { visibilityMs: 30_000, maxReceives: 3 };

/** Stores, and the changes of nodes as their functions get them. */
export interface OpenedStores extends Stores {
  /** The changes since the last call; of the first call, none. */
  takeChanges(): Promise<readonly NodeChange[]>;
}

/** Opens stores that no other test uses. */
export type OpenStores = (queues?: QueueSettings) => Promise<OpenedStores>;

/** Runs the suite over each implementation of the ports. */
export function describeStores(name: string, suite: (open: OpenStores) => void): void {
  describe(`${name} (embedded)`, () => {
    const closers: (() => void)[] = [];
    afterAll(() => {
      for (const close of closers) close();
    });
    suite(async (queues = QUEUES) => {
      const directory = mkdtempSync(join(tmpdir(), 'understudy-store-'));
      const stores = openEmbeddedStores(directory, queues);
      closers.push(() => {
        stores.close();
        rmSync(directory, { recursive: true });
      });
      return { ...stores, takeChanges: () => takeLogged(stores.nodeChanges) };
    });
  });
  describe(`${name} (embedded, writes through a port)`, () => {
    const closers: (() => Promise<void>)[] = [];
    afterAll(async () => {
      for (const close of closers) await close();
    });
    suite(async (queues = QUEUES) => {
      const directory = mkdtempSync(join(tmpdir(), 'understudy-store-'));
      // The write server of `write-thread.ts`, in this thread: every argument and result is cloned.
      const database = new EmbeddedDatabase(directory);
      const { port1, port2 } = new MessageChannel();
      new WriteServer(database, createTables(database.transaction, queues)).serve(port2);
      const stores = openConnectedStores(directory, port1, queues);
      closers.push(async () => {
        await stores.close();
        database.close();
        rmSync(directory, { recursive: true });
      });
      return { ...stores, takeChanges: () => takeLogged(stores.nodeChanges) };
    });
  });
  describe.skipIf(!canSharePostgres())(`${name} (PostgreSQL)`, () => {
    const closers: (() => Promise<void>)[] = [];
    afterAll(async () => {
      for (const close of closers) await close();
    });
    suite(async (queues = QUEUES) => {
      const directory = mkdtempSync(join(tmpdir(), 'understudy-store-'));
      const url = await createTestDatabase();
      const stores = await openPostgresStores(url, { ...queues, directory, connections: 4 });
      closers.push(async () => {
        await stores.close();
        rmSync(directory, { recursive: true });
      });
      return { ...stores, takeChanges: () => takeLogged(stores.nodeChanges) };
    });
  });
  describe(`${name} (AWS on emulators)`, () => {
    let emulators: Emulators | undefined;
    beforeAll(async () => {
      emulators = await startEmulators();
    });
    afterAll(() => emulators?.close());
    suite(async (queues = QUEUES) => {
      if (!emulators) throw new Error('the emulators are not running');
      const { clients } = emulators;
      const names = await deployNames(clients, queues);
      const streams = (['nodes', 'documents'] as const).map(
        (name) => new TableStream(clients.dynamodb, names[ENVIRONMENT_VARIABLES[`${name}Table`]] ?? '', TABLES[name]),
      );
      const takeChanges = async () => {
        const records = await Promise.all(streams.map((stream) => stream.takeRecords()));
        return records.flat().flatMap(readNodeChanges);
      };
      return { ...openAwsStores(names, clients), takeChanges };
    });
  });
}

async function takeLogged(log: NodeChangeLog): Promise<readonly NodeChange[]> {
  await log.follow('test');
  const { changes, position } = await log.read('test', 1000);
  await log.advance('test', { position, pass: null });
  return changes;
}
