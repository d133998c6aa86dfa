import type { CompileJob } from '../ports/compile-queue.ts';
import type { MessageBody } from '../ports/dead-message.ts';
import { type MessageShape, parseMessageBody, readMessageBody } from './message-body.ts';

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
