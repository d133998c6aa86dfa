import type { DeadMessage } from './dead-message.ts';

/** A chain of a deploy's fan-out that has work left. The chain's cursor is in its document. */
export interface FanOutMessage {
  readonly environment: string;
  /** `revisionToken` of the deploy. */
  readonly revision: string;
  readonly chain: number;
}

export interface ReceivedFanOut {
  readonly message: FanOutMessage;
  /** The handle for `acknowledge` and `retryAfter`, valid until the visibility time-out ends. */
  readonly receipt: string;
}

/**
 * The queue of fan-outs. A message is delivered at least once, and again when its receiver dies. A
 * message that is sent twice may be delivered twice.
 */
export interface FanOutQueue {
  send(messages: readonly FanOutMessage[]): Promise<void>;
  /** Receives up to `limit` (at most 10) visible messages, and hides them for a time. */
  receive(limit: number): Promise<readonly ReceivedFanOut[]>;
  /** Removes the message. Does nothing when the receipt is no longer valid. */
  acknowledge(received: ReceivedFanOut): Promise<void>;
  /** Makes the message visible again after `delayMs`. */
  retryAfter(received: ReceivedFanOut, delayMs: number): Promise<void>;
  /**
   * Lists up to `limit` dead letters, which stay; in AWS 200 at most. The embedded queue has none:
   * it delivers a message until it is acknowledged.
   */
  listDeadLetters(limit: number): Promise<readonly DeadMessage<FanOutMessage>[]>;
  /**
   * Sends dead letters again, as if they were never received; returns how many there were.
   * Unreadable letters stay.
   */
  redrive(ids: readonly string[]): Promise<number>;
  countDeadLetters(): Promise<number>;
}
