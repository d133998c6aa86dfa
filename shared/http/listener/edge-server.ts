import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerCredentials } from '../../access/ca/authority.ts';
import { type FetchApp, nodeListener } from './node-listener.ts';

export interface EdgeOptions {
  readonly app: FetchApp;
  readonly credentials: ServerCredentials;
  /** The CA's certificate in PEM: whose clients are believed. */
  readonly trusted: string;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly reportFailure: (error: unknown) => void;
  readonly timeouts?: Timeouts;
}

/** How long a client may take, in milliseconds, before it gets 408 and its connection is closed. */
export interface Timeouts {
  /** For the TLS handshake; then again for the request line and the headers. */
  readonly headersMs: number;
  /** For the whole request with its body. */
  readonly requestMs: number;
  /** How often that is looked at. */
  readonly checkMs: number;
}

/** A report or a backup of many megabytes over a slow line takes minutes; headers never do. */
const DEFAULT_TIMEOUTS: Timeouts = { headersMs: 20_000, requestMs: 300_000, checkMs: 5_000 };

export interface EdgeServer {
  readonly port: number;
  /** Takes no more requests; those under way get `graceMs`, then their connections are cut. */
  close(graceMs: number): Promise<void>;
}

/** The address cannot be listened on; the message says which and why. */
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
 * Listens with mutual TLS. A client without a certificate, or with a bad one, is let in as nobody:
 * the CA's routes are for those; what else it may do is the app's rule. Throws ListenFailed.
 */
export async function startEdgeServer(options: EdgeOptions): Promise<EdgeServer> {
  const {
    app,
    credentials,
    trusted,
    host,
    port,
    reportFailure: failed,
    timeouts: patience = DEFAULT_TIMEOUTS,
  } = options;
  const server = createServer(
    {
      cert: credentials.certificate,
      key: credentials.key,
      ca: [trusted],
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      handshakeTimeout: patience.headersMs,
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      connectionsCheckingInterval: patience.checkMs,
    },
    nodeListener(app, failed),
  );
  await listen(server, host, port);
  return { port: (server.address() as AddressInfo).port, close: (graceMs) => closeServer(server, graceMs) };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: unknown) => reject(new ListenFailed(host, port, error));
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve();
    });
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
