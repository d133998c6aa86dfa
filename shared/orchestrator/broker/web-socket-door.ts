import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { CODEC_V1 } from '../pcp/codec-v1.ts';
import { CODEC_V2 } from '../pcp/codec-v2.ts';
import type { PcpCodec } from '../pcp/pcp-message.ts';
import type { Broker } from './broker.ts';
import { IncompleteMessages, type IncompleteSource } from './incomplete-messages.ts';
import { CLOSE, type PcpClient, type Session } from './session.ts';

/** Header bytes of a masked control frame. */
const CONTROL_HEADER = 6;

/** A WebSocket that knows its session; fields need less memory than closures. */
class SessionSocket extends WebSocket implements IncompleteSource {
  session: Session | null = null;
  broker: Broker | null = null;
  incomplete: IncompleteMessages | null = null;
  incompleteBytes = 0;
  /** Whether a message ended in the chunk that is being read. */
  hasEnded = false;
  /** Bytes of control frames in the chunk that is being read. */
  controlBytes = 0;

  giveUp(): void {
    this.close(...CLOSE.overloaded);
    // Received data is freed with the connection. The close frame is with the system by then.
    setImmediate(() => this.terminate());
  }

  /** Counts a chunk that was read. */
  noteChunk(bytes: number): void {
    const { incomplete, hasEnded, controlBytes } = this;
    this.hasEnded = false;
    this.controlBytes = 0;
    // Bytes after the end of a message in the same chunk count from the next chunk on.
    if (hasEnded) incomplete?.forget(this);
    else if (bytes > controlBytes) incomplete?.add(this, bytes - controlBytes);
  }
}

interface DoorOptions {
  readonly broker: Broker;
  readonly maxMessageBytes: number;
  /** Bounds the incomplete messages of all connections together. */
  readonly mostIncompleteBytes: number;
}

/** Client that asks for a connection, as the transport knows it. */
export type DoorClient = Pick<PcpClient, 'identity' | 'serial'>;

/**
 * Makes WebSockets of upgrade requests and connects them to the broker: `/pcp` for version 1,
 * `/pcp2` for version 2; what follows is the type of the client.
 */
export class WebSocketDoor {
  readonly #broker: Broker;
  readonly #server: WebSocketServer;
  readonly #incomplete: IncompleteMessages;

  constructor({ broker, maxMessageBytes, mostIncompleteBytes }: DoorOptions) {
    this.#broker = broker;
    this.#incomplete = new IncompleteMessages(mostIncompleteBytes);
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: maxMessageBytes,
      // Agents ask for no compression. Without it, no message takes more memory than came as bytes.
      perMessageDeflate: false,
      handleProtocols: () => false,
      WebSocket: SessionSocket,
    });
  }

  /** Handles an upgrade request. */
  open(request: IncomingMessage, socket: Duplex, head: Buffer, client: DoorClient): void {
    const place = readPlace(request.url ?? '');
    if (place === null) {
      refuseUpgrade(socket, 404);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      if (!(webSocket instanceof SessionSocket)) throw new Error('invariant: the server makes sockets of this class');
      webSocket.incomplete = this.#incomplete;
      webSocket.on('error', ignoreError);
      webSocket.on('message', onMessage);
      webSocket.on('ping', onControl);
      webSocket.on('pong', onControl);
      webSocket.on('close', onClose);
      // After the listener of the WebSocket: what the chunk ended is known by then.
      socket.on('data', ({ length }: Buffer) => webSocket.noteChunk(length));
      const session = this.#broker.connect({ ...client, ...place, socket: new FrameSender(webSocket) });
      if (session === null) return;
      webSocket.session = session;
      webSocket.broker = this.#broker;
    });
  }
}

/** The codec and type of a path; null for a path that is not the broker's. */
function readPlace(url: string): { readonly codec: PcpCodec; readonly type: string } | null {
  const [path = ''] = url.split(/[?#]/, 1);
  const [, version, rest = ''] = /^\/pcp(2?)(?:\/(.*))?$/s.exec(path) ?? [];
  if (version === undefined) return null;
  return { codec: version === '2' ? CODEC_V2 : CODEC_V1, type: rest === '' ? 'agent' : rest };
}

/** Answers an upgrade request without a WebSocket, and ends the connection. */
function refuseUpgrade(socket: Duplex, status: number): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  if (!(this instanceof SessionSocket)) return;
  this.hasEnded = true;
  if (this.session === null) return;
  // The receiver gives one Buffer, since `binaryType` is its default.
  if (Buffer.isBuffer(data)) this.broker?.receive(this.session, data, isBinary);
}

function onControl(this: WebSocket, { length }: Buffer): void {
  if (!(this instanceof SessionSocket)) return;
  this.controlBytes += CONTROL_HEADER + length;
  if (this.session !== null) this.broker?.noteActivity(this.session);
}

function onClose(this: WebSocket): void {
  if (!(this instanceof SessionSocket)) return;
  this.incomplete?.forget(this);
  if (this.session !== null) this.broker?.disconnect(this.session);
}

/** The WebSocket closes itself after an error, with the code that fits. */
function ignoreError(): void {}

/** Sends frames over a WebSocket. */
class FrameSender {
  readonly #webSocket: WebSocket;

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
  }

  get bufferedAmount(): number {
    return this.#webSocket.bufferedAmount;
  }

  send(frame: Buffer, isBinary: boolean): void {
    if (this.#webSocket.readyState === WebSocket.OPEN) this.#webSocket.send(frame, { binary: isBinary }, ignoreError);
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason);
  }

  terminate(): void {
    this.#webSocket.terminate();
  }
}
