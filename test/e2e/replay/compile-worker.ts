import { compile } from '../../../shared/compiler/compile.ts';
import { SnapshotCache } from '../../../shared/jobs/snapshot-cache.ts';
import { runWorker } from '../../../shared/jobs/worker-loop.ts';
import type { EmbeddedStores } from '../../../shared/store/embedded/stores.ts';

/** Compiles in this process what the stores' queues ask for; `fault` is told what goes wrong. */
export class CompileWorker {
  readonly #stopping = new AbortController();
  readonly #working: Promise<void>;

  constructor(stores: EmbeddedStores, fault: (error: unknown) => void) {
    const context = {
      stores,
      snapshots: new SnapshotCache(stores.blobs),
      compile,
      settings: { strict: 'error', strictVariables: true, tasks: false, storeconfigs: true },
      server: { name: 'puppet.example.com', ip: '127.0.0.1', version: '8.10.0', release: 'test' },
      limitMs: 60_000,
    } as const;
    const { queue, changes } = stores;
    const observer = { began: () => {}, report: () => {}, fault };
    this.#working = runWorker({ context, queue, changes, invalidate: stores }, observer, this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }
}
