import { join } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ExportChangeFeed } from '../ports/export-store.ts';
import type { NodeChangeLog } from '../ports/node-changes.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import type { Stores } from '../ports/stores.ts';
import { createTables, type DatabaseTables, type TableOptions } from '../sql/tables.ts';
import { systemClock } from '../system-clock.ts';
import { EmbeddedBlobStore } from './blob-store.ts';
import { EmbeddedDatabase } from './database.ts';
import { VALUES_KEY_FILE } from './directory-files.ts';
import { openFileSeal } from './file-seal.ts';
import { machineProcesses } from './processes.ts';
import { ServerLock } from './server-lock.ts';
import { LONGEST_WRITE_MS } from './stores.ts';
import { WriteClient } from './write-client.ts';

/** The stores of a thread that never writes to the database itself. */
export interface ConnectedStores extends Stores {
  readonly changes: ExportChangeFeed;
  readonly nodeChanges: NodeChangeLog;
  /** Waits for the calls in progress, then closes. */
  close(): Promise<void>;
}

/** The stores of the thread that started the write thread. */
export interface ThreadedStores extends ConnectedStores {
  /** See `EmbeddedStores`. */
  releaseInFlight(): Promise<void>;
  /** Opens a way to the write thread, for `openConnectedStores` in another thread. */
  connect(): MessagePort;
}

/** The `workerData` of `write-thread.ts`. */
export interface WriteThreadData {
  readonly directory: string;
  readonly visibilityMs?: number | undefined;
  readonly maxReceives?: number | undefined;
}

/** Methods that only read: they run on the caller's connection, which no writer blocks. */
const READS: { readonly [Name in keyof DatabaseTables]: readonly (keyof DatabaseTables[Name])[] } = {
  nodes: [
    ...(['get', 'listRing', 'listOutstanding', 'list', 'listCatalogs', 'listGroupings', 'getCounts'] as const),
    ...(['listSummaries', 'listOutstandingNames', 'listMarks', 'getSummaries'] as const),
  ],
  nodeChanges: ['read'],
  dependencies: ['findParts', 'findSets', 'listMembers', 'findOwners'],
  exports: ['collect', 'listOwn', 'digestCollected', 'listCollectors', 'getDigest'],
  environments: ['get', 'list'],
  documents: ['get', 'list', 'countKeys'],
  queue: ['getDepth', 'listDeadLetters'],
  fanOut: ['listDeadLetters', 'countDeadLetters'],
  groups: ['get', 'getWithNode'],
  jobs: ['get', 'list', 'listOpen', 'getNode', 'listNodes', 'listEvents'],
};

/**
 * Opens the stores of a data directory for its only server: one thread makes all writes, in
 * batches, so that no caller waits for a write lock. A read after an awaited write sees it.
 * `onFailure` is called when that thread ends by itself: nothing can be written any more. Throws
 * like `openEmbeddedStores` and its `serveAlone`.
 */
export function openThreadedStores(
  directory: string,
  options: Omit<TableOptions, 'clock'>,
  onFailure: (error: Error) => void,
): ThreadedStores {
  const database = new EmbeddedDatabase(directory);
  const lock = new ServerLock(directory);
  const thread = new WriteThread({ directory, ...options }, (error) => {
    client.fail(error);
    onFailure(error);
  });
  const client = new WriteClient(thread.connect(), directory);
  const stores = connect(database, client, options);
  return {
    ...stores,
    connect: () => thread.connect(),
    releaseInFlight: async () => {
      await client.call('queue', 'releaseInFlight', []);
      await client.call('fanOut', 'releaseInFlight', []);
      await client.call('exports', 'releaseInFlight', []);
      await client.call('nodes', 'releaseAll', []);
      await client.call('nodes', 'forgetLostJobs', [stores.clock.now()]);
      await client.call('jobs', 'releaseAll', []);
      stores.blobs.discardUnfinished(stores.clock.now() - LONGEST_WRITE_MS);
    },
    close: async () => {
      await stores.close();
      await thread.stop();
      lock.release();
    },
  };
}

/** Opens the stores of a data directory over `port`, which `ThreadedStores.connect` returned. */
export function openConnectedStores(directory: string, port: MessagePort, options: TableOptions = {}): ConnectedStores {
  return connect(new EmbeddedDatabase(directory), new WriteClient(port, directory), options);
}

function connect(database: EmbeddedDatabase, client: WriteClient, options: TableOptions) {
  database.refuseWrites();
  const tables = createTables(database, options, async (query, sums) => {
    await client.call('exports', 'putSums', [query, sums]);
  });
  const route = <Name extends keyof DatabaseTables>(name: Name) => routeWrites(tables[name], name, READS[name], client);
  const exports = route('exports');
  const queue = route('queue');
  return {
    clock: options.clock ?? systemClock,
    processes: machineProcesses,
    blobs: new EmbeddedBlobStore(database.directory),
    seal: openFileSeal(join(database.directory, VALUES_KEY_FILE)),
    nodes: route('nodes'),
    nodeChanges: route('nodeChanges'),
    dependencies: route('dependencies'),
    exports,
    changes: exports,
    environments: route('environments'),
    documents: route('documents'),
    fanOut: route('fanOut'),
    groups: route('groups'),
    jobs: route('jobs'),
    queue: {
      send: queue.send,
      demote: queue.demote,
      // Polls on the caller's connection.
      receive: (limit, waitMs, signal, queues) => tables.queue.receiveBy(queue.take, limit, waitMs, signal, queues),
      acknowledge: queue.acknowledge,
      retryAfter: queue.retryAfter,
      getDepth: queue.getDepth,
      listDeadLetters: queue.listDeadLetters,
      redrive: queue.redrive,
    },
    close: async () => {
      await client.close();
      database.close();
    },
  } satisfies ConnectedStores;
}

/** A store whose methods but `reads` are executed by the write thread. */
function routeWrites<Store extends object>(
  store: Store,
  name: keyof DatabaseTables,
  reads: readonly (keyof Store)[],
  client: WriteClient,
): Store {
  const isRead = new Set<PropertyKey>(reads);
  return new Proxy(store, {
    get(target, method): unknown {
      const found: unknown = Reflect.get(target, method);
      if (typeof found !== 'function') return found;
      if (isRead.has(method)) return found.bind(target);
      return (...args: readonly unknown[]) => client.call(name, String(method), args);
    },
  });
}

/** Starts and stops the write thread. */
class WriteThread {
  readonly #worker: Worker;
  readonly #ended: Promise<unknown>;
  #isStopping = false;

  constructor(data: WriteThreadData, onFailure: (error: Error) => void) {
    this.#worker = new Worker(new URL('./write-thread.ts', import.meta.url), { workerData: data });
    const what = `data directory '${data.directory}': its write thread ended`;
    this.#ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    let cause: unknown = null;
    this.#worker.once('error', (error) => {
      cause = error;
    });
    this.#worker.once('exit', (code) => {
      const reason = cause instanceof Error ? cause.message : `code ${code}`;
      if (!this.#isStopping) onFailure(new StoreUnavailable(`${what}: ${reason}`, cause));
    });
  }

  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage(port2, [port2]);
    return port1;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#worker.postMessage(null);
    await this.#ended;
  }
}
