import type { SQSRecord } from 'aws-lambda';
import { ENVIRONMENT_VARIABLES } from '../../config/deployment.ts';
import { QUEUE_NAMES, type QueueName, type ReceivedCompileJob } from '../ports/compile-queue.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { parseCompileJob } from './compile-job-message.ts';
import type { AwsNames } from './stores.ts';

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
