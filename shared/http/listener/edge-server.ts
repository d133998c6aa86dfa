import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ServerCredentials } from '../../access/ca/server-credentials.ts';
import type { ConnectionSettings } from '../../config/connections.ts';
import type { Clock } from '../../store/ports/clock.ts';
import { closeServer, listen, serverOptions } from '../../util/listening.ts';
import { ALLOWED_METHODS as ALLOWED } from '../exchange/request-path.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { type FetchApp, nodeListener } from './node-listener.ts';

interface PlainOptions {
  readonly app: FetchApp;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly connections: ConnectionSettings;
  readonly reportFailure: (error: unknown) => void;
}

interface EdgeOptions extends PlainOptions {
  readonly credentials: ServerCredentials;
  /** PEM: the CA whose client certificates are accepted. */
  readonly trusted: string;
  /** Whether clients are asked for a certificate; absent: they are. */
  readonly asksCertificate?: boolean;
}

export interface EdgeServer {
  readonly port: number;
  /** The number of open connections. */
  countConnections(): Promise<number>;
  /**
   * Stops accepting requests; those in progress get `graceMs`, then their connections are closed.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Listens with mutual TLS. A client without a valid certificate is accepted as anonymous, because
 * the CA's routes need it; the app authorizes its requests. Throws ListenFailed.
 */
export function startEdgeServer(options: EdgeOptions): Promise<EdgeServer> {
  const { app, credentials, trusted, clock, connections, reportFailure } = options;
  const server = createTlsServer(
    {
      cert: credentials.certificate,
      key: credentials.key,
      ca: [trusted],
      requestCert: options.asksCertificate ?? true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ...serverOptions(connections),
    },
    nodeListener(app, clock, reportFailure),
  );
  server.on('secureConnection', discardTlsErrors);
  return start(server, 'secureConnection', options);
}

/** Listens without TLS, where only this machine reaches it. Throws ListenFailed. */
export function startPlainServer(options: PlainOptions): Promise<EdgeServer> {
  const { app, clock, connections, reportFailure } = options;
  const server = createServer(serverOptions(connections), nodeListener(app, clock, reportFailure));
  return start(server, 'connection', options);
}

async function start(
  server: Server,
  readyEvent: 'connection' | 'secureConnection',
  { host, port, clock, connections, reportFailure }: PlainOptions,
): Promise<EdgeServer> {
  server.on('connect', refuseTunnel);
  new ConnectionLimit({ ...connections, clock, reportFull: reportFailure }).guard(server, readyEvent);
  return {
    port: await listen(server, host, port, connections),
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

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
