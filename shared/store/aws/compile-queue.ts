import {
  ChangeMessageVisibilityCommand,
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
  QUEUE_NAMES,
  type QueueDepth,
  type QueueName,
  type ReceivedCompileJob,
} from '../ports/compile-queue.ts';
import type { DeadMessage } from '../ports/dead-message.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { shortReason } from '../short-texts.ts';
import { renewJob } from '../want-plan.ts';
import { readCompileJob } from './compile-job-message.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { callSdk, isError } from './errors.ts';

export interface QueueUrls {
  readonly waiting: string;
  readonly express: string;
  readonly background: string;
  readonly dead: readonly string[];
}

const MOST_MESSAGES = 10;
const LONGEST_DELAY_S = 900;
/** The longest poll of the first queue before the other queues are polled again. */
const LONGEST_WAIT_S = 1;

/** The compile queue as three SQS queues; their redrive policies fill the dead-letter queues. */
export class AwsCompileQueue implements CompileQueue {
  readonly #client: SQSClient;
  readonly #urls: QueueUrls;
  readonly #clock: Clock;
  readonly #dead: DeadLetterQueue<CompileJob>;

  constructor(client: SQSClient, urls: QueueUrls, clock: Clock) {
    this.#client = client;
    this.#urls = urls;
    this.#clock = clock;
    this.#dead = new DeadLetterQueue(client, urls.dead, {
      readBody: readCompileJob,
      sendAgain: (jobs) => this.send('express', jobs.map(renewJob)),
    });
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
    const [waiting, express, background, dead] = await Promise.all([
      this.#depthOf(this.#urls.waiting),
      this.#depthOf(this.#urls.express),
      this.#depthOf(this.#urls.background),
      this.#dead.count(),
    ]);
    return { waiting, express, background, dead: { ...dead, oldestAgeMs: 0 } };
  }

  listDeadLetters(limit: number): Promise<readonly DeadMessage<CompileJob>[]> {
    return this.#dead.list(limit);
  }

  redrive(ids: readonly string[]): Promise<readonly CompileJob[]> {
    return this.#dead.redrive(ids);
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
      return Messages.flatMap((message) => toReceivedJob(message, queue));
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

/**
 * Gives no job for a message that cannot be read: it is delivered again, and becomes a dead letter.
 */
function toReceivedJob(
  { Body, MessageId = '', ReceiptHandle = '', Attributes }: Message,
  queue: QueueName,
): readonly ReceivedCompileJob[] {
  const { content, fault } = readCompileJob(Body);
  if (fault !== null) return [];
  const receiveCount = Number(Attributes?.ApproximateReceiveCount ?? 1);
  return [{ job: content, id: MessageId, receipt: ReceiptHandle, queue, receiveCount }];
}
