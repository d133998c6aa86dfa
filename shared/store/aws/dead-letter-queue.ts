import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadMessage, MessageBody } from '../ports/dead-message.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { callSdk } from './errors.ts';

const MOST_MESSAGES = 10;
/** Number of requests of a look, each for up to ten messages of a queue. */
const MOST_ROUNDS = 20;

/** Reads a queue's dead letters, and sends them again. */
interface DeadLetterKind<Content> {
  readBody(body: string | undefined): MessageBody<Content>;
  sendAgain(contents: readonly Content[]): Promise<void>;
}

interface Look {
  readonly QueueUrl: string;
  readonly messages: readonly Message[];
}

/** SQS dead-letter queues. A look sees up to 200 messages of each. */
export class DeadLetterQueue<Content> {
  readonly #client: SQSClient;
  readonly #urls: readonly string[];
  readonly #kind: DeadLetterKind<Content>;

  constructor(client: SQSClient, urls: readonly string[], kind: DeadLetterKind<Content>) {
    this.#client = client;
    this.#urls = urls;
    this.#kind = kind;
  }

  /** Lists up to `limit` messages, which stay. */
  async list(limit: number): Promise<readonly DeadMessage<Content>[]> {
    const found: DeadMessage<Content>[] = [];
    for await (const { messages } of this.#look()) {
      found.push(
        ...messages.map(({ MessageId: id = '', Body, Attributes }) => ({
          ...this.#kind.readBody(Body),
          id,
          sentAt: Number(Attributes?.SentTimestamp ?? 0),
        })),
      );
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  /** Sends messages again; returns their contents. Unreadable ones stay. */
  async redrive(ids: readonly string[]): Promise<readonly Content[]> {
    const wanted = new Set(ids);
    const redriven: Content[] = [];
    for await (const { QueueUrl, messages } of this.#look()) {
      const chosen = messages.filter(({ MessageId = '' }) => wanted.delete(MessageId));
      redriven.push(...(await this.#redriveBatch(QueueUrl, chosen)));
      if (wanted.size === 0) break;
    }
    return redriven;
  }

  /** Counts all messages, approximately. */
  async count(): Promise<{ readonly visible: number; readonly inFlight: number }> {
    const depths = await Promise.all(this.#urls.map((url) => this.#countIn(url)));
    const visible = depths.reduce((sum, one) => sum + one.visible, 0);
    return { visible, inFlight: depths.reduce((sum, one) => sum + one.inFlight, 0) };
  }

  /** Sends before it deletes: a failure in between sends a message twice, and never loses it. */
  async #redriveBatch(QueueUrl: string, messages: readonly Message[]): Promise<readonly Content[]> {
    const contents: Content[] = [];
    const Entries: { Id: string; ReceiptHandle: string | undefined }[] = [];
    for (const { Body, ReceiptHandle } of messages) {
      const { content, fault } = this.#kind.readBody(Body);
      if (fault !== null) continue;
      contents.push(content);
      Entries.push({ Id: `${Entries.length}`, ReceiptHandle });
    }
    if (Entries.length === 0) return [];
    await this.#kind.sendAgain(contents);
    const { Failed = [] } = await this.#call(() =>
      this.#client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries })),
    );
    if (Failed.length === 0) return contents;
    throw new StoreUnavailable(`dead-letter queue: ${Failed[0]?.Code}: ${Failed[0]?.Message}`);
  }

  /** Receives messages without hiding them, until a queue gives no new ones. */
  async *#look(): AsyncGenerator<Look> {
    const seen = new Set<string>();
    for (const QueueUrl of this.#urls) {
      const receive = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MOST_MESSAGES,
        VisibilityTimeout: 0,
        MessageSystemAttributeNames: ['SentTimestamp'],
      });
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const { Messages = [] } = await this.#call(() => this.#client.send(receive));
        const messages = Messages.filter(({ MessageId = '' }) => !seen.has(MessageId));
        if (messages.length === 0) break;
        for (const { MessageId = '' } of messages) seen.add(MessageId);
        yield { QueueUrl, messages };
      }
    }
  }

  async #countIn(QueueUrl: string): Promise<{ readonly visible: number; readonly inFlight: number }> {
    const command = new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    });
    const { Attributes = {} } = await this.#call(() => this.#client.send(command));
    return {
      visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
      inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
    };
  }

  #call<T>(call: () => Promise<T>): Promise<T> {
    return callSdk('dead-letter queue', call);
  }
}
