import { createContext, Script } from 'node:vm';

/** The work took longer than it may. None of its `catch` and `finally` has run. */
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
 * Runs synchronous work that is cut off after `limitMs` milliseconds of real time, wherever it is.
 * Throws TimeLimitReached then. A call costs a thread of its own for a moment: it is for work that
 * takes milliseconds.
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

/** The error is one of the context's, so it is no instance of our Error. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

function outcomeOf<T>(result: { readonly value: T } | null): T {
  if (!result) throw new Error('the work has not run');
  return result.value;
}
