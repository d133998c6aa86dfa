import type { Clock } from '../ports/clock.ts';
import type { DeadMessage } from '../ports/dead-message.ts';
import type { FanOutMessage, FanOutQueue, ReceivedFanOut } from '../ports/fan-out-queue.ts';
import { type EmbeddedDatabase, numberOfColumn, textOfColumn } from './database.ts';

/** Longer than a receiver works on a message before it makes it visible again. */
const VISIBILITY_MS = 2 * 60_000;

/** One row per message; a message that is sent again is the same row. Messages never expire. */
export class EmbeddedFanOutQueue implements FanOutQueue {
  readonly #database: EmbeddedDatabase;
  readonly #clock: Clock;

  constructor(database: EmbeddedDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async send(messages: readonly FanOutMessage[]): Promise<void> {
    this.#database.run(
      `INSERT OR IGNORE INTO fan_outs (environment, revision, chain)
         SELECT value ->> '$.environment', value ->> '$.revision', value ->> '$.chain' FROM json_each(?)`,
      JSON.stringify(messages),
    );
  }

  async receive(limit: number): Promise<readonly ReceivedFanOut[]> {
    const now = this.#clock.now();
    const visible = 'SELECT * FROM fan_outs WHERE visible_at <= ? ORDER BY visible_at, chain LIMIT ?';
    if (this.#database.selectAll(visible, now, 1).length === 0) return [];
    return this.#database.runInTransaction(() =>
      this.#database.selectAll(visible, now, limit).map((row) => {
        const environment = textOfColumn(row, 'environment');
        const revision = textOfColumn(row, 'revision');
        const chain = numberOfColumn(row, 'chain');
        const receives = numberOfColumn(row, 'receives') + 1;
        const receipt = JSON.stringify([environment, revision, chain, receives]);
        this.#database.run(
          `UPDATE fan_outs SET visible_at = ?, receives = ?, receipt = ?
             WHERE environment = ? AND revision = ? AND chain = ?`,
          now + VISIBILITY_MS,
          receives,
          receipt,
          environment,
          revision,
          chain,
        );
        return { message: { environment, revision, chain }, receipt };
      }),
    );
  }

  async acknowledge({ receipt }: ReceivedFanOut): Promise<void> {
    this.#database.run('DELETE FROM fan_outs WHERE receipt = ?', receipt);
  }

  async retryAfter({ receipt }: ReceivedFanOut, delayMs: number): Promise<void> {
    const sql = 'UPDATE fan_outs SET visible_at = ?, receipt = NULL WHERE receipt = ?';
    this.#database.run(sql, this.#clock.now() + Math.ceil(delayMs), receipt);
  }

  async listDeadLetters(): Promise<readonly DeadMessage<FanOutMessage>[]> {
    return [];
  }

  async redrive(): Promise<number> {
    return 0;
  }

  async countDeadLetters(): Promise<number> {
    return 0;
  }

  /** Makes every message visible. */
  releaseInFlight(): void {
    this.#database.run('UPDATE fan_outs SET visible_at = 0, receipt = NULL WHERE visible_at > 0');
  }
}
