import type { Semaphore } from '../../util/semaphore.ts';
import { type DatabaseConnection, type DatabaseRow, StatementTimedOut } from './inventory-database.ts';
import type { Statement } from './sql.ts';

/** A reader that takes no rows for so long lets others go on. */
const PATIENCE_MS = 100;
/** The memory for rows that are kept for such a reader; others of them are on disk. */
const KEPT_MEMORY = "set local work_mem = '256kB'";

interface PgliteReaderOptions {
  /** Whoever has the one place may use the connection. */
  readonly turns: Semaphore;
  /** The name of the reader's cursor, which must have `with hold`. */
  readonly cursor: string;
  /** Milliseconds from the first statement to the last row. */
  readonly timeMs: number;
  readonly run: (statement: Statement) => Promise<readonly DatabaseRow[]>;
  /** Whether the database ended, and its cursors with it. */
  readonly isGone: () => boolean;
}

/**
 * PGlite's one connection for a reader. It is in a transaction as long as the reader goes on.
 * When the reader pauses, the transaction is committed: PostgreSQL then keeps the other rows of its
 * cursor, which are fetched one batch in a turn. Beyond the time limit they are thrown away.
 */
export class PgliteReader implements DatabaseConnection {
  readonly #options: PgliteReaderOptions;
  #leave: (() => void) | null = null;
  #state: 'reading' | 'held' | 'over' = 'reading';
  #isLate = false;
  #pauseTimer: NodeJS.Timeout | undefined;
  #lateTimer: NodeJS.Timeout | undefined;
  /** Statements, pauses and the end come one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PgliteReaderOptions) {
    this.#options = options;
  }

  /** Throws DatabaseError, and StatementTimedOut beyond the time limit. */
  run(statement: Statement): Promise<readonly DatabaseRow[]> {
    return this.#queue(async () => {
      clearTimeout(this.#pauseTimer);
      const { timeMs } = this.#options;
      if (this.#state === 'over') throw new StatementTimedOut(timeMs);
      await this.#takeTurn();
      this.#lateTimer ??= setTimeout(() => this.#noteLate(), timeMs);
      try {
        return await this.#options.run(statement);
      } finally {
        this.#pause();
      }
    });
  }

  /** Ends the transaction, or throws away what is kept. Further calls do nothing. */
  end(): Promise<void> {
    return this.#queue(async () => {
      clearTimeout(this.#pauseTimer);
      clearTimeout(this.#lateTimer);
      const isHeld = this.#state === 'held';
      if (this.#state === 'over' || (!isHeld && this.#leave === null)) return;
      this.#state = 'over';
      await this.#takeTurn();
      await this.#finish(isHeld ? `close ${this.#options.cursor}` : 'rollback');
    });
  }

  /** Starts the time for which the reader may do nothing. */
  #pause(): void {
    if (this.#state === 'held') {
      this.#giveTurn();
      if (this.#isLate) void this.end();
    } else this.#pauseTimer = setTimeout(() => this.#hold(), PATIENCE_MS);
  }

  #noteLate(): void {
    this.#isLate = true;
    if (this.#state === 'held') void this.end();
  }

  #hold(): Promise<void> {
    return this.#queue(async () => {
      if (this.#state !== 'reading') return;
      this.#state = 'held';
      await this.#finish(KEPT_MEMORY, 'commit');
      this.#pause();
    });
  }

  async #takeTurn(): Promise<void> {
    this.#leave ??= await this.#options.turns.acquire();
  }

  #giveTurn(): void {
    this.#leave?.();
    this.#leave = null;
  }

  /** A statement that fails leaves no cursor, and the reader's next one fails. */
  async #finish(...texts: readonly string[]): Promise<void> {
    const { run, isGone } = this.#options;
    for (const text of texts) if (!isGone()) await run({ text, values: [] }).catch(() => undefined);
    this.#giveTurn();
  }

  #queue<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last.then(step);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
