import type { Clock } from '../ports/clock.ts';
import type { DeadMessage } from '../ports/dead-message.ts';
import type { FanOutMessage, FanOutQueue, ReceivedFanOut } from '../ports/fan-out-queue.ts';
import { numberOfColumn, type SqlConnection, textOfColumn } from './connection.ts';

/** Longer than a receiver works on a message before it makes it visible again. */
const VISIBILITY_MS = 2 * 60_000;

/** One row per message; a message that is sent again is the same row. Messages never expire. */
export class SqlFanOutQueue implements FanOutQueue {
  readonly #database: SqlConnection;
  readonly #clock: Clock;

  constructor(database: SqlConnection, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async send(messages: readonly FanOutMessage[]): Promise<void> {
    await this.#database.runInTransaction(async (on) => {
      for (const { environment, revision, chain } of messages) {
        const sql = 'INSERT INTO fan_outs (environment, revision, chain) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
        await on.run(sql, environment, revision, chain);
      }
    });
  }

  async receive(limit: number): Promise<readonly ReceivedFanOut[]> {
    const now = this.#clock.now();
    const visible = 'SELECT * FROM fan_outs WHERE visible_at <= ? ORDER BY visible_at, chain LIMIT ?';
    if ((await this.#database.selectAll(visible, now, 1)).length === 0) return [];
    return this.#database.runInTransaction(async (on) => {
      const received: ReceivedFanOut[] = [];
      for (const row of await on.selectAll(`${visible}${on.dialect.unlocked}`, now, limit)) {
        const environment = textOfColumn(row, 'environment');
        const revision = textOfColumn(row, 'revision');
        const chain = numberOfColumn(row, 'chain');
        const receives = numberOfColumn(row, 'receives') + 1;
        const receipt = JSON.stringify([environment, revision, chain, receives]);
        await on.run(
          `UPDATE fan_outs SET visible_at = ?, receives = ?, receipt = ?
             WHERE environment = ? AND revision = ? AND chain = ?`,
          now + VISIBILITY_MS,
          receives,
          receipt,
          environment,
          revision,
          chain,
        );
        received.push({ message: { environment, revision, chain }, receipt });
      }
      return received;
    });
  }

  async acknowledge({ receipt }: ReceivedFanOut): Promise<void> {
    await this.#database.run('DELETE FROM fan_outs WHERE receipt = ?', receipt);
  }

  async retryAfter({ receipt }: ReceivedFanOut, delayMs: number): Promise<void> {
    const sql = 'UPDATE fan_outs SET visible_at = ?, receipt = NULL WHERE receipt = ?';
    await this.#database.run(sql, this.#clock.now() + Math.ceil(delayMs), receipt);
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
  async releaseInFlight(): Promise<void> {
    await this.#database.run('UPDATE fan_outs SET visible_at = 0, receipt = NULL WHERE visible_at > 0');
  }
}
