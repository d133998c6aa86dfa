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
import type { Doorbell } from '../ports/doorbell.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { shortReason } from '../short-texts.ts';
import { renewJob } from '../want-plan.ts';
import {
  DamagedRowError,
  jsonOfColumn,
  numberOfColumn,
  type Row,
  type SqlConnection,
  textOfColumn,
} from './connection.ts';

const TABLE = 'jobs';
const QUEUE_NUMBERS = { waiting: 3, express: 0, background: 1, dead: 2 } as const;
const POLL_MS = 40;
/** With a doorbell, looks are for jobs that become visible later, and for rings that are lost. */
const SELDOM_MS = 1000;
const HEARD_MS = 4000;
const MOST_JOBS_A_RECEIVE = 10;

/** The job of a node that no worker has, and that is not the one with the id. */
const UNRECEIVED = `SELECT id, queue, job, visible_at FROM jobs
  WHERE certname = ? AND (receipt IS NULL OR visible_at <= ?) AND queue <> ? AND id <> ? AND is_request = 0
  LIMIT 1`;
/** An id that no job has. */
const NO_ID = 0;

export interface QueueOptions {
  /** Visibility time-out of a received job. */
  readonly visibilityMs: number;
  /** Receives before a job becomes a dead letter. */
  readonly maxReceives: number;
  /** Names who receives, where several work on the queue: `SERVER/PART`. Receives add numbers. */
  readonly receiver?: string;
  /** Rings when a job is sent; absent: who waits looks every 40 ms. */
  readonly doorbell?: Doorbell;
}

/**
 * The compile queues and their dead letters in one table. A damaged job is deleted: its
 * node stays outstanding, and gets another one.
 */
export class SqlCompileQueue implements CompileQueue {
  readonly #database: SqlConnection;
  readonly #clock: Clock;
  readonly #options: QueueOptions;
  /** Names of receives that perhaps got jobs, whose receipts are lost: the answer did not come. */
  readonly #lost = new Set<string>();
  #takes = 0;

  constructor(database: SqlConnection, clock: Clock, options: QueueOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  async send(queue: QueueName, jobs: readonly CompileJob[], delayMs = 0): Promise<void> {
    const now = this.#clock.now();
    const visibleAt = now + Math.ceil(delayMs);
    await this.#database.runWithoutDamaged(TABLE, async (on) => {
      await lockNodes(
        on,
        jobs.map(({ certname }) => certname),
      );
      for (const one of jobs) {
        const job = { ...one, reason: shortReason(one.reason) };
        await sendOne(on, queue, job, now, Math.max(visibleAt, job.notBefore ?? 0));
      }
    });
    if (visibleAt <= now) this.#options.doorbell?.ring();
  }

  async demote(certname: string): Promise<void> {
    const sql = `UPDATE jobs SET queue = ? WHERE certname = ?
      AND queue = ? AND (receipt IS NULL OR visible_at <= ?) AND is_request = 0`;
    const { express, waiting } = QUEUE_NUMBERS;
    await this.#database.mendAndRun(TABLE, (on) => on.run(sql, express, certname, waiting, this.#clock.now()));
  }

  receive(
    limit: number,
    waitMs: number,
    signal?: AbortSignal,
    queues?: readonly QueueName[],
  ): Promise<readonly ReceivedCompileJob[]> {
    return this.receiveBy((most, from) => this.take(most, from), limit, waitMs, signal, queues);
  }

  /**
   * Receives like `receive`; `take` is called when a job is visible, and may return none. Over a
   * network, it is called without a look before.
   */
  async receiveBy(
    take: SqlCompileQueue['take'],
    limit: number,
    waitMs: number,
    signal?: AbortSignal,
    queues: readonly QueueName[] = QUEUE_NAMES,
  ): Promise<readonly ReceivedCompileJob[]> {
    const deadline = this.#clock.now() + waitMs;
    for (;;) {
      const isThere = this.#database.dialect.isDistant || (await this.#hasVisible(queues));
      const jobs = isThere ? await take(Math.min(limit, MOST_JOBS_A_RECEIVE), queues) : [];
      const left = deadline - this.#clock.now();
      if (jobs.length > 0 || left <= 0 || signal?.aborted) return jobs;
      await this.#pause(left, signal);
    }
  }

  #pause(left: number, signal: AbortSignal | undefined): Promise<void> {
    const { doorbell } = this.#options;
    if (doorbell === undefined) return this.#clock.sleep(Math.min(POLL_MS, left), signal);
    const seldomMs = doorbell.isHeard ? HEARD_MS : SELDOM_MS;
    return doorbell.wait(Math.min(seldomMs * (1 + this.#clock.random()), left), signal);
  }

  async acknowledge(job: ReceivedCompileJob): Promise<void> {
    const sql = 'DELETE FROM jobs WHERE receipt = ?';
    await this.#database.mendAndRun(TABLE, (on) => on.run(sql, job.receipt));
  }

  /** When a node has two jobs, the one that is visible first stays. */
  async retryAfter({ job, queue, receipt }: ReceivedCompileJob, delayMs: number): Promise<void> {
    const now = this.#clock.now();
    const visibleAt = now + Math.ceil(delayMs);
    await this.#database.runWithoutDamaged(TABLE, async (on) => {
      await lockNodes(on, [job.certname]);
      const sql = 'UPDATE jobs SET visible_at = ?, receipt = NULL WHERE receipt = ?';
      if ((await on.run(sql, visibleAt, receipt)) === 0 || job.request !== undefined) return;
      const id = Number(receipt.slice(0, receipt.indexOf('.')));
      const there = await findUnreceived(on, job.certname, now, id);
      if (!there) return;
      const isFirst = visibleAt < numberOfColumn(there, 'visible_at');
      const queues = [queue, queueOf(there)].sort((a, b) => QUEUE_NAMES.indexOf(a) - QUEUE_NAMES.indexOf(b));
      const [kept, joined] = isFirst ? [id, numberOfColumn(there, 'id')] : [numberOfColumn(there, 'id'), id];
      const update = 'UPDATE jobs SET queue = ?, job = ? WHERE id = ?';
      const other = toCompileJob(there);
      const both = joinJobs(job, other, isFirst ? job : other);
      await on.run(update, QUEUE_NUMBERS[queues[0] ?? queue], JSON.stringify(both), kept);
      await on.run('DELETE FROM jobs WHERE id = ?', joined);
      // The job that stays has the lease of the other one, too.
      const move = 'UPDATE nodes SET leased_by = ? WHERE certname = ? AND leased_by = ?';
      await on.run(move, String(kept), job.certname, String(joined));
    });
  }

  async getDepth(): Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>> {
    const now = this.#clock.now();
    const rows = await this.#database.selectAll(
      `SELECT queue, count(*) AS jobs, count(CASE WHEN receipt IS NOT NULL AND visible_at > ? THEN 1 END) AS in_flight,
         min(sent_at) AS oldest FROM jobs GROUP BY queue`,
      now,
    );
    const depthOf = (queue: QueueName | 'dead'): QueueDepth => {
      const row = rows.find((one) => one.queue === QUEUE_NUMBERS[queue]);
      if (!row) return { visible: 0, inFlight: 0, oldestAgeMs: 0 };
      const inFlight = numberOfColumn(row, 'in_flight');
      const oldestAgeMs = now - numberOfColumn(row, 'oldest');
      return { visible: numberOfColumn(row, 'jobs') - inFlight, inFlight, oldestAgeMs };
    };
    return {
      waiting: depthOf('waiting'),
      express: depthOf('express'),
      background: depthOf('background'),
      dead: depthOf('dead'),
    };
  }

  async listDeadLetters(limit: number): Promise<readonly DeadMessage<CompileJob>[]> {
    const sql = 'SELECT id, job, sent_at FROM jobs WHERE queue = ? ORDER BY id LIMIT ?';
    return (await this.#database.selectAll(sql, QUEUE_NUMBERS.dead, limit)).map((row) => ({
      id: String(numberOfColumn(row, 'id')),
      content: toCompileJob(row),
      fault: null,
      sentAt: numberOfColumn(row, 'sent_at'),
    }));
  }

  async redrive(ids: readonly string[]): Promise<readonly CompileJob[]> {
    const numbers = ids.filter((one) => /^\d{1,15}$/.test(one)).map(Number);
    return this.#database.runWithoutDamaged(TABLE, async (on) => {
      const sent: CompileJob[] = [];
      const sql = `SELECT certname FROM jobs WHERE id IN (${on.dialect.integers('?')})`;
      const rows = await on.selectAll(sql, JSON.stringify(numbers));
      await lockNodes(
        on,
        rows.map((row) => textOfColumn(row, 'certname')),
      );
      for (const id of numbers) {
        const job = await this.#redrive(on, id);
        if (job !== null) sent.push(job);
      }
      return sent;
    });
  }

  async #redrive(on: SqlConnection, id: number): Promise<CompileJob | null> {
    const now = this.#clock.now();
    const sql = 'DELETE FROM jobs WHERE id = ? AND queue = ? RETURNING job';
    const row = await on.get(sql, id, QUEUE_NUMBERS.dead);
    if (row === null) return null;
    const job = renewJob(toCompileJob(row));
    await sendOne(on, 'express', job, now, now);
    return job;
  }

  /** Makes every job visible that is received or delayed by a lease or a retry. */
  async releaseInFlight(): Promise<void> {
    const now = this.#clock.now();
    const sql = 'UPDATE jobs SET visible_at = ?1, receipt = NULL WHERE receipt IS NOT NULL OR visible_at > ?1';
    await this.#database.mendAndRun(TABLE, (on) => on.run(sql, now));
  }

  /** Receives the visible jobs of these queues, up to `limit`, without waiting. */
  async take(limit: number, queues: readonly QueueName[]): Promise<readonly ReceivedCompileJob[]> {
    const { receiver } = this.#options;
    if (receiver === undefined) return this.#take(limit, queues, null);
    if (this.#lost.size > 0) await this.#returnLost();
    this.#takes += 1;
    const name = `${receiver}/${this.#takes}`;
    try {
      return await this.#take(limit, queues, name);
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#lost.add(name);
      throw error;
    }
  }

  /** Makes the jobs visible whose receipts never came. */
  async #returnLost(): Promise<void> {
    const names = [...this.#lost];
    const sql = `UPDATE jobs SET visible_at = ?, receipt = NULL
      WHERE receipt IS NOT NULL AND receiver IN (${this.#database.dialect.texts('?')})`;
    await this.#database.run(sql, this.#clock.now(), JSON.stringify(names));
    for (const name of names) this.#lost.delete(name);
  }

  #take(limit: number, queues: readonly QueueName[], receiver: string | null): Promise<readonly ReceivedCompileJob[]> {
    return this.#database.mendAndRun(TABLE, async (on) => {
      const received: ReceivedCompileJob[] = [];
      while (received.length < limit) {
        const row = await this.#hideFirst(on, queues, receiver);
        if (!row) break;
        const job = await this.#receiveHidden(on, row);
        if (job) received.push(job);
      }
      return received;
    });
  }

  /** A damaged row counts as visible: who takes jobs mends that. */
  async #hasVisible(queues: readonly QueueName[]): Promise<boolean> {
    const now = this.#clock.now();
    // One query a queue: each reads one entry of the index.
    const any = queues.map((name) => `(queue = ${QUEUE_NUMBERS[name]} AND visible_at <= ?1)`).join(' OR ');
    try {
      return (await this.#database.get(`SELECT id FROM jobs WHERE ${any} LIMIT 1`, now)) !== null;
    } catch (error) {
      if (error instanceof DamagedRowError) return true;
      throw error;
    }
  }

  /** Hides the first visible job of the first of these queues that has one. */
  #hideFirst(on: SqlConnection, queues: readonly QueueName[], receiver: string | null): Promise<Row | null> {
    const now = this.#clock.now();
    // One query a queue, each of one entry of the index; the first that finds one is the last.
    const first = queues.map(
      (name) => `SELECT id FROM (SELECT id FROM jobs WHERE queue = ${QUEUE_NUMBERS[name]} AND visible_at <= ?3
        ORDER BY visible_at, id LIMIT 1${on.dialect.unlocked}) AS ${name}_jobs`,
    );
    const sql = `UPDATE jobs SET visible_at = ?1, receives = receives + 1, receiver = ?2,
        receipt = id || '.' || (receives + 1)
      WHERE id = (SELECT id FROM (${first.join(' UNION ALL ')}) AS firsts LIMIT 1) RETURNING *`;
    return on.get(sql, now + this.#options.visibilityMs, receiver, now);
  }

  /** The hidden job; null for one that was received too often: it is a dead letter now. */
  async #receiveHidden(on: SqlConnection, row: Row): Promise<ReceivedCompileJob | null> {
    const id = numberOfColumn(row, 'id');
    const receiveCount = numberOfColumn(row, 'receives') - numberOfColumn(row, 'earlier_receives');
    if (receiveCount > this.#options.maxReceives) {
      const sql = 'UPDATE jobs SET queue = ?, receipt = NULL, receives = receives - 1, visible_at = ? WHERE id = ?';
      await on.run(sql, QUEUE_NUMBERS.dead, this.#clock.now(), id);
      return null;
    }
    const receipt = textOfColumn(row, 'receipt');
    return { job: toCompileJob(row), id: `${id}`, receipt, queue: queueOf(row), receiveCount };
  }
}

/** Other transactions that send a job of one of these nodes wait until this one ends. */
async function lockNodes(on: SqlConnection, certnames: readonly string[]): Promise<void> {
  const { lockNames } = on.dialect;
  if (lockNames !== null) await on.selectAll(lockNames, JSON.stringify(certnames));
}

/**
 * Joins the job with one of the same node that no worker has, so that a node has one. That one
 * keeps its id, which may hold a lease, and moves to the queue with the higher priority.
 */
async function sendOne(
  on: SqlConnection,
  queue: QueueName,
  { waiting: _, ...job }: CompileJob,
  now: number,
  visibleAt: number,
): Promise<void> {
  const isRequest = job.request !== undefined;
  const there = isRequest ? null : await findUnreceived(on, job.certname, now, NO_ID);
  if (!there) {
    await on.run(
      `INSERT INTO jobs (queue, certname, is_request, job, sent_at, visible_at, receives)
         VALUES (?, ?, ?, ?, ?, ?, 0)`,
      QUEUE_NUMBERS[queue],
      job.certname,
      isRequest ? 1 : 0,
      JSON.stringify(job),
      now,
      visibleAt,
    );
    return;
  }
  const from = queueOf(there);
  const isHigher = QUEUE_NAMES.indexOf(queue) < QUEUE_NAMES.indexOf(from);
  const isEarlier = isHigher || visibleAt < numberOfColumn(there, 'visible_at');
  const other = toCompileJob(there);
  await on.run(
    'UPDATE jobs SET queue = ?, job = ?, visible_at = ?, receipt = NULL, earlier_receives = receives WHERE id = ?',
    QUEUE_NUMBERS[isHigher ? queue : from],
    JSON.stringify(joinJobs(other, job, isEarlier ? job : other)),
    isEarlier ? visibleAt : numberOfColumn(there, 'visible_at'),
    numberOfColumn(there, 'id'),
  );
}

function findUnreceived(on: SqlConnection, certname: string, now: number, exceptId: number): Promise<Row | null> {
  return on.get(`${UNRECEIVED}${on.dialect.locked}`, certname, now, QUEUE_NUMBERS.dead, exceptId);
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
