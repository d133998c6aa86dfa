import type { AddressedMessage } from '../pcp/pcp-message.ts';
import type { TimedChange } from './subscriptions.ts';

/**
 * The other brokers of the same site. A client may be connected to any of them; a message finds it
 * all the same.
 */
export interface Neighbours {
  /**
   * A client connected here. An earlier connection of the URI, wherever it is, is dropped. Rejects
   * when that cannot be made known.
   */
  arrive(uri: string): Promise<void>;
  /** The client of this URI left, and did not connect elsewhere since. */
  leave(uri: string): Promise<void>;
  /** Hands a message to the broker that has the target. Null when it did, else why not. */
  deliver(message: AddressedMessage): Promise<string | null>;
  /** The URIs that are connected to other brokers. */
  list(matches: (uri: string) => boolean): Promise<readonly string[]>;
  /** Returns those of `uris` that are connected to other brokers. */
  find(uris: readonly string[]): Promise<readonly string[]>;
  /** Whether this broker has subscribers: only then other brokers send it their changes. */
  watch(hasSubscribers: boolean): Promise<void>;
  /** A client came to this broker or left it. */
  noteChange(change: TimedChange): void;
}

/** Requests of other brokers to this one. */
export interface NeighbourRequests {
  readonly isRunning: boolean;
  /** Clients that are connected to this broker. */
  readonly connections: number;
  /** Closes up to `count` connections on which nothing happens. */
  moveAway(count: number): void;
  /** Delivers a message to a client of this broker; whether it is connected. */
  deliverHere(message: AddressedMessage): boolean;
  /** Reports to a client of this broker that its message was not delivered. */
  reportUndelivered(uri: string, description: string, messageId: string): void;
  /** The client of this URI connected elsewhere. */
  dropHere(uri: string): void;
  /** A client came to another broker or left it. */
  noteChangeElsewhere(change: TimedChange): void;
}
