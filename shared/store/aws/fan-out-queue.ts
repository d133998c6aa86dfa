import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadMessage } from '../ports/dead-message.ts';
import type { FanOutMessage, FanOutQueue, ReceivedFanOut } from '../ports/fan-out-queue.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { type MessageShape, parseMessageBody, readMessageBody } from './compile-job-message.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { callSdk, isError } from './errors.ts';

const MOST_MESSAGES = 10;
const SHAPE: MessageShape = {
  kind: 'a fan-out',
  fields: { environment: 'string', revision: 'string', chain: 'number' },
};

/** The fan-out queue as an SQS queue. */
export class AwsFanOutQueue implements FanOutQueue {
  readonly #client: SQSClient;
  readonly #url: string;
  readonly #dead: DeadLetterQueue<FanOutMessage>;

  /** `deadUrls`: those of its dead-letter queue, where it is known. */
  constructor(client: SQSClient, url: string, deadUrls: readonly string[]) {
    this.#client = client;
    this.#url = url;
    this.#dead = new DeadLetterQueue(client, deadUrls, {
      readBody: (body) => readMessageBody(body, SHAPE),
      sendAgain: (messages) => this.send(messages),
    });
  }

  async send(messages: readonly FanOutMessage[]): Promise<void> {
    for (let first = 0; first < messages.length; first += MOST_MESSAGES) {
      const Entries = messages.slice(first, first + MOST_MESSAGES).map((message, index) => ({
        Id: `${index}`,
        MessageBody: JSON.stringify(message),
      }));
      const command = new SendMessageBatchCommand({ QueueUrl: this.#url, Entries });
      const failed = (await this.#guard(() => this.#client.send(command))).Failed?.[0];
      if (!failed) continue;
      const what = `fan-out queue: ${failed.Code}: ${failed.Message}`;
      throw failed.SenderFault ? new StoreRefused(what) : new StoreUnavailable(what);
    }
  }

  /** A message that cannot be read is delivered again, and becomes a dead letter. */
  async receive(limit: number): Promise<readonly ReceivedFanOut[]> {
    const MaxNumberOfMessages = Math.min(limit, MOST_MESSAGES);
    const command = new ReceiveMessageCommand({ QueueUrl: this.#url, MaxNumberOfMessages, WaitTimeSeconds: 0 });
    const { Messages = [] } = await this.#guard(() => this.#client.send(command));
    return Messages.flatMap(({ Body, ReceiptHandle: receipt = '' }) => {
      const { content: message, fault } = readMessageBody<FanOutMessage>(Body, SHAPE);
      return fault === null ? [{ message, receipt }] : [];
    });
  }

  async acknowledge({ receipt }: ReceivedFanOut): Promise<void> {
    const command = new DeleteMessageCommand({ QueueUrl: this.#url, ReceiptHandle: receipt });
    await this.#ignoreExpiredReceipt(() => this.#client.send(command));
  }

  async retryAfter({ receipt }: ReceivedFanOut, delayMs: number): Promise<void> {
    const VisibilityTimeout = Math.ceil(delayMs / 1000);
    const command = new ChangeMessageVisibilityCommand({
      QueueUrl: this.#url,
      ReceiptHandle: receipt,
      VisibilityTimeout,
    });
    await this.#ignoreExpiredReceipt(() => this.#client.send(command));
  }

  listDeadLetters(limit: number): Promise<readonly DeadMessage<FanOutMessage>[]> {
    return this.#dead.list(limit);
  }

  async redrive(ids: readonly string[]): Promise<number> {
    return (await this.#dead.redrive(ids)).length;
  }

  async countDeadLetters(): Promise<number> {
    const { visible, inFlight } = await this.#dead.count();
    return visible + inFlight;
  }

  /** Ignores an expired receipt: another process has the message by now. */
  async #ignoreExpiredReceipt(call: () => Promise<unknown>): Promise<void> {
    await this.#guard(async () => {
      try {
        await call();
      } catch (error) {
        if (!isError(error, 'ReceiptHandleIsInvalid', 'MessageNotInflight', 'InvalidParameterValue')) throw error;
      }
    });
  }

  #guard<T>(call: () => Promise<T>): Promise<T> {
    return callSdk('fan-out queue', call);
  }
}

/** Parses the JSON body of an SQS message. Throws StoreRefused for anything else. */
export function parseFanOutMessage(body: string | undefined): FanOutMessage {
  return parseMessageBody(body, SHAPE);
}
