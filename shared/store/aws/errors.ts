import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';

/** Error names for which a retry can succeed. */
const TRANSIENT = new Set([
  'InternalServerError',
  'InternalFailure',
  'InternalError',
  'ItemCollectionSizeLimitExceededException',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'SlowDown',
  'ThrottlingException',
  'Throttling',
  'TimeoutError',
  'TransactionConflictException',
  'OverLimit',
]);

/**
 * Runs an SDK call and translates its errors to StoreUnavailable or StoreRefused; `what` (table,
 * bucket, queue) stands in the message.
 */
export async function callSdk<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw translateSdkError(what, error);
  }
}

function translateSdkError(what: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreRefused || error instanceof StoreUnavailable) return error;
  const status = statusOf(error);
  const message = `${what}: ${error.name}: ${error.message}`;
  if (TRANSIENT.has(error.name) || status === undefined || status >= 500 || status === 429) {
    return isNetworkError(error) || status !== undefined ? new StoreUnavailable(message, error) : error;
  }
  return new StoreRefused(message, error);
}

/** Whether the error has one of these names, by which the SDK distinguishes its errors. */
export function isError(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/** The HTTP status of an SDK error's response. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** Whether there was no response: connection refused or reset, time-out, name not found. */
function isNetworkError(error: Error): boolean {
  return '$metadata' in error || ('code' in error && typeof error.code === 'string') || error.name === 'AggregateError';
}
