import type { AddressedMessage } from '../pcp/pcp-message.ts';

/**
 * A service in the broker's process that sends and gets messages under a URI of its own. It is the
 * server itself: no policy judges its messages, and no client can connect under its URI.
 */
export interface Controller {
  readonly uri: string;
  /** Takes a message that a client sent to the URI. */
  receive(message: AddressedMessage): void;
}

/** A connected client. */
export interface ConnectedClient {
  readonly uri: string;
  /** When it connected, in milliseconds; null when it is connected to another broker. */
  readonly since: number | null;
}
