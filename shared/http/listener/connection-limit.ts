import type { ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../store/ports/clock.ts';
import { TurnQueue } from '../../util/turn-queue.ts';

export interface ConnectionLimitOptions {
  /** Most open connections, those in their TLS handshake included. */
  readonly most: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Called at most once a minute while connections are closed or refused because of the limit. */
  readonly reportFull: (error: Error) => void;
}

const REPORT_MS = 60_000;
/** A handshake takes one to three milliseconds of the event loop. */
const HANDSHAKES_IN_TURN = 8;

/**
 * Bounds the open connections of a server. One more closes the connection that has been idle for
 * longest: first those without a verified certificate, then those with one, then those without one
 * whose request is in progress. When there is none, the new one is refused before TLS. Clients that
 * open connections and leave them thus never lock others out.
 */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions;
  /** Connections that may be closed, in this order; in each set the longest unchanged first. */
  readonly #closable = { idle: new Set<TLSSocket>(), verified: new Set<TLSSocket>(), asking: new Set<TLSSocket>() };
  /** Requests in progress; several when a client sends them in a pipeline. */
  readonly #requests = new WeakMap<TLSSocket, number>();
  /** Requests of connections that are open come between handshakes. */
  readonly #handshakes = new TurnQueue(HANDSHAKES_IN_TURN);
  #open = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
  }

  /** Decides on each connection of `server` before its handshake. Call it before `listen`. */
  guard(server: Server): void {
    const handshakes = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!this.#admits()) {
        socket.destroy();
        return;
      }
      this.#open += 1;
      socket.once('close', () => {
        this.#open -= 1;
      });
      // Nobody else listens before its handshake begins.
      socket.on('error', () => socket.destroy());
      this.#handshakes.add(() => {
        if (!socket.destroyed) for (const begin of handshakes) begin.call(server, socket);
      });
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#sort(socket);
      socket.once('close', () => this.#forget(socket));
    });
    server.on('request', ({ socket }, response: ServerResponse) => {
      if (!isTls(socket)) return;
      this.#count(socket, 1);
      response.once('close', () => this.#count(socket, -1));
    });
  }

  #count(socket: TLSSocket, change: 1 | -1): void {
    this.#requests.set(socket, (this.#requests.get(socket) ?? 0) + change);
    this.#sort(socket);
  }

  #sort(socket: TLSSocket): void {
    this.#forget(socket);
    if (socket.destroyed) return;
    const isIdle = (this.#requests.get(socket) ?? 0) === 0;
    if (isIdle) this.#closable[socket.authorized ? 'verified' : 'idle'].add(socket);
    else if (!socket.authorized) this.#closable.asking.add(socket);
  }

  #forget(socket: TLSSocket): void {
    for (const set of Object.values(this.#closable)) set.delete(socket);
  }

  #admits(): boolean {
    if (this.#open < this.#options.most) return true;
    const longest = this.#findLongest();
    this.#report(longest === undefined ? 'new ones are refused' : 'idle ones are closed for new ones');
    if (longest === undefined) return false;
    this.#forget(longest);
    longest.destroy();
    return true;
  }

  #findLongest(): TLSSocket | undefined {
    for (const set of Object.values(this.#closable)) for (const socket of set) return socket;
    return undefined;
  }

  #report(consequence: string): void {
    const { most, clock, reportFull } = this.#options;
    const now = clock.now();
    if (now - this.#reportedAt < REPORT_MS) return;
    this.#reportedAt = now;
    reportFull(new Error(`${most} connections are open, the most that may be: ${consequence}`));
  }
}

function isTls(socket: object): socket is TLSSocket {
  return 'authorized' in socket;
}
