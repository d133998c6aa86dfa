import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { FanOutMessage, FanOutQueue, ReceivedFanOut } from '../ports/fan-out-queue.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { callSdk, isError } from './errors.ts';

const MOST_MESSAGES = 10;

/** The fan-out queue as an SQS queue. */
export class AwsFanOutQueue implements FanOutQueue {
  readonly #client: SQSClient;
  readonly #url: string;

  constructor(client: SQSClient, url: string) {
    this.#client = client;
    this.#url = url;
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

  async receive(limit: number): Promise<readonly ReceivedFanOut[]> {
    const MaxNumberOfMessages = Math.min(limit, MOST_MESSAGES);
    const command = new ReceiveMessageCommand({ QueueUrl: this.#url, MaxNumberOfMessages, WaitTimeSeconds: 0 });
    const { Messages = [] } = await this.#guard(() => this.#client.send(command));
    return Messages.map(({ Body, ReceiptHandle = '' }) => ({
      message: parseFanOutMessage(Body),
      receipt: ReceiptHandle,
    }));
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
  const message: unknown = JSON.parse(body ?? 'null');
  if (!isFanOutMessage(message)) throw new StoreRefused(`a message is no fan-out: ${body}`);
  return message;
}

function isFanOutMessage(value: unknown): value is FanOutMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'environment' in value &&
    typeof value.environment === 'string' &&
    'revision' in value &&
    typeof value.revision === 'string' &&
    'chain' in value &&
    typeof value.chain === 'number'
  );
}
