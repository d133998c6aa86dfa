import { resolve } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { scatterSerials } from '../access/ca/serials.ts';
import { WORKER_CONNECTIONS } from '../config/settings.ts';
import { forgetDeadLeases } from '../fleet/code/code-lock.ts';
import { openConnectedStores, openThreadedStores } from '../store/embedded/threaded-stores.ts';
import { keepLeading } from '../store/keep-leading.ts';
import type { Doorbell } from '../store/ports/doorbell.ts';
import type { ExportChangeFeed } from '../store/ports/export-store.ts';
import type { NodeChangeLog } from '../store/ports/node-changes.ts';
import type { ReadServers } from '../store/ports/servers.ts';
import type { Stores } from '../store/ports/stores.ts';
import { warnOfDatabase } from '../store/postgres/database-state.ts';
import { Heartbeat, nameInstance } from '../store/postgres/instances.ts';
import { POSTGRES_VERSION } from '../store/postgres/schema.ts';
import { openPostgresStores, type PostgresStores } from '../store/postgres/stores.ts';
import { viewServers } from '../store/postgres/view-servers.ts';
import { visibilityOf } from '../store/sql/tables.ts';
import type { LocalOptions } from './options.ts';

const MEGABYTE = 2 ** 20;

/** The stores of a server, or of one of its threads. */
interface ThreadStores extends Stores {
  readonly changes: ExportChangeFeed;
  readonly nodeChanges: NodeChangeLog;
  /** Absent where nobody else writes. */
  readonly doorbell?: Doorbell;
  /** Waits for the calls in progress, then closes. */
  close(): Promise<void>;
}

/** The way of a compile worker's thread to the stores. */
export type StoresWay =
  | { readonly directory: string; readonly writes: MessagePort }
  | {
      readonly directory: string;
      readonly url: string;
      readonly keyFile: string | undefined;
      /** The address of the blobs; absent: they are in the database. */
      readonly bucket: string | undefined;
      /** The most bytes of copies of blobs in the directory. */
      readonly cacheBytes: number;
      readonly visibilityMs: number;
      readonly instance: string;
    };

/** The part of a server in stores that it shares with others. */
interface SharedStores {
  /** The name of this server. */
  readonly instance: string;
  readonly database: PostgresStores['database'];
  readonly clock: PostgresStores['clock'];
  /** The number of servers that live, this one included. */
  readonly countServers: () => number;
  readonly readServers: ReadServers;
  /** Another lease than that of `lead` decides who leads this work: the servers' view names it. */
  expectLeader(work: string): void;
}

/** The stores of a server. */
export interface ServerStores extends ThreadStores {
  /** Null: no other server uses these stores. */
  readonly shared: SharedStores | null;
  /** Opens a way for another thread. */
  connect(): StoresWay;
  /**
   * Frees what processes that are gone had taken. From now on others see this server, if it shares
   * the stores.
   */
  begin(reportFault: (error: unknown) => void, warn: (line: string) => void): Promise<void>;
  /** Runs `work` until the signal: in one server at a time where several share the stores. */
  lead(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<unknown>): Promise<void>;
}

interface ServerContext {
  readonly release?: string;
  /** Nothing can be stored any more. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Opens the stores that the options name: those of the data directory, or of a database. Throws
 * StoreRefused and StoreUnavailable.
 */
export async function openServerStores(
  options: LocalOptions,
  limitMs: number,
  context: ServerContext,
): Promise<ServerStores> {
  const visibilityMs = visibilityOf(limitMs);
  const directory = resolve(options.data);
  if (options.database !== undefined) return openShared(options, options.database, visibilityMs, context);
  const stores = openThreadedStores(directory, { visibilityMs }, context.onFailure);
  return {
    ...stores,
    shared: null,
    connect: () => ({ directory, writes: stores.connect() }),
    begin: async () => {
      // The former server of this directory received the jobs in flight, and is gone.
      await stores.releaseInFlight();
      await forgetDeadLeases(stores);
    },
    lead: async (_, signal, work) => {
      await work(signal);
    },
  };
}

async function openShared(
  { data, keyFile, blobs: bucket, blobCache, databaseConnections: connections }: LocalOptions,
  url: string,
  visibilityMs: number,
  { release = 'unknown' }: ServerContext,
): Promise<ServerStores> {
  const directory = resolve(data);
  const instance = nameInstance();
  const cacheBytes = blobCache * MEGABYTE;
  const way = { directory, url, keyFile, bucket, cacheBytes, visibilityMs, instance };
  const stores = await openPostgresStores(url, { ...way, connections, mayMigrate: true });
  const { servers, clock } = stores;
  const works = new Set<string>();
  let heartbeat: Heartbeat | null = null;
  let reportFault: (error: unknown) => void = () => {};
  return {
    ...stores,
    shared: {
      ...{ instance, database: stores.database, clock },
      countServers: () => heartbeat?.servers ?? 1,
      readServers: viewServers({ servers, clock, own: instance, listWorks: () => works }),
      expectLeader: (work) => works.add(work),
    },
    connect: () => way,
    begin: async (report, warn) => {
      reportFault = report;
      const detail = {
        host: instance.slice(0, instance.lastIndexOf('-')),
        release,
        process: process.pid,
        tables: POSTGRES_VERSION,
      };
      for (const warning of warnOfDatabase(await servers.describeDatabase())) warn(warning);
      await scatterSerials(stores.documents);
      heartbeat = await Heartbeat.start(stores.database, clock, {
        ...{ name: instance, detail, reportFault },
        onFreed: () => stores.doorbell.ring(),
      });
    },
    lead: (name, signal, work) => {
      works.add(name);
      const ports = { ports: stores, name, holder: instance, reportFault: (error: unknown) => reportFault(error) };
      return keepLeading(ports, signal, work);
    },
    close: async () => {
      await heartbeat?.stop();
      await stores.close();
    },
  };
}

/** Opens the stores of a compile worker's thread. Throws like `openServerStores`. */
export async function openWorkerStores(way: StoresWay): Promise<ThreadStores> {
  if ('writes' in way) return openConnectedStores(way.directory, way.writes);
  return openPostgresStores(way.url, { ...way, connections: WORKER_CONNECTIONS });
}
