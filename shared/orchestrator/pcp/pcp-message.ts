import { NamedError } from '../../util/named-error.ts';
/** A PCP message between its two wire formats. */
export interface PcpMessage {
  /** A UUID. */
  readonly id: string;
  readonly type: string;
  /** Null: the URI of the connection that sent it. */
  readonly sender: string | null;
  /** Null: the broker itself; in the broker's own messages: whoever has the connection. */
  readonly target: string | null;
  readonly inReplyTo: string | null;
  /** Valid JSON in UTF-8; null for none. */
  readonly data: Uint8Array | null;
  /** Whether the sender named more than one recipient. */
  readonly isMulticast: boolean;
}

/** A message whose sender and target are known. */
export interface AddressedMessage extends PcpMessage {
  readonly sender: string;
  readonly target: string;
}

/** The types of messages that the broker itself reads or sends. */
export const PCP_TYPE = {
  associateRequest: 'http://puppetlabs.com/associate_request',
  associateResponse: 'http://puppetlabs.com/associate_response',
  inventoryRequest: 'http://puppetlabs.com/inventory_request',
  inventoryResponse: 'http://puppetlabs.com/inventory_response',
  inventoryUpdate: 'http://puppetlabs.com/inventory_update',
  error: 'http://puppetlabs.com/error_message',
} as const;

/** A frame is no PCP message; `message` says why, for the log. */
export class UndecodableFrame extends NamedError {}

/** One version of the protocol: its frames as messages, and back. */
export interface PcpCodec {
  /** Whether the frames are binary; the others are text. */
  readonly isBinary: boolean;
  /** Throws UndecodableFrame. */
  decode(frame: Buffer, isBinary: boolean): PcpMessage;
  encode(message: PcpMessage): Buffer;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isMessageId(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** Makes the data of a message from a value. */
export function encodeData(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
