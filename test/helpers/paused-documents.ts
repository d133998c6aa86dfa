import type { DocumentStore } from '../../shared/store/ports/document-store.ts';

/** Work in progress. */
export interface Running<T> {
  readonly ended: Promise<PromiseSettledResult<T>>;
}

/** A view of a document store for one party. Its calls proceed only as far as the test allows. */
export class PausedDocuments {
  readonly documents: DocumentStore;
  /** The number of calls since `holdAfter`. */
  calls = 0;
  #allowed = Number.POSITIVE_INFINITY;
  #held: (() => void)[] = [];
  #stopped: () => void = () => {};

  constructor(documents: DocumentStore) {
    this.documents = new Proxy(documents, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        return async (...args: readonly unknown[]) => {
          await this.#pass();
          return method.apply(target, args);
        };
      },
    });
  }

  /**
   * Starts `work`. Returns when it has made `calls` calls and is about to make the next one, or has
   * ended.
   */
  async runUntil<T>(calls: number, work: () => Promise<T>): Promise<Running<T>> {
    this.calls = 0;
    this.#allowed = calls;
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    const ended = Promise.allSettled([work()]).then(([result]) => result);
    await Promise.race([stopped, ended]);
    return { ended };
  }

  /** Lets all calls proceed. */
  release(): void {
    this.#allowed = Number.POSITIVE_INFINITY;
    for (const go of this.#held.splice(0)) go();
  }

  async #pass(): Promise<void> {
    if (this.calls >= this.#allowed) {
      this.#stopped();
      await new Promise<void>((resolve) => {
        this.#held.push(resolve);
      });
    }
    this.calls += 1;
  }
}
