import { Broker } from './broker.ts';
import { DEFAULT_BROKER_LIMITS } from './broker-server.ts';
import { STANDARD_POLICY } from './standard-policy.ts';
import { type MailPace, type NeighbourStores, StoredNeighbours } from './stored-neighbours.ts';

interface JoinedBroker {
  readonly broker: Broker;
  /** Returns the longest time that a message waited for this process since the last call, in ms. */
  readonly takeLongestWait: () => number;
  /** Counts the processes that serve an orchestrator, including this one. */
  readonly countServices: () => number;
  /** Leaves the other brokers. */
  stop(): Promise<void>;
  /** Resolves when it has left, also when another process took its name. */
  readonly ended: Promise<void>;
}

/**
 * Joins the brokers that share a store, without listening for clients. Services of this process
 * exchange messages with the clients of the other brokers.
 */
export async function joinBrokers(
  stores: NeighbourStores,
  { instance, pace }: { readonly instance: string; readonly pace: MailPace },
  reportFailure: (message: string, cause: unknown) => void,
): Promise<JoinedBroker> {
  const neighbours = await StoredNeighbours.join(stores, instance, { pace, isService: true });
  const broker = new Broker({ ...DEFAULT_BROKER_LIMITS, policy: STANDARD_POLICY, clock: stores.clock, neighbours });
  const stopping = new AbortController();
  const served = neighbours.serve(broker, stopping.signal, reportFailure).catch((error: unknown) => {
    reportFailure('This process leaves the brokers', error);
    stopping.abort();
  });
  const ended = Promise.all([broker.keepTime(stopping.signal), served]).then(() => {});
  return {
    broker,
    countServices: () => neighbours.countServices(),
    takeLongestWait: () => neighbours.takeLongestWait(),
    ended,
    stop: async () => {
      stopping.abort();
      await broker.stop();
      await ended;
    },
  };
}
