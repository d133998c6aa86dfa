import type { Clock } from '../../store/ports/clock.ts';
import type { InventoryDatabase } from '../database/inventory-database.ts';

/** Bounds of the queue of commands. */
export interface QueueBounds {
  readonly commands: number;
  readonly bytes: number;
  /** Bytes of commands on their way into the queue, which are in memory; one may have more. */
  readonly waitingBytes: number;
}

/** An hour of a fleet of 10,000 nodes; the disk that it takes; the memory. */
export const QUEUE_BOUNDS: QueueBounds = { commands: 20_000, bytes: 1024 ** 3, waitingBytes: 256 * 1024 ** 2 };
/** Maximum age of a count of the queue: while there seems to be room, and when not. */
const [COUNT_MS, FULL_COUNT_MS] = [2000, 250];

/** The queue of commands is full; the sender has to come again. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';

  constructor(what: string) {
    super(`The queue of commands is full: ${what} wait`);
  }
}

/** Admits commands while there is room for them in the queue. */
export class QueueRoom {
  readonly #database: InventoryDatabase;
  readonly #clock: Clock;
  readonly #bounds: QueueBounds;
  #commands = 0;
  #bytes = 0;
  #waiting = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | null = null;

  constructor(database: InventoryDatabase, clock: Clock, bounds: QueueBounds = QUEUE_BOUNDS) {
    this.#database = database;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Runs `enqueue`, which adds a command of so many bytes. Throws QueueFull. */
  async admit<T>(bytes: number, enqueue: () => Promise<T>): Promise<T> {
    const { waitingBytes } = this.#bounds;
    if (this.#waiting > 0 && this.#waiting + bytes > waitingBytes) throw new QueueFull(`${waitingBytes} bytes`);
    this.#waiting += bytes;
    try {
      await this.#count(COUNT_MS);
      if (this.#lack(bytes) !== null) await this.#count(FULL_COUNT_MS);
      const lack = this.#lack(bytes);
      if (lack !== null) throw new QueueFull(lack);
      this.#commands += 1;
      this.#bytes += bytes;
      return await enqueue();
    } finally {
      this.#waiting -= bytes;
    }
  }

  /** Returns the exceeded bound that refuses another command; null if there is room. */
  #lack(bytes: number): string | null {
    const { commands: mostCommands, bytes: mostBytes } = this.#bounds;
    if (this.#commands >= mostCommands) return `${mostCommands} commands`;
    return this.#commands > 0 && this.#bytes + bytes > mostBytes ? `${mostBytes} bytes` : null;
  }

  /** Counts what is in the queue, unless that was done lately. */
  async #count(goodMs: number): Promise<void> {
    if (this.#clock.now() < this.#countedAt + goodMs) return;
    this.#counting ??= this.#countNow().finally(() => {
      this.#counting = null;
    });
    await this.#counting;
  }

  async #countNow(): Promise<void> {
    // The stored size is little less than the length, and needs no payload read.
    const text = 'select count(*), coalesce(sum(pg_column_size(payload)), 0) from queued_commands';
    const [row] = await this.#database.transaction((connection) => connection.run({ text, values: [] }));
    this.#commands = Number(row?.[0]);
    this.#bytes = Number(row?.[1]);
    this.#countedAt = this.#clock.now();
  }
}
