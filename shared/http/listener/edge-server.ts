import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ServerCredentials } from '../../access/ca/server-credentials.ts';
import type { Clock } from '../../store/ports/clock.ts';
import { ALLOWED_METHODS as ALLOWED } from '../exchange/request-path.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { type FetchApp, nodeListener } from './node-listener.ts';

export interface EdgeOptions {
  readonly app: FetchApp;
  readonly credentials: ServerCredentials;
  /** PEM: the CA whose client certificates are accepted. */
  readonly trusted: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Most connections at a time; see `ConnectionLimit`. */
  readonly mostConnections: number;
  readonly reportFailure: (error: unknown) => void;
  readonly timeouts?: Partial<Timeouts>;
  /** Whether clients are asked for a certificate; absent: they are. */
  readonly asksCertificate?: boolean;
}

/** Time-outs for a client in milliseconds; then it gets 408 and its connection is closed. */
export interface Timeouts {
  /**
   * For the TLS handshake, and again for the request line and headers, also when no byte of them
   * arrives.
   */
  readonly headersMs: number;
  /** For the whole request with its body. */
  readonly requestMs: number;
  /** How often the time-outs are checked. */
  readonly checkMs: number;
  /** Between two requests of a connection; then it is closed without an answer. */
  readonly keepAliveMs: number;
  /** For a connection on which no byte moves: its client does not read the answer. */
  readonly stalledMs: number;
}

/**
 * A report or backup of many megabytes takes minutes on a slow line; headers never do. A held
 * request gets an interim answer every ten seconds, so it is never stalled. A deploy that a
 * pipeline waits for may take minutes.
 */
const DEFAULT_TIMEOUTS: Timeouts = {
  headersMs: 20_000,
  requestMs: 300_000,
  checkMs: 5_000,
  keepAliveMs: 5_000,
  stalledMs: 3600_000,
};

/**
 * Connections that wait to be accepted; the kernel may allow fewer. Beyond it, clients send their
 * first packet again after 1, 3, 7 and 15 seconds. Node's own bound is 511.
 */
const BACKLOG = 4096;

export interface EdgeServer {
  readonly port: number;
  /** The number of open connections. */
  countConnections(): Promise<number>;
  /**
   * Stops accepting requests; those in progress get `graceMs`, then their connections are closed.
   */
  close(graceMs: number): Promise<void>;
}

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

/**
 * Listens with mutual TLS. A client without a valid certificate is accepted as anonymous, because
 * the CA's routes need it; the app authorizes its requests. Throws ListenFailed.
 */
export async function startEdgeServer(options: EdgeOptions): Promise<EdgeServer> {
  const { app, credentials, trusted, host, port, clock, mostConnections: most, reportFailure } = options;
  const patience = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const server = createServer(
    {
      cert: credentials.certificate,
      key: credentials.key,
      ca: [trusted],
      requestCert: options.asksCertificate ?? true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      handshakeTimeout: patience.headersMs,
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      connectionsCheckingInterval: patience.checkMs,
      keepAliveTimeout: patience.keepAliveMs,
    },
    nodeListener(app, clock, reportFailure),
  );
  server.on('connect', refuseTunnel);
  server.on('secureConnection', discardTlsErrors);
  server.setTimeout(patience.stalledMs);
  new ConnectionLimit({ most, clock, reportFull: reportFailure }).guard(server);
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    countConnections: () => countConnections(server),
    close: (graceMs) => closeServer(server, graceMs),
  };
}

/**
 * A signature that is not of the trusted CA leaves an error in OpenSSL's queue. The read that ends
 * the handshake would take it for its own and reset the connection. Node empties the queue when it
 * hands out a certificate.
 */
function discardTlsErrors(socket: TLSSocket): void {
  if (!socket.authorized) socket.getPeerX509Certificate();
}

/** Answers CONNECT, for which Node makes no response. */
function refuseTunnel(_: unknown, socket: Duplex): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 405 Method Not Allowed\r\nAllow: ${ALLOWED}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: unknown) => reject(new ListenFailed(host, port, error));
    server.once('error', onError);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
