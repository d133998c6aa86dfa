import type { LanguageLevel } from '../../../shared/config/language-level.ts';
import { runWorker } from '../../../shared/fleet/compiles/worker-loop.ts';
import { DependencyCache } from '../../../shared/fleet/dependencies/dependency-cache.ts';
import { SnapshotCache } from '../../../shared/fleet/snapshots/snapshot-cache.ts';
import { compile } from '../../../shared/puppet/compiler/compile.ts';
import { EnvironmentRuby } from '../../../shared/puppet/ruby/environment-ruby.ts';
import { createWasmRuby } from '../../../shared/puppet/ruby/wasm/wasm-host.ts';
import type { EmbeddedStores } from '../../../shared/store/embedded/stores.ts';

/** The language level, and Puppet's settings `strict` and `strict_variables`. */
export interface Strictness {
  /** `puppet-8` by default. */
  readonly language?: LanguageLevel;
  readonly strict: 'error' | 'warning';
  readonly strictVariables: boolean;
}

/** Compiles in this process what the stores' queues ask for; `fault` is told what goes wrong. */
export class CompileWorker {
  readonly #stopping = new AbortController();
  readonly #working: Promise<void>;
  readonly #ruby = createWasmRuby();

  constructor(
    stores: EmbeddedStores,
    fault: (error: unknown) => void,
    strictness: Strictness = { strict: 'error', strictVariables: true },
  ) {
    const context = {
      stores,
      snapshots: new SnapshotCache(stores.blobs),
      dependencies: new DependencyCache(stores.blobs),
      compile,
      ruby: new EnvironmentRuby(this.#ruby),
      settings: { language: 'puppet-8', ...strictness, tasks: false, storeconfigs: true },
      server: { name: 'puppet.example.com', ip: '127.0.0.1', release: 'test' },
      limitMs: 60_000,
    } as const;
    const { queue, documents, changes } = stores;
    const observer = { onStart: () => {}, onReport: () => {}, onFault: fault };
    this.#working = runWorker(
      { context, queue, documents, changes, invalidate: stores },
      observer,
      this.#stopping.signal,
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
    this.#ruby.close();
  }
}
