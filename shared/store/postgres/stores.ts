import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CachedBlobs } from '../cached-blobs.ts';
import { noteDamage } from '../embedded/damage/damage-log.ts';
import { BLOB_CACHE, VALUES_KEY_FILE } from '../embedded/directory-files.ts';
import { openFileSeal } from '../embedded/file-seal.ts';
import { LargeFolderCache } from '../embedded/folder-cache.ts';
import { listLeaders } from '../keep-leading.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { StoredDocument } from '../ports/document-store.ts';
import type { Doorbell } from '../ports/doorbell.ts';
import type { ExportChangeFeed } from '../ports/export-store.ts';
import type { NodeChangeLog } from '../ports/node-changes.ts';
import type { TextSeal } from '../ports/secrets.ts';
import type { Servers } from '../ports/servers.ts';
import type { Stores } from '../ports/stores.ts';
import { createTables, type TableOptions } from '../sql/tables.ts';
import { PostgresBlobStore } from './blob-store.ts';
import { PostgresConnection } from './connection.ts';
import { DatabaseClock } from './database-clock.ts';
import { describeDatabase } from './database-state.ts';
import { listInstances } from './instances.ts';
import { Listener } from './listener.ts';
import { readDatabasePlace } from './place.ts';
import { bringTables, requireTables } from './schema.ts';

/** Stores that any number of servers share. */
export interface PostgresStores extends Stores {
  readonly changes: ExportChangeFeed;
  readonly nodeChanges: NodeChangeLog;
  readonly database: PostgresConnection;
  readonly clock: DatabaseClock;
  readonly servers: Servers;
  readonly doorbell: Doorbell;
  /** Waits for the statements in progress, then closes. */
  close(): Promise<void>;
}

interface PostgresOptions extends Pick<TableOptions, 'visibilityMs' | 'maxReceives'> {
  /** The folder of this server: its log of damage. */
  readonly directory: string;
  /** The file that seals kept values; absent: in the folder. */
  readonly keyFile?: string | undefined;
  /** The name of the server; absent for a command. */
  readonly instance?: string;
  /** The address of the blobs; absent: they are in the database. */
  readonly bucket?: string | undefined;
  /** The most bytes that the folder has of blobs that were read; absent or 0: none. */
  readonly cacheBytes?: number;
  /** Most connections at a time. */
  readonly connections: number;
  /** Whether it brings tables of the release before to this one's. */
  readonly mayMigrate?: boolean;
  /** Whether it opens no sealed value unless it must: the key file may be elsewhere. */
  readonly isCommand?: boolean;
}

const SEAL_CHECK = ['seals', 'values'] as const;
const SEALED = 'understudy';

/**
 * Opens the stores of a database whose tables are prepared. Throws StoreRefused for a wrong
 * address, tables of another release, or a key file with which the database's values were not
 * sealed, and StoreUnavailable while the database cannot be reached.
 */
export async function openPostgresStores(url: string, options: PostgresOptions): Promise<PostgresStores> {
  const { directory, keyFile, bucket, cacheBytes = 0, connections, instance = `command-${process.pid}` } = options;
  const place = readDatabasePlace(url);
  const database = new PostgresConnection(place, { connections, name: instance });
  try {
    await (options.mayMigrate === true ? bringTables(database) : requireTables(database));
    const clock = await DatabaseClock.start(database);
    const doorbell = new Listener(database, instance);
    const tables = createTables(database, {
      ...options,
      clock,
      doorbell,
      receiver: `${instance}/${randomUUID().slice(0, 8)}`,
    });
    const mayMake = keyFile === undefined && !options.isCommand;
    const seal = openFileSeal(keyFile ?? join(directory, VALUES_KEY_FILE), mayMake);
    if (!options.isCommand) await assertSeal(tables.documents, seal);
    const stored =
      bucket === undefined
        ? new PostgresBlobStore(database, clock, (name) => noteDamage(directory, { kind: 'blob', name }))
        : await openBucket(bucket);
    const cache = cacheBytes > 0 ? new LargeFolderCache(join(directory, BLOB_CACHE), cacheBytes) : null;
    return {
      ...tables,
      changes: tables.exports,
      clock,
      database,
      doorbell,
      servers: {
        list: async () => listInstances(database, clock, await listLeaders({ documents: tables.documents, clock })),
        describeDatabase: () => describeDatabase(database, clock),
      },
      seal,
      blobs: cache === null ? stored : new CachedBlobs(stored, cache),
      close: async () => {
        clock.stop();
        await doorbell.stop();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Loads the client of S3 where it is needed: it is large. */
async function openBucket(url: string): Promise<BlobStore> {
  const { openS3Blobs } = await import('../aws/s3-blobs.ts');
  return openS3Blobs(url);
}

/** The first server seals a text, which all others must be able to open. */
async function assertSeal(documents: Stores['documents'], seal: TextSeal): Promise<void> {
  const [collection, key] = SEAL_CHECK;
  const known = (await documents.get(collection, key)) ?? (await sealFirst(documents, seal));
  seal.open(String(known?.sealed));
}

async function sealFirst(documents: Stores['documents'], seal: TextSeal): Promise<StoredDocument | null> {
  const [collection, key] = SEAL_CHECK;
  await documents.create(collection, key, { sealed: seal.seal(SEALED) });
  return documents.get(collection, key);
}
