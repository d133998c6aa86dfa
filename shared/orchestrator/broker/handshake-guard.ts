import type { Server, Socket } from 'node:net';
import type { Clock } from '../../store/ports/clock.ts';
import { TurnQueue } from '../../util/turn-queue.ts';
import type { AcceptGate } from './accept-gate.ts';
import type { BrokerCounters } from './broker-counters.ts';

/** A handshake takes one to five milliseconds of the event loop. */
const HANDSHAKES_IN_TURN = 4;
/** An honest client is done by then, also on a slow network. */
const PATIENCE_MS = 2000;
/** Agents give up five seconds after they connected, and a handshake takes some of them. */
const WAIT_MS = 4000;
const LOOK_MS = 25;

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
 * Lets the gate decide on each connection of a server before its handshake begins. Those that it
 * does not admit wait for their turn, as long as an agent does: an agent that is turned away backs
 * off for longer and longer, but not before its own five seconds are over. More than will have a
 * place in that time do not wait.
 *
 * A few handshakes begin in each turn of the event loop, so that those who are connected, and other
 * servers of the process, wait for a few handshakes only. When too many are in progress, those that
 * take long make room: clients that connect and say nothing lock out nobody.
 */
export class HandshakeGuard {
  readonly #options: HandshakeGuardOptions;
  readonly #turns = new TurnQueue(HANDSHAKES_IN_TURN);
  /** By the client's address and port; oldest first. */
  readonly #open = new Map<string, OpenHandshake>();
  /** With the time since which each waits; oldest first. */
  readonly #waiting = new Map<Socket, number>();
  #timer: NodeJS.Timeout | undefined;
  #begin: (socket: Socket) => void = () => {};

  constructor(options: HandshakeGuardOptions) {
    this.#options = options;
  }

  /** Call it before `listen`. */
  guard(server: Server): void {
    const { gate } = this.#options;
    const listeners = server.listeners('connection');
    this.#begin = (socket) => {
      for (const begin of listeners) begin.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      // Nobody else listens before its handshake begins.
      socket.on('error', ignoreError);
      if (this.#waiting.size === 0 && this.#admits()) this.#start(socket);
      else if (this.#waiting.size < gate.countPlaces(WAIT_MS)) this.#hold(socket);
      else this.#shed(socket);
    });
    for (const event of ['secureConnection', 'tlsClientError']) server.on(event, (...parts) => this.#end(parts.at(-1)));
  }

  /** Closes the connections that wait. */
  stop(): void {
    for (const socket of this.#waiting.keys()) this.#shed(socket);
    clearTimeout(this.#timer);
  }

  #admits(): boolean {
    if (this.#options.gate.isFull) this.#makeRoom();
    return this.#options.gate.admits();
  }

  #start(socket: Socket): void {
    this.#open.set(addressOf(socket), { socket, since: this.#options.clock.now() });
    this.#turns.add(() => {
      socket.off('error', ignoreError);
      if (socket.destroyed) this.#end(socket);
      else this.#begin(socket);
    });
  }

  #hold(socket: Socket): void {
    this.#waiting.set(socket, this.#options.clock.now());
    if (this.#waiting.size === 1) this.#lookLater();
  }

  #shed(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#options.counters.shedConnections += 1;
    socket.destroy();
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#serveWaiting(), LOOK_MS);
  }

  #serveWaiting(): void {
    const latest = this.#options.clock.now() - WAIT_MS;
    // Clients that left by themselves have no place.
    for (const socket of this.#waiting.keys()) if (socket.destroyed) this.#waiting.delete(socket);
    for (const [socket, since] of this.#waiting) {
      if (since <= latest) this.#shed(socket);
      else if (!this.#admits()) break;
      else {
        this.#waiting.delete(socket);
        this.#start(socket);
      }
    }
    if (this.#waiting.size > 0) this.#lookLater();
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
