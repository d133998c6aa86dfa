import { SETTINGS } from './settings.ts';

/**
 * The bounds of a port's connections. Times are in milliseconds; a client that takes
 * longer gets 408, and its connection is closed.
 */
export interface ConnectionSettings {
  /** Most open connections, those in their TLS handshake included. */
  readonly most: number;
  /** Most of them that clients with one certificate may have. */
  readonly mostOfCertificate: number;
  /** Most of them that clients without a certificate may have from one address. */
  readonly mostOfAddress: number;
  /** For the TLS handshake. */
  readonly handshakeMs: number;
  /** For the request line and headers, also when no byte of them arrives. */
  readonly headersMs: number;
  /** For the whole request with its body. */
  readonly requestMs: number;
  /** The time between two checks of the time-outs. */
  readonly checkMs: number;
  /** Between two requests of a connection; then it is closed without an answer. */
  readonly keepAliveMs: number;
  /** For a connection on which no byte moves: its client does not read the answer. 0: no bound. */
  readonly stalledMs: number;
}

/**
 * Clients keep idle connections for up to 30 seconds, load balancers for 60: a server that closes
 * first fails the request that comes at that moment. A report or backup of many megabytes takes
 * minutes on a slow line; headers never do. A held request gets an interim answer every ten
 * seconds, so it is never stalled.
 */
const USUAL = {
  handshakeMs: 20_000,
  headersMs: 20_000,
  requestMs: 300_000,
  checkMs: 5_000,
  keepAliveMs: 75_000,
  stalledMs: 3600_000,
};

/** People and pipelines use these ports, not agents; a load balancer may have one address. */
const OPERATORS: ConnectionSettings = { ...USUAL, most: 500, mostOfCertificate: 250, mostOfAddress: 250 };

/** The settings of all ports. */
export const CONNECTIONS = {
  // An agent has one or two; another front door that forwards requests has 64.
  frontDoor: { ...USUAL, most: SETTINGS.maxConnections.usual, mostOfCertificate: 256, mostOfAddress: 2_500 },
  access: OPERATORS,
  orchestrator: OPERATORS,
  /** Each person with a browser has some. */
  console: { ...OPERATORS, most: 1_000, mostOfAddress: 500 },
  inventory: OPERATORS,
  inventoryTls: OPERATORS,
  /**
   * Its connections become WebSockets, on which the broker keeps its own time. Other requests ask
   * for its status.
   */
  broker: {
    ...{ ...USUAL, handshakeMs: 10_000, headersMs: 10_000, requestMs: 10_000, stalledMs: 0 },
    ...{ most: Number.POSITIVE_INFINITY, mostOfCertificate: 256, mostOfAddress: 2_500 },
  },
  /** A load balancer asks here. */
  brokerStatus: { ...OPERATORS, headersMs: 10_000, requestMs: 10_000 },
} satisfies Readonly<Record<string, ConnectionSettings>>;
