import type { SQSRecord } from 'aws-lambda';
import { ENVIRONMENT_VARIABLES } from '../../config/deployment.ts';
import { type CompileJob, QUEUE_NAMES, type QueueName, type ReceivedCompileJob } from '../ports/compile-queue.ts';
import type { MessageBody } from '../ports/dead-message.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import type { AwsNames } from './stores.ts';

/** The kind of a message for error texts, and the types of the fields that each one has. */
export interface MessageShape {
  readonly kind: string;
  readonly fields: Readonly<Record<string, 'string' | 'number'>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses the JSON body of an SQS message. Never throws. */
export function readMessageBody<Content>(body: string | undefined, shape: MessageShape): MessageBody<Content> {
  const found = readFields(body);
  if (found === null) return { content: {}, fault: `the message is not ${shape.kind}: it is no JSON object` };
  const names = Object.keys(shape.fields);
  const wrong = names.filter((name) => typeof found[name] !== shape.fields[name]);
  // The shape names the fields that every content has.
  if (wrong.length === 0) return { content: found as Content, fault: null };
  const right = names.filter((name) => !wrong.includes(name)).map((name) => [name, found[name]]);
  const fault = `the message is not ${shape.kind}: no ${wrong.join(', no ')}`;
  return { content: Object.fromEntries(right) as Partial<Content>, fault };
}

/** Parses the JSON body of an SQS message. Throws StoreRefused for one that cannot be read. */
export function parseMessageBody<Content>(body: string | undefined, shape: MessageShape): Content {
  const { content, fault } = readMessageBody<Content>(body, shape);
  if (fault !== null) throw new StoreRefused(`${fault}: ${body}`);
  return content;
}

function readFields(body: string | undefined): Fields | null {
  try {
    const value: unknown = JSON.parse(body ?? 'null');
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

const SHAPE: MessageShape = {
  kind: 'a compile job',
  fields: { certname: 'string', generation: 'number', reason: 'string', at: 'number' },
};

/** Parses a job from the JSON body of an SQS message. Throws StoreRefused for anything else. */
export function parseCompileJob(body: string | undefined): CompileJob {
  return parseMessageBody(body, SHAPE);
}

/** Reads a job from the JSON body of an SQS message; of another message, what of a job it has. */
export function readCompileJob(body: string | undefined): MessageBody<CompileJob> {
  return readMessageBody(body, SHAPE);
}

const URLS = {
  waiting: ENVIRONMENT_VARIABLES.waitingQueueUrl,
  express: ENVIRONMENT_VARIABLES.expressQueueUrl,
  background: ENVIRONMENT_VARIABLES.backgroundQueueUrl,
} as const satisfies Record<QueueName, string>;

/**
 * Converts an SQS record received by Lambda to a job of its queue. Throws StoreRefused when the
 * body is not a job or `names` does not name the queue.
 */
export function parseReceivedRecord(
  { messageId, body, receiptHandle, attributes, eventSourceARN }: SQSRecord,
  names: AwsNames,
): ReceivedCompileJob {
  const called = eventSourceARN.split(':').at(-1);
  const queue = QUEUE_NAMES.find((name) => names[URLS[name]]?.split('/').at(-1) === called);
  if (queue === undefined) throw new StoreRefused(`the queue ${eventSourceARN} is unknown`);
  return {
    job: parseCompileJob(body),
    id: messageId,
    receipt: receiptHandle,
    queue,
    receiveCount: Number(attributes.ApproximateReceiveCount),
  };
}
