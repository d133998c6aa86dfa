import {
  type Clock,
  type Job,
  type JobQueue,
  QUEUE_NAMES,
  type QueueDepth,
  type QueueName,
  type ReceivedJob,
} from '../ports.ts';
import { shortReason } from '../reasons.ts';
import { type EmbeddedDatabase, json, number, type Row } from './database.ts';

const QUEUE_NUMBERS = { waiting: 3, express: 0, background: 1, dead: 2 } as const;
const POLL_MS = 40;
const MOST_JOBS_A_RECEIVE = 10;

export interface QueueOptions {
  /** How long a received job stays invisible to others. */
  readonly visibilityMs: number;
  /** Receives before a job is a dead letter. */
  readonly maxReceives: number;
}

/** The queues and their dead letters as one table. */
export class EmbeddedJobQueue implements JobQueue {
  readonly #database: EmbeddedDatabase;
  readonly #clock: Clock;
  readonly #options: QueueOptions;

  constructor(database: EmbeddedDatabase, clock: Clock, options: QueueOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  async send(queue: QueueName, jobs: readonly Job[], delayMs = 0): Promise<void> {
    const now = this.#clock.now();
    this.#database.transaction(() => {
      for (const job of jobs) {
        this.#database.run(
          'INSERT INTO jobs (queue, job, sent_at, visible_at, receives) VALUES (?, ?, ?, ?, 0)',
          QUEUE_NUMBERS[queue],
          JSON.stringify({ ...job, reason: shortReason(job.reason) }),
          now,
          now + Math.ceil(delayMs),
        );
      }
    });
  }

  async receive(limit: number, waitMs: number, signal?: AbortSignal): Promise<readonly ReceivedJob[]> {
    const deadline = this.#clock.now() + waitMs;
    for (;;) {
      const jobs = this.#receiveNow(Math.min(limit, MOST_JOBS_A_RECEIVE));
      const left = deadline - this.#clock.now();
      if (jobs.length > 0 || left <= 0 || signal?.aborted) return jobs;
      await this.#clock.sleep(Math.min(POLL_MS, left), signal);
    }
  }

  async done(job: ReceivedJob): Promise<void> {
    this.#database.run('DELETE FROM jobs WHERE receipt = ?', job.receipt);
  }

  async retryAfter(job: ReceivedJob, delayMs: number): Promise<void> {
    this.#database.run(
      'UPDATE jobs SET visible_at = ?, receipt = NULL WHERE receipt = ?',
      this.#clock.now() + Math.ceil(delayMs),
      job.receipt,
    );
  }

  async depth(): Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>> {
    return {
      waiting: this.#depthOf('waiting'),
      express: this.#depthOf('express'),
      background: this.#depthOf('background'),
      dead: this.#depthOf('dead'),
    };
  }

  async dead(limit: number): Promise<readonly Job[]> {
    return this.#database.transaction(() => {
      const rows = this.#database.all(
        'SELECT id, job FROM jobs WHERE queue = ? ORDER BY id LIMIT ?',
        QUEUE_NUMBERS.dead,
        limit,
      );
      for (const row of rows) this.#database.run('DELETE FROM jobs WHERE id = ?', number(row, 'id'));
      return rows.map(jobOf);
    });
  }

  /** Makes every job visible that was received, or waits for the end of a lease or of a pause. */
  releaseInFlight(): void {
    const now = this.#clock.now();
    this.#database.run(
      'UPDATE jobs SET visible_at = ?1, receipt = NULL WHERE receipt IS NOT NULL OR visible_at > ?1',
      now,
    );
  }

  #receiveNow(limit: number): readonly ReceivedJob[] {
    const now = this.#clock.now();
    const waiting = 'SELECT id, queue, job, receives FROM jobs WHERE queue = ? AND visible_at <= ?';
    const some = (queue: number) => this.#database.get(`${waiting} LIMIT 1`, queue, now) !== null;
    if (!QUEUE_NAMES.some((name) => some(QUEUE_NUMBERS[name]))) return [];
    return this.#database.transaction(() => {
      const received: ReceivedJob[] = [];
      for (const queue of QUEUE_NAMES) {
        while (received.length < limit) {
          const row = this.#database.get(`${waiting} ORDER BY visible_at, id LIMIT 1`, QUEUE_NUMBERS[queue], now);
          if (!row) break;
          const job = this.#take(row, queue, now);
          if (job) received.push(job);
        }
      }
      return received;
    });
  }

  /** Hides the job for the visibility time-out, or moves it to the dead letters. */
  #take(row: Row, queue: QueueName, now: number): ReceivedJob | null {
    const id = number(row, 'id');
    const receives = number(row, 'receives');
    if (receives >= this.#options.maxReceives) {
      this.#database.run('UPDATE jobs SET queue = ?, receipt = NULL WHERE id = ?', QUEUE_NUMBERS.dead, id);
      return null;
    }
    const receipt = `${id}.${receives + 1}`;
    this.#database.run(
      'UPDATE jobs SET visible_at = ?, receives = receives + 1, receipt = ? WHERE id = ?',
      now + this.#options.visibilityMs,
      receipt,
      id,
    );
    return { job: jobOf(row), id: `${id}`, receipt, queue, receiveCount: receives + 1 };
  }

  #depthOf(queue: QueueName | 'dead'): QueueDepth {
    const now = this.#clock.now();
    const row = this.#database.get(
      `SELECT count(*) AS jobs, count(CASE WHEN receipt IS NOT NULL AND visible_at > ?1 THEN 1 END) AS in_flight,
        coalesce(min(sent_at), ?1) AS oldest FROM jobs WHERE queue = ?2`,
      now,
      QUEUE_NUMBERS[queue],
    );
    if (!row) return { visible: 0, inFlight: 0, oldestAgeMs: 0 };
    const inFlight = number(row, 'in_flight');
    return { visible: number(row, 'jobs') - inFlight, inFlight, oldestAgeMs: now - number(row, 'oldest') };
  }
}

function jobOf(row: Row): Job {
  const job = json<Job>(row, 'job');
  if (!job) throw new Error('a job without a body');
  return job;
}
