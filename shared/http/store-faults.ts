import type { Clock } from '../store/ports/clock.ts';
import { StoreRefused } from '../store/ports/store-errors.ts';
import type { RequestLog } from './services.ts';

/**
 * Time for which the status shows a fault. A store that is still broken has another one by then.
 */
const SHOWN_MS = 60_000;

/**
 * The last fault of a store that an operator has to mend: a full disk, a missing permission, a
 * damaged database. Whatever request or deploy meets it, the status shows it for a minute.
 */
export class StoreFaults {
  readonly #clock: Pick<Clock, 'now'>;
  #last: { readonly message: string; readonly at: number } | null = null;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Notes `error` if it is such a fault. */
  note(error: unknown): void {
    if (error instanceof StoreRefused) this.#last = { message: error.message, at: this.#clock.now() };
  }

  /** A log that also notes the faults that are logged. */
  watch(log: RequestLog): RequestLog {
    return {
      ...(log.access && { access: log.access.bind(log) }),
      ...(log.audit && { audit: log.audit.bind(log) }),
      logError: (message, cause) => {
        this.note(cause);
        log.logError(message, cause);
      },
    };
  }

  /** Rejects while the last fault shows. */
  async check(): Promise<void> {
    if (this.#last !== null && this.#clock.now() - this.#last.at < SHOWN_MS) throw new Error(this.#last.message);
  }
}
