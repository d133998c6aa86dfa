import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ConnectionSettings } from '../../config/connections.ts';
import type { Clock } from '../../store/ports/clock.ts';
import { endConnection } from '../../util/listening.ts';
import { TurnQueue } from '../../util/turn-queue.ts';

interface ConnectionLimitOptions extends Pick<ConnectionSettings, 'most' | 'mostOfCertificate' | 'mostOfAddress'> {
  readonly clock: Pick<Clock, 'now'>;
  /** Called at most once a minute while connections are closed or refused because of the limit. */
  readonly reportFull: (error: Error) => void;
}

const REPORT_MS = 60_000;
/** A handshake takes one to three milliseconds of the event loop. */
const HANDSHAKES_IN_TURN = 8;
/** An honest client has done its handshake by then, also on a slow network. */
const PATIENCE_MS = 2_000;

/**
 * Bounds the open connections of a server, and those of each client: of a certificate, or of an
 * address without one. One more closes the connection that has been idle for longest: first those
 * without a verified certificate, then those with one, then those without one whose request is in
 * progress, then handshakes that take long. When there is none, the new one is refused before TLS;
 * of a client with too many, after it. Clients that open connections and leave them thus never lock
 * others out.
 */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions;
  /** Connections that may be closed, in this order; in each set the longest unchanged first. */
  readonly #closable = { idle: new Set<Socket>(), verified: new Set<Socket>(), asking: new Set<Socket>() };
  /** The handshakes in progress by the client's address and port; oldest first. */
  readonly #handshakes = new Map<string, { readonly socket: Socket; readonly since: number }>();
  /** The connections of each client, oldest first. */
  readonly #clients = new Map<string, Set<Socket>>();
  /** Requests in progress; several when a client sends them in a pipeline. */
  readonly #requests = new WeakMap<Socket, number>();
  /** Requests of connections that are open come between handshakes. */
  readonly #turns = new TurnQueue(HANDSHAKES_IN_TURN);
  #open = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
  }

  /**
   * Decides on each connection of `server` before its handshake. `readyEvent` announces connections
   * that can send requests. Call it before `listen`.
   */
  guard(server: Server, readyEvent: 'connection' | 'secureConnection'): void {
    const begin = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!this.#admits()) {
        socket.destroy();
        return;
      }
      this.#note(socket);
      this.#turns.add(() => {
        if (socket.destroyed) return;
        for (const one of begin) one.call(server, socket);
        if (readyEvent === 'connection') this.#takeIn(socket);
      });
    });
    if (readyEvent !== 'connection') server.on(readyEvent, (socket: Socket) => this.#takeIn(socket));
    server.on('request', ({ socket }, response: ServerResponse) => {
      this.#count(socket, 1);
      response.once('close', () => this.#count(socket, -1));
    });
  }

  #note(socket: Socket): void {
    const address = addressOf(socket);
    this.#open += 1;
    this.#handshakes.set(address, { socket, since: this.#options.clock.now() });
    socket.once('close', () => {
      this.#open -= 1;
      this.#handshakes.delete(address);
    });
    // Nobody else listens before its handshake begins.
    socket.on('error', () => socket.destroy());
  }

  /** A connection can send requests from now on. */
  #takeIn(socket: Socket): void {
    this.#handshakes.delete(addressOf(socket));
    const certificate = isVerified(socket) ? socket.getPeerX509Certificate()?.fingerprint256 : undefined;
    const client = certificate ?? socket.remoteAddress ?? '';
    const its = this.#clients.get(client) ?? new Set();
    this.#clients.set(client, its.add(socket));
    socket.once('close', () => {
      this.#forget(socket);
      its.delete(socket);
      if (its.size === 0) this.#clients.delete(client);
    });
    this.#sort(socket);
    const { mostOfCertificate, mostOfAddress } = this.#options;
    const most = certificate === undefined ? mostOfAddress : mostOfCertificate;
    if (its.size > most) this.#makeRoom(socket, its, most);
  }

  /** Closes the longest idle of a client, or the new one. */
  #makeRoom(added: Socket, its: ReadonlySet<Socket>, most: number): void {
    const idle = its.values().find((socket) => socket !== added && (this.#requests.get(socket) ?? 0) === 0);
    const consequence = idle === undefined ? 'new ones are refused' : 'idle ones are closed for new ones';
    this.#report(`A client has ${most} connections, the most it may have: ${consequence}`);
    this.#end(idle ?? added);
  }

  #count(socket: Socket, change: 1 | -1): void {
    this.#requests.set(socket, (this.#requests.get(socket) ?? 0) + change);
    this.#sort(socket);
  }

  #sort(socket: Socket): void {
    this.#forget(socket);
    if (socket.destroyed) return;
    const isIdle = (this.#requests.get(socket) ?? 0) === 0;
    if (isIdle) this.#closable[isVerified(socket) ? 'verified' : 'idle'].add(socket);
    else if (!isVerified(socket)) this.#closable.asking.add(socket);
  }

  #forget(socket: Socket): void {
    for (const set of Object.values(this.#closable)) set.delete(socket);
  }

  #end(socket: Socket): void {
    this.#forget(socket);
    if ((this.#requests.get(socket) ?? 0) === 0) endConnection(socket);
    else socket.destroy();
  }

  #admits(): boolean {
    const { most } = this.#options;
    if (this.#open < most) return true;
    const longest = this.#findLongest();
    const slow = longest === undefined ? this.#findSlow() : undefined;
    const isRefused = longest === undefined && slow === undefined;
    const consequence = isRefused ? 'new ones are refused' : 'idle ones are closed for new ones';
    this.#report(`${most} connections are open, the most that may be: ${consequence}`);
    if (longest !== undefined) this.#end(longest);
    slow?.destroy();
    return !isRefused;
  }

  #findLongest(): Socket | undefined {
    for (const set of Object.values(this.#closable)) for (const socket of set) return socket;
    return undefined;
  }

  /** The handshake that began first, if that is long ago. */
  #findSlow(): Socket | undefined {
    const [first] = this.#handshakes;
    if (first === undefined) return undefined;
    const [address, { socket, since }] = first;
    if (this.#options.clock.now() - since < PATIENCE_MS) return undefined;
    this.#handshakes.delete(address);
    return socket;
  }

  #report(text: string): void {
    const now = this.#options.clock.now();
    if (now - this.#reportedAt < REPORT_MS) return;
    this.#reportedAt = now;
    this.#options.reportFull(new Error(text));
  }
}

function isVerified(socket: Socket): socket is TLSSocket {
  return socket instanceof TLSSocket && socket.authorized;
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
