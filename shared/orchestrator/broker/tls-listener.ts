import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type SecureContextOptions, TLSSocket } from 'node:tls';
import { crlsInPem, crlToPem } from '../../access/ca/crl.ts';
import { certificatesInPem, pemOf } from '../../access/ca/x509.ts';
import { CONNECTIONS } from '../../config/connections.ts';
import type { Clock } from '../../store/ports/clock.ts';
import { listen, serverOptions } from '../../util/listening.ts';
import type { AcceptGate } from './accept-gate.ts';
import type { Broker } from './broker.ts';
import { answerBrokerStatus } from './broker-status.ts';
import { readClient } from './connection-identity.ts';
import { HandshakeGuard } from './handshake-guard.ts';
import type { WebSocketDoor } from './web-socket-door.ts';

/** PEM texts. */
export interface BrokerCredentials {
  readonly certificate: string;
  readonly key: string;
  /** The CA whose client certificates are accepted. */
  readonly trusted: string;
  /** Revocation lists of all CAs of `trusted`; null for none. */
  readonly revocations: string | null;
}

interface TlsListenerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly credentials: BrokerCredentials;
  readonly broker: Broker;
  readonly door: WebSocketDoor;
  readonly gate: AcceptGate;
  readonly clock: Pick<Clock, 'now'>;
  /** Most connections at a time; more are refused before TLS. Absent: no bound. */
  readonly mostSockets?: number;
}

export interface TlsListener {
  readonly port: number;
  /** Puts other revocation lists in force, for the handshakes from now on. */
  replaceRevocations(revocations: string | null): void;
  /** Stops accepting connections. */
  close(): void;
}

/**
 * Listens with mutual TLS: upgrades go to the door, `/status/v1` is answered, and all else is 404.
 * A client without a certificate gets as far as the broker, which refuses it with a reason; one
 * with a certificate that is revoked, expired or of another CA does not. Throws ListenFailed.
 */
export async function startTlsListener(options: TlsListenerOptions): Promise<TlsListener> {
  const { host, port, credentials, broker, door, gate, clock, mostSockets } = options;
  const server = createServer(
    {
      ...contextOf(credentials),
      requestCert: true,
      rejectUnauthorized: false,
      ...serverOptions(CONNECTIONS.broker),
      noDelay: true,
    },
    (request, response) => answerRequest(broker, request, response),
  );
  const guard = new HandshakeGuard({ gate, clock, counters: broker.counters });
  guard.guard(server);
  if (mostSockets !== undefined && Number.isFinite(mostSockets)) server.maxConnections = mostSockets;
  server.on('secureConnection', (socket: TLSSocket) => {
    if (!socket.authorized && socket.getPeerX509Certificate() !== undefined) socket.destroy();
  });
  server.on('upgrade', (request, socket, head) => {
    if (socket instanceof TLSSocket && !socket.destroyed) door.open(request, socket, head, readClient(socket));
  });
  return {
    port: await listen(server, host, port, CONNECTIONS.broker),
    replaceRevocations: (revocations) => server.setSecureContext(contextOf({ ...credentials, revocations })),
    close: () => {
      guard.stop();
      server.close();
      server.closeIdleConnections();
    },
  };
}

function contextOf({ certificate, key, trusted, revocations }: BrokerCredentials): SecureContextOptions {
  return {
    cert: withoutRoots(certificate),
    key,
    ca: [trusted],
    // OpenSSL reads one list of a text.
    ...(revocations === null ? {} : { crl: crlsInPem(revocations).map(crlToPem) }),
    // Real agents have TLS 1.2 and nothing newer.
    minVersion: 'TLSv1.2',
    // A resumed session would pass by the revocation list, and no agent ever resumes one.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

/**
 * The chain without self-signed certificates, which every client has that can verify it. OpenSSL
 * keeps what the server sent in its handshake for as long as the connection.
 */
function withoutRoots(chain: string): string {
  const [own, ...authorities] = certificatesInPem(chain);
  if (own === undefined) return chain;
  return pemOf([own, ...authorities.filter(({ subject, issuer }) => subject !== issuer)]);
}

function answerRequest(broker: Broker, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const url = request.url ?? '';
  const isQuestion = request.method === 'GET' || request.method === 'HEAD';
  const answer = isQuestion && url.startsWith('/') ? answerBrokerStatus(broker, url) : null;
  response.writeHead(answer?.status ?? 404, { 'Content-Type': answer?.type ?? 'text/plain; charset=utf-8' });
  response.end(answer?.body ?? 'Not Found');
}
