import type { CompileJob } from '../ports/compile-queue.ts';
import { StoreRefused } from '../ports/store-errors.ts';

/** Parses a job from the JSON body of an SQS message. Throws StoreRefused for anything else. */
export function parseCompileJob(body: string | undefined): CompileJob {
  const job: unknown = JSON.parse(body ?? 'null');
  if (!isCompileJob(job)) throw new StoreRefused(`a message is not a job: ${body}`);
  return job;
}

function isCompileJob(value: unknown): value is CompileJob {
  return (
    typeof value === 'object' &&
    value !== null &&
    'certname' in value &&
    typeof value.certname === 'string' &&
    'generation' in value &&
    typeof value.generation === 'number' &&
    'reason' in value &&
    typeof value.reason === 'string' &&
    'at' in value &&
    typeof value.at === 'number'
  );
}
