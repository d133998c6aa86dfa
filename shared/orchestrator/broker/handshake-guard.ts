import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../../store/ports/clock.ts';
import { TurnQueue } from '../../util/turn-queue.ts';
import type { AcceptGate } from './accept-gate.ts';
import type { BrokerCounters } from './broker-counters.ts';

/** A handshake takes one to five milliseconds of the event loop. */
const HANDSHAKES_IN_TURN = 4;
/** An honest client is done by then, also on a slow network. */
const PATIENCE_MS = 2000;

interface OpenHandshake {
  readonly socket: Socket;
  readonly since: number;
}

interface HandshakeGuardOptions {
  readonly gate: AcceptGate;
  readonly clock: Pick<Clock, 'now'>;
  readonly counters: Pick<BrokerCounters, 'shedConnections'>;
}

/**
 * Lets the gate decide on each connection of a server before its handshake begins. A few begin in
 * each turn of the event loop, so that those who are connected, and other servers of the process,
 * wait for a few handshakes only. When too many are in progress, those that take long make room:
 * clients that connect and say nothing lock out nobody.
 */
export class HandshakeGuard {
  readonly #options: HandshakeGuardOptions;
  readonly #turns = new TurnQueue(HANDSHAKES_IN_TURN);
  /** By the client's address and port; oldest first. */
  readonly #open = new Map<string, OpenHandshake>();

  constructor(options: HandshakeGuardOptions) {
    this.#options = options;
  }

  /** Call it before `listen`. */
  guard(server: Server): void {
    const { gate, counters } = this.#options;
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (gate.isFull) this.#makeRoom();
      if (!gate.admits()) {
        counters.shedConnections = gate.shed;
        socket.destroy();
        return;
      }
      this.#note(socket);
      this.#turns.add(() => {
        socket.off('error', ignoreError);
        if (socket.destroyed) this.#end(socket);
        else for (const begin of listeners) begin.call(server, socket);
      });
    });
    for (const event of ['secureConnection', 'tlsClientError']) server.on(event, (...parts) => this.#end(parts.at(-1)));
  }

  #note(socket: Socket): void {
    // Nobody else listens before its handshake begins.
    socket.on('error', ignoreError);
    this.#open.set(addressOf(socket), { socket, since: this.#options.clock.now() });
  }

  /** A handshake ended, whether it succeeded or not. */
  #end(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    this.#options.gate.finish();
    if (this.#open.delete(addressOf(socket))) return;
    // A connection that broke has no address any more.
    for (const [address, open] of this.#open) if (open.socket.destroyed) this.#open.delete(address);
  }

  /** Drops the handshake that began first, if that is long ago. */
  #makeRoom(): void {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    const [address, { socket, since }] = oldest;
    if (this.#options.clock.now() - since < PATIENCE_MS) return;
    this.#open.delete(address);
    socket.destroy();
  }
}

function addressOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}

function ignoreError(): void {}
