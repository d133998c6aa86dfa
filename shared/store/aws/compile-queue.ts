import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../ports/clock.ts';
import {
  type CompileJob,
  type CompileQueue,
  type DeadCompileJob,
  QUEUE_NAMES,
  type QueueDepth,
  type QueueName,
  type ReceivedCompileJob,
} from '../ports/compile-queue.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { shortReason } from '../reasons.ts';
import { parseCompileJob } from './compile-job-message.ts';
import { callSdk, isError } from './errors.ts';

export interface QueueUrls {
  readonly waiting: string;
  readonly express: string;
  readonly background: string;
  readonly dead: readonly string[];
}

const MOST_MESSAGES = 10;
const LONGEST_DELAY_S = 900;
/** How often a look receives up to ten dead letters of a queue. */
const MOST_ROUNDS = 20;
/** The longest poll of the first queue before the other queues are polled again. */
const LONGEST_WAIT_S = 1;

/** The compile queue as three SQS queues; their redrive policies fill the dead-letter queues. */
export class AwsCompileQueue implements CompileQueue {
  readonly #client: SQSClient;
  readonly #urls: QueueUrls;
  readonly #clock: Clock;

  constructor(client: SQSClient, urls: QueueUrls, clock: Clock) {
    this.#client = client;
    this.#urls = urls;
    this.#clock = clock;
  }

  async send(queue: QueueName, jobs: readonly CompileJob[], delayMs = 0): Promise<void> {
    const now = this.#clock.now();
    const delayOf = ({ notBefore = 0 }: CompileJob) =>
      Math.min(Math.ceil(Math.max(delayMs, notBefore - now) / 1000), LONGEST_DELAY_S);
    for (let first = 0; first < jobs.length; first += MOST_MESSAGES) {
      const batch = jobs.slice(first, first + MOST_MESSAGES);
      const Entries = batch.map((job, index) => ({
        Id: `${index}`,
        MessageBody: JSON.stringify({ ...job, reason: shortReason(job.reason) }),
        DelaySeconds: delayOf(job),
      }));
      const command = new SendMessageBatchCommand({ QueueUrl: this.#urls[queue], Entries });
      const { Failed } = await this.#guard(queue, () => this.#client.send(command));
      const failed = Failed?.[0];
      if (!failed) continue;
      const what = `${queue} queue: ${failed.Code}: ${failed.Message}`;
      throw failed.SenderFault ? new StoreRefused(what) : new StoreUnavailable(what);
    }
  }

  /** A message cannot be found by its content: the worker that receives it gives it up. */
  async demote(): Promise<void> {}

  async receive(
    limit: number,
    waitMs: number,
    signal?: AbortSignal,
    queues: readonly QueueName[] = QUEUE_NAMES,
  ): Promise<readonly ReceivedCompileJob[]> {
    const deadline = this.#clock.now() + waitMs;
    for (let waitS = 0; ; ) {
      const received: ReceivedCompileJob[] = [];
      for (const [order, queue] of queues.entries()) {
        if (received.length >= limit) break;
        received.push(...(await this.#receiveFrom(queue, limit - received.length, order === 0 ? waitS : 0, signal)));
      }
      const leftMs = deadline - this.#clock.now();
      if (received.length > 0 || leftMs <= 0 || signal?.aborted) return received;
      waitS = Math.min(Math.ceil(leftMs / 1000), LONGEST_WAIT_S);
    }
  }

  async acknowledge({ queue, receipt }: ReceivedCompileJob): Promise<void> {
    const command = new DeleteMessageCommand({ QueueUrl: this.#urls[queue], ReceiptHandle: receipt });
    await this.#ignoreExpiredReceipt(queue, () => this.#client.send(command));
  }

  async retryAfter({ queue, receipt }: ReceivedCompileJob, delayMs: number): Promise<void> {
    const command = new ChangeMessageVisibilityCommand({
      QueueUrl: this.#urls[queue],
      ReceiptHandle: receipt,
      VisibilityTimeout: Math.ceil(delayMs / 1000),
    });
    await this.#ignoreExpiredReceipt(queue, () => this.#client.send(command));
  }

  async getDepth(): Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>> {
    const [waiting, express, background, ...dead] = await Promise.all(
      [this.#urls.waiting, this.#urls.express, this.#urls.background, ...this.#urls.dead].map((url) =>
        this.#depthOf(url),
      ),
    );
    const none = { visible: 0, inFlight: 0, oldestAgeMs: 0 };
    return {
      waiting: waiting ?? none,
      express: express ?? none,
      background: background ?? none,
      dead: {
        visible: dead.reduce((sum, one) => sum + one.visible, 0),
        inFlight: dead.reduce((sum, one) => sum + one.inFlight, 0),
        oldestAgeMs: 0,
      },
    };
  }

  async listDeadLetters(limit: number): Promise<readonly DeadCompileJob[]> {
    const found: DeadCompileJob[] = [];
    for await (const { messages } of this.#lookThroughDead()) {
      found.push(...messages.map(({ MessageId: id = '', Body }) => ({ id, job: parseCompileJob(Body) })));
    }
    return found.slice(0, limit);
  }

  async redrive(ids: readonly string[]): Promise<readonly CompileJob[]> {
    const wanted = new Set(ids);
    const jobs: CompileJob[] = [];
    for await (const { QueueUrl, messages } of this.#lookThroughDead()) {
      const chosen = messages.filter(({ MessageId = '' }) => wanted.delete(MessageId));
      if (chosen.length > 0) jobs.push(...(await this.#redriveBatch(QueueUrl, chosen)));
      if (wanted.size === 0) break;
    }
    return jobs;
  }

  /** Sends before it deletes: what ends in between is compiled twice, and never lost. */
  async #redriveBatch(QueueUrl: string, messages: readonly Message[]): Promise<readonly CompileJob[]> {
    const jobs = messages.map(({ Body }) => {
      const { certname, generation, reason, at, volatileBefore } = parseCompileJob(Body);
      return { certname, generation, reason, at, ...(volatileBefore === undefined ? {} : { volatileBefore }) };
    });
    await this.send('express', jobs);
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
    const take = new DeleteMessageBatchCommand({ QueueUrl, Entries });
    const { Failed = [] } = await this.#guard('dead-letter', () => this.#client.send(take));
    if (Failed.length === 0) return jobs;
    throw new StoreUnavailable(`dead-letter queue: ${Failed[0]?.Code}: ${Failed[0]?.Message}`);
  }

  /** Receives dead letters without hiding them, until a queue gives no new ones. */
  async *#lookThroughDead(): AsyncGenerator<{ readonly QueueUrl: string; readonly messages: readonly Message[] }> {
    const seen = new Set<string>();
    for (const QueueUrl of this.#urls.dead) {
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const receive = new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: MOST_MESSAGES,
          VisibilityTimeout: 0,
        });
        const { Messages = [] } = await this.#guard('dead-letter', () => this.#client.send(receive));
        const messages = Messages.filter(({ MessageId = '' }) => !seen.has(MessageId));
        if (messages.length === 0) break;
        for (const { MessageId = '' } of messages) seen.add(MessageId);
        yield { QueueUrl, messages };
      }
    }
  }

  async takeDeadLetters(limit: number): Promise<readonly CompileJob[]> {
    const jobs: CompileJob[] = [];
    for (const QueueUrl of this.#urls.dead) {
      while (jobs.length < limit) {
        const MaxNumberOfMessages = Math.min(MOST_MESSAGES, limit - jobs.length);
        const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages });
        const { Messages = [] } = await this.#guard('dead-letter', () => this.#client.send(receive));
        if (Messages.length === 0) break;
        for (const { ReceiptHandle, Body } of Messages) {
          const take = new DeleteMessageCommand({ QueueUrl, ReceiptHandle });
          await this.#guard('dead-letter', () => this.#client.send(take));
          jobs.push(parseCompileJob(Body));
        }
      }
    }
    return jobs;
  }

  async #receiveFrom(
    queue: QueueName,
    limit: number,
    WaitTimeSeconds: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ReceivedCompileJob[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: this.#urls[queue],
      MaxNumberOfMessages: Math.min(limit, MOST_MESSAGES),
      WaitTimeSeconds,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    try {
      const { Messages = [] } = await this.#guard(queue, () =>
        this.#client.send(command, signal ? { abortSignal: signal } : {}),
      );
      return Messages.map((message) => toReceivedJob(message, queue));
    } catch (error) {
      if (signal?.aborted) return [];
      throw error;
    }
  }

  async #depthOf(QueueUrl: string): Promise<QueueDepth> {
    const command = new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    });
    const { Attributes = {} } = await this.#guard(QueueUrl, () => this.#client.send(command));
    const waiting = Number(Attributes.ApproximateNumberOfMessages ?? 0);
    const delayed = Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0);
    const inFlight = Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0);
    return { visible: waiting + delayed, inFlight, oldestAgeMs: 0 };
  }

  /** Ignores an expired receipt: another worker has the job by now, so nothing is left to do. */
  async #ignoreExpiredReceipt(queue: QueueName, call: () => Promise<unknown>): Promise<void> {
    await this.#guard(queue, async () => {
      try {
        await call();
      } catch (error) {
        if (!isError(error, 'ReceiptHandleIsInvalid', 'MessageNotInflight', 'InvalidParameterValue')) throw error;
      }
    });
  }

  #guard<T>(queue: string, call: () => Promise<T>): Promise<T> {
    return callSdk(`${queue} queue`, call);
  }
}

function toReceivedJob(
  { Body, MessageId = '', ReceiptHandle = '', Attributes }: Message,
  queue: QueueName,
): ReceivedCompileJob {
  const receiveCount = Number(Attributes?.ApproximateReceiveCount ?? 1);
  return { job: parseCompileJob(Body), id: MessageId, receipt: ReceiptHandle, queue, receiveCount };
}
