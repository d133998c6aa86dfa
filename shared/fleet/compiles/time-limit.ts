import { createContext, Script } from 'node:vm';
import { COMPILE_SHARE } from '../../config/compile-limit.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * The work exceeded its time limit and was aborted; its `catch` and `finally` blocks did not run.
 */
export class TimeLimitReached extends Error {
  constructor(limitMs: number) {
    super(`it took more than ${limitMs} milliseconds`);
    this.name = 'TimeLimitReached';
  }
}

const place: { work: () => void } = { work: () => undefined };
const context = createContext(place);
const script = new Script('work()');

/**
 * Runs synchronous work and aborts it after `limitMs` milliseconds of real time. Throws
 * TimeLimitReached then. Each call starts a thread, so use it for work that takes milliseconds.
 */
export function runWithTimeLimit<T>(limitMs: number, work: () => T): T {
  let result: { readonly value: T } | null = null;
  place.work = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    throw isTimeout(error) ? new TimeLimitReached(limitMs) : error;
  } finally {
    place.work = () => undefined;
  }
  return outcomeOf(result);
}

/**
 * Bounds a compile by its share of the time `limitMs` of a job. The result throws TimeLimitReached.
 */
export function limitCompile(compile: WorkerContext['compile'], limitMs: number): WorkerContext['compile'] {
  return (request) => runWithTimeLimit(Math.round(limitMs * COMPILE_SHARE), () => compile(request));
}

/** The error belongs to the other context, so it is not an instance of our Error. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

function outcomeOf<T>(result: { readonly value: T } | null): T {
  if (!result) throw new Error('the work has not run');
  return result.value;
}
