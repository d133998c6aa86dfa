import type { Identity } from '../../access/authorization/access-entry.ts';
import type { PcpCodec } from '../pcp/pcp-message.ts';

/** The transport of a connection: frames of a WebSocket, whoever ended its TLS. */
export interface PcpSocket {
  send(frame: Buffer, isBinary: boolean): void;
  /** Starts the closing handshake. */
  close(code: number, reason: string): void;
  /** Drops the connection; the client gets no close frame. */
  terminate(): void;
  /** Bytes that the client has not taken yet. */
  readonly bufferedAmount: number;
}

/** A client that wants to be connected. */
export interface PcpClient {
  readonly socket: PcpSocket;
  readonly codec: PcpCodec;
  /** Null without a certificate that names a client. */
  readonly identity: Identity | null;
  /** The certificate's serial number, hexadecimal; null where another process ended the TLS. */
  readonly serial: string | null;
  /** The type that the client asked for, like `agent`. */
  readonly type: string;
}

/** A connection under its URI. There are many of these: it holds little. */
export class Session {
  readonly uri: string;
  readonly type: string;
  readonly identity: Identity;
  readonly serial: string | null;
  readonly codec: PcpCodec;
  readonly socket: PcpSocket;
  /** When the client connected, and when bytes last came from it. */
  readonly openedAt: number;
  activeAt: number;

  constructor({ socket, codec, serial, type }: PcpClient, identity: Identity, now: number) {
    this.socket = socket;
    this.codec = codec;
    this.identity = identity;
    this.serial = serial;
    this.type = type;
    this.uri = `pcp://${identity.certname}/${type}`;
    this.openedAt = now;
    this.activeAt = now;
  }
}

/** Codes and reasons with which the broker closes connections. */
export const CLOSE = {
  idle: [1001, 'Idle Timeout'],
  goingAway: [1001, 'Broker is stopping.'],
  tooMany: [1011, 'Connection limit exceeded.'],
  notRunning: [1011, 'Broker is not running.'],
  moved: [1001, 'Another broker has fewer clients.'],
  revocations: [1012, 'CRL reloaded'],
  overloaded: [1013, 'Too many incomplete messages.'],
  refused: [4002, 'Association unsuccessful.'],
  anonymous: [4003, 'No client certificate.'],
} as const;
