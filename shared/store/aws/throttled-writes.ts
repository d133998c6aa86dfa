import type { Clock } from '../ports/clock.ts';
import type { NodeStore } from '../ports/node-store.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { isError } from './errors.ts';

/** The SDK has tried again by itself, for about 100 ms, when it gives up. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5000;

/** Errors of a request that did nothing. */
const THROTTLED = ['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException'];

/** Writes of a fan-out to nodes. */
type FanOutNodes = Pick<NodeStore, 'want' | 'unask'>;

/**
 * Repeats `want` as long as the table refuses it for its throughput, until `isOver`: a node at a
 * time, so that those that were written are not written again. The waits double up to five seconds,
 * and are spread so that the nodes of a page do not come back together. When the time is over, the
 * error is thrown.
 */
export function waitOutThrottles(nodes: FanOutNodes, clock: Clock, isOver: () => boolean): FanOutNodes {
  return {
    unask: (...args) => nodes.unask(...args),
    want: async (...args) => {
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
        try {
          return await nodes.want(...args);
        } catch (error) {
          if (!isThrottled(error) || isOver()) throw error;
          await clock.sleep(wait * (0.5 + clock.random() / 2));
        }
      }
    },
  };
}

function isThrottled(error: unknown): boolean {
  return error instanceof StoreUnavailable && isError(error.cause, ...THROTTLED);
}
