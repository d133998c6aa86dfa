import type { DocumentStore } from '../../shared/store/ports/document-store.ts';

/** Work under way. */
export interface Running<T> {
  readonly ended: Promise<PromiseSettledResult<T>>;
}

/**
 * A view of a document store whose calls one party makes: they go on only as far as the test lets
 * them.
 */
export class PausedDocuments {
  readonly documents: DocumentStore;
  /** Calls since `holdAfter`. */
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
   * Starts `work`, and returns when it has made `calls` calls and is about to make the next one, or
   * has ended.
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

  /** Lets all calls go on. */
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
