import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { QUEUES } from '../shared/config/deployment.ts';

/** A queue and its dead-letter queue. */
export interface QueueWithDeadLetters {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/**
 * The waiting queue (a node waits), the express queue (a change was accepted) and the background
 * queue (the ring), each with a dead-letter queue; the queue of fan-outs, likewise; and the
 * dead-letter queue of the stream.
 */
export class Queues extends Construct {
  readonly waiting: QueueWithDeadLetters;
  readonly express: QueueWithDeadLetters;
  readonly background: QueueWithDeadLetters;
  /** Chains of deploys whose nodes are being invalidated. */
  readonly fanOut: QueueWithDeadLetters;
  /** Batches of the exports stream that the exports function could not process. */
  readonly exportsDeadLetters: Queue;
  readonly #visibility: Duration;

  /** `visibilitySeconds`: how long a received job stays invisible to other workers. */
  constructor(scope: Construct, id: string, { visibilitySeconds }: { readonly visibilitySeconds: number }) {
    super(scope, id);
    this.#visibility = Duration.seconds(visibilitySeconds);
    this.waiting = this.#createPair('Waiting');
    this.express = this.#createPair('Express');
    this.background = this.#createPair('Background');
    this.fanOut = this.#createPair('FanOut', Duration.seconds(6 * QUEUES.fanOutSeconds));
    this.exportsDeadLetters = this.#deadLetters('ExportsDeadLetters');
  }

  /** The queues of jobs in the order of priority. */
  get all(): readonly QueueWithDeadLetters[] {
    return [this.waiting, this.express, this.background];
  }

  #createPair(id: string, visibilityTimeout = this.#visibility): QueueWithDeadLetters {
    const deadLetters = this.#deadLetters(`${id}DeadLetters`);
    const queue = new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      visibilityTimeout,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: QUEUES.maxReceives },
    });
    return { queue, deadLetters };
  }

  #deadLetters(id: string): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
  }
}
