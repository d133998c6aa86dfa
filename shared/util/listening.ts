import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ConnectionSettings } from '../config/connections.ts';

/**
 * Connections that wait to be accepted; the kernel may allow fewer. Beyond it, clients send their
 * first packet again after 1, 3, 7 and 15 seconds. Node's own bound is 511.
 */
const BACKLOG = 4096;
/** A peer that does not take the end of its connection by then is gone. */
const END_MS = 2_000;

/** Listening on the address failed; the message names it and the reason. */
export class ListenFailed extends Error {
  constructor(host: string, port: number, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: 'the port is in use by another program',
      EACCES: 'listening there is not permitted',
      EADDRNOTAVAIL: 'this machine has no such address',
    };
    super(`Cannot listen on ${host}:${port}: ${reasons[code] ?? code}`, { cause });
    this.name = 'ListenFailed';
  }
}

/** The options of `createServer` for a port with these settings. */
export function serverOptions(settings: ConnectionSettings) {
  return {
    handshakeTimeout: settings.handshakeMs,
    headersTimeout: settings.headersMs,
    requestTimeout: settings.requestMs,
    connectionsCheckingInterval: settings.checkMs,
    keepAliveTimeout: settings.keepAliveMs,
  };
}

/** Listens; resolves to the port. Connections end by these settings. Throws ListenFailed. */
export function listen(server: Server, host: string, port: number, settings: ConnectionSettings): Promise<number> {
  server.setTimeout(settings.stalledMs);
  // Node alone would end them without TLS's own end, which clients take for a fault.
  server.on('timeout', endConnection);
  return new Promise((resolve, reject) => {
    const onError = (error: unknown) => reject(new ListenFailed(host, port, error));
    server.once('error', onError);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Ends a connection in order: with the end of TLS, and of TCP. */
export function endConnection(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), END_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(() => socket.destroy());
}

/** Stops accepting requests; those in progress get `graceMs`, then their connections are closed. */
export function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
