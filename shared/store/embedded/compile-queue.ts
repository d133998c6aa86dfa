import { renewJob } from '../dead-jobs.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type CompileJob,
  type CompileQueue,
  QUEUE_NAMES,
  type QueueDepth,
  type QueueName,
  type ReceivedCompileJob,
} from '../ports/compile-queue.ts';
import type { DeadMessage } from '../ports/dead-message.ts';
import { shortReason } from '../reasons.ts';
import { type EmbeddedDatabase, jsonOfColumn, numberOfColumn, type Row } from './database.ts';
import { DamagedRowError } from './row-digests.ts';

const TABLE = 'jobs';
const QUEUE_NUMBERS = { waiting: 3, express: 0, background: 1, dead: 2 } as const;
const POLL_MS = 40;
const MOST_JOBS_A_RECEIVE = 10;
const VISIBLE = 'SELECT id, queue, job, receives, earlier_receives FROM jobs WHERE queue = ? AND visible_at <= ?';

/** The job of a node that no worker has, and that is not the one with the id. */
const UNRECEIVED = `SELECT id, queue, job, visible_at FROM jobs
  WHERE json_extract(job, '$.certname') = ? AND (receipt IS NULL OR visible_at <= ?) AND queue <> ? AND id <> ?
    AND json_extract(job, '$.request') IS NULL LIMIT 1`;
/** An id that no job has. */
const NO_ID = 0;

export interface QueueOptions {
  /** Visibility time-out of a received job. */
  readonly visibilityMs: number;
  /** Receives before a job becomes a dead letter. */
  readonly maxReceives: number;
}

/**
 * The compile queues and their dead letters in one SQLite table. A damaged job is deleted: its
 * node stays outstanding, and gets another one.
 */
export class EmbeddedCompileQueue implements CompileQueue {
  readonly #database: EmbeddedDatabase;
  readonly #clock: Clock;
  readonly #options: QueueOptions;

  constructor(database: EmbeddedDatabase, clock: Clock, options: QueueOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  async send(queue: QueueName, jobs: readonly CompileJob[], delayMs = 0): Promise<void> {
    const now = this.#clock.now();
    const visibleAt = now + Math.ceil(delayMs);
    this.#database.runWithoutDamaged(TABLE, () => {
      for (const one of jobs) {
        const job = { ...one, reason: shortReason(one.reason) };
        this.#send(queue, job, now, Math.max(visibleAt, job.notBefore ?? 0));
      }
    });
  }

  /**
   * Joins the job with one of the same node that no worker has, so that a node has one. That one
   * keeps its id, which may hold a lease, and moves to the queue with the higher priority.
   */
  #send(queue: QueueName, { waiting: _, ...job }: CompileJob, now: number, visibleAt: number): void {
    const there = job.request === undefined ? this.#findUnreceived(job.certname, now) : null;
    if (!there) {
      const sql = 'INSERT INTO jobs (queue, job, sent_at, visible_at, receives) VALUES (?, ?, ?, ?, 0)';
      this.#database.run(sql, QUEUE_NUMBERS[queue], JSON.stringify(job), now, visibleAt);
      return;
    }
    const from = queueOf(there);
    const isHigher = QUEUE_NAMES.indexOf(queue) < QUEUE_NAMES.indexOf(from);
    const isEarlier = isHigher || visibleAt < numberOfColumn(there, 'visible_at');
    const other = toCompileJob(there);
    this.#database.run(
      'UPDATE jobs SET queue = ?, job = ?, visible_at = ?, receipt = NULL, earlier_receives = receives WHERE id = ?',
      QUEUE_NUMBERS[isHigher ? queue : from],
      JSON.stringify(joinJobs(other, job, isEarlier ? job : other)),
      isEarlier ? visibleAt : numberOfColumn(there, 'visible_at'),
      numberOfColumn(there, 'id'),
    );
  }

  #findUnreceived(certname: string, now: number, exceptId = NO_ID): Row | null {
    return this.#database.get(UNRECEIVED, certname, now, QUEUE_NUMBERS.dead, exceptId);
  }

  async demote(certname: string): Promise<void> {
    const sql = `UPDATE jobs SET queue = ? WHERE json_extract(job, '$.certname') = ?
      AND queue = ? AND (receipt IS NULL OR visible_at <= ?) AND json_extract(job, '$.request') IS NULL`;
    const { express, waiting } = QUEUE_NUMBERS;
    this.#database.runWithoutDamaged(TABLE, () =>
      this.#database.run(sql, express, certname, waiting, this.#clock.now()),
    );
  }

  receive(
    limit: number,
    waitMs: number,
    signal?: AbortSignal,
    queues?: readonly QueueName[],
  ): Promise<readonly ReceivedCompileJob[]> {
    return this.receiveBy((most, from) => this.take(most, from), limit, waitMs, signal, queues);
  }

  /** Receives like `receive`; `take` is called when a job is visible, and may return none. */
  async receiveBy(
    take: EmbeddedCompileQueue['take'],
    limit: number,
    waitMs: number,
    signal?: AbortSignal,
    queues: readonly QueueName[] = QUEUE_NAMES,
  ): Promise<readonly ReceivedCompileJob[]> {
    const deadline = this.#clock.now() + waitMs;
    for (;;) {
      const jobs = this.#hasVisible(queues) ? await take(Math.min(limit, MOST_JOBS_A_RECEIVE), queues) : [];
      const left = deadline - this.#clock.now();
      if (jobs.length > 0 || left <= 0 || signal?.aborted) return jobs;
      await this.#clock.sleep(Math.min(POLL_MS, left), signal);
    }
  }

  async acknowledge(job: ReceivedCompileJob): Promise<void> {
    const sql = 'DELETE FROM jobs WHERE receipt = ?';
    this.#database.runWithoutDamaged(TABLE, () => this.#database.run(sql, job.receipt));
  }

  /** When a node has two jobs, the one that is visible first stays. */
  async retryAfter({ job, queue, receipt }: ReceivedCompileJob, delayMs: number): Promise<void> {
    const now = this.#clock.now();
    const visibleAt = now + Math.ceil(delayMs);
    this.#database.runWithoutDamaged(TABLE, () => {
      const sql = 'UPDATE jobs SET visible_at = ?, receipt = NULL WHERE receipt = ?';
      if (this.#database.run(sql, visibleAt, receipt) === 0 || job.request !== undefined) return;
      const id = Number(receipt.slice(0, receipt.indexOf('.')));
      const there = this.#findUnreceived(job.certname, now, id);
      if (!there) return;
      const isFirst = visibleAt < numberOfColumn(there, 'visible_at');
      const queues = [queue, queueOf(there)].sort((a, b) => QUEUE_NAMES.indexOf(a) - QUEUE_NAMES.indexOf(b));
      const [kept, joined] = isFirst ? [id, numberOfColumn(there, 'id')] : [numberOfColumn(there, 'id'), id];
      const update = 'UPDATE jobs SET queue = ?, job = ? WHERE id = ?';
      const other = toCompileJob(there);
      const both = joinJobs(job, other, isFirst ? job : other);
      this.#database.run(update, QUEUE_NUMBERS[queues[0] ?? queue], JSON.stringify(both), kept);
      this.#database.run('DELETE FROM jobs WHERE id = ?', joined);
    });
  }

  async getDepth(): Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>> {
    return {
      waiting: this.#depthOf('waiting'),
      express: this.#depthOf('express'),
      background: this.#depthOf('background'),
      dead: this.#depthOf('dead'),
    };
  }

  async listDeadLetters(limit: number): Promise<readonly DeadMessage<CompileJob>[]> {
    const sql = 'SELECT id, job, sent_at FROM jobs WHERE queue = ? ORDER BY id LIMIT ?';
    return this.#database.selectAll(sql, QUEUE_NUMBERS.dead, limit).map((row) => ({
      id: String(numberOfColumn(row, 'id')),
      content: toCompileJob(row),
      fault: null,
      sentAt: numberOfColumn(row, 'sent_at'),
    }));
  }

  async redrive(ids: readonly string[]): Promise<readonly CompileJob[]> {
    return this.#database.runWithoutDamaged(TABLE, () =>
      ids.filter((id) => /^\d{1,15}$/.test(id)).flatMap((id) => this.#redrive(Number(id))),
    );
  }

  #redrive(id: number): readonly CompileJob[] {
    const row = this.#database.get('SELECT job FROM jobs WHERE id = ? AND queue = ?', id, QUEUE_NUMBERS.dead);
    if (row === null) return [];
    const job = renewJob(toCompileJob(row));
    this.#database.run('DELETE FROM jobs WHERE id = ?', id);
    this.#send('express', job, this.#clock.now(), this.#clock.now());
    return [job];
  }

  /** Makes every job visible that is received or delayed by a lease or a retry. */
  releaseInFlight(): void {
    const now = this.#clock.now();
    const sql = 'UPDATE jobs SET visible_at = ?1, receipt = NULL WHERE receipt IS NOT NULL OR visible_at > ?1';
    this.#database.runWithoutDamaged(TABLE, () => this.#database.run(sql, now));
  }

  /** Receives the visible jobs of these queues, up to `limit`, without waiting. */
  async take(limit: number, queues: readonly QueueName[]): Promise<readonly ReceivedCompileJob[]> {
    const now = this.#clock.now();
    return this.#database.runWithoutDamaged(TABLE, () => {
      const received: ReceivedCompileJob[] = [];
      for (const queue of queues) {
        while (received.length < limit) {
          const row = this.#database.get(`${VISIBLE} ORDER BY visible_at, id LIMIT 1`, QUEUE_NUMBERS[queue], now);
          if (!row) break;
          const job = this.#hide(row, queue, now);
          if (job) received.push(job);
        }
      }
      return received;
    });
  }

  /** A damaged row counts as visible: who takes jobs deletes it. */
  #hasVisible(queues: readonly QueueName[]): boolean {
    const now = this.#clock.now();
    try {
      return queues.some((name) => this.#database.get(`${VISIBLE} LIMIT 1`, QUEUE_NUMBERS[name], now) !== null);
    } catch (error) {
      if (error instanceof DamagedRowError) return true;
      throw error;
    }
  }

  /** Hides the job for the visibility time-out, or moves it to the dead letters. */
  #hide(row: Row, queue: QueueName, now: number): ReceivedCompileJob | null {
    const id = numberOfColumn(row, 'id');
    const receives = numberOfColumn(row, 'receives');
    const count = receives - numberOfColumn(row, 'earlier_receives');
    if (count >= this.#options.maxReceives) {
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
    return { job: toCompileJob(row), id: `${id}`, receipt, queue, receiveCount: count + 1 };
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
    const inFlight = numberOfColumn(row, 'in_flight');
    return {
      visible: numberOfColumn(row, 'jobs') - inFlight,
      inFlight,
      oldestAgeMs: now - numberOfColumn(row, 'oldest'),
    };
  }
}

/**
 * One job for both of a node: that of the later generation, and of equal ones the newer, received
 * when `first` is.
 */
function joinJobs(older: CompileJob, newer: CompileJob, { notBefore }: CompileJob): CompileJob {
  const job = newer.generation < older.generation ? { ...newer, ...older } : { ...older, ...newer };
  const { notBefore: _, ...atOnce } = job;
  return notBefore === undefined ? atOnce : { ...atOnce, notBefore };
}

function queueOf(row: Row): QueueName {
  const name = QUEUE_NAMES.find((one) => QUEUE_NUMBERS[one] === row.queue);
  if (name === undefined) throw new Error(`a job of the unknown queue ${row.queue}`);
  return name;
}

function toCompileJob(row: Row): CompileJob {
  const job = jsonOfColumn<CompileJob>(row, 'job');
  if (!job) throw new Error('a job without a body');
  return job;
}
