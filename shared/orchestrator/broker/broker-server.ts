import { crlsInPem } from '../../access/ca/crl.ts';
import { normalize } from '../../access/ca/revocation-list.ts';
import type { Clock } from '../../store/ports/clock.ts';
import { watchBusyShare } from '../../util/busy-share.ts';
import { AcceptGate, type AcceptRate, DEFAULT_ACCEPT_RATE } from './accept-gate.ts';
import { Broker } from './broker.ts';
import type { MessagePolicy } from './message-policy.ts';
import { CLOSE } from './session.ts';
import { type JoinOptions, type NeighbourStores, StoredNeighbours } from './stored-neighbours.ts';
import { type BrokerCredentials, startTlsListener, type TlsListener } from './tls-listener.ts';
import { WebSocketDoor } from './web-socket-door.ts';

/** Limits of a broker, as operators set them. */
interface BrokerLimits {
  /** 0: no limit. */
  readonly maxConnections: number;
  readonly maxMessageBytes: number;
  /** Bound on the incomplete messages of all connections together. */
  readonly mostIncompleteBytes: number;
  readonly idleTimeoutMs: number;
}

/** The incumbent's limits; it has none on incomplete messages. */
export const DEFAULT_BROKER_LIMITS: BrokerLimits = {
  maxConnections: 0,
  maxMessageBytes: 64 * 1024 * 1024,
  mostIncompleteBytes: 256 * 1024 * 1024,
  idleTimeoutMs: 6 * 60_000,
};

export interface BrokerServerOptions {
  readonly host: string;
  readonly port: number;
  readonly credentials: Omit<BrokerCredentials, 'revocations'>;
  /** Reads the revocation lists in force, PEM; null for none. */
  readonly readRevocations: () => Promise<string | null>;
  readonly policy: MessagePolicy;
  readonly clock: Clock;
  readonly limits?: Partial<BrokerLimits>;
  readonly acceptRate?: Partial<AcceptRate>;
  /** Most connections at a time; more are refused before TLS. Absent: no bound. */
  readonly mostSockets?: number;
  /** Stores that several brokers share, and this one's name; absent when it is the only one. */
  readonly site?: { readonly stores: NeighbourStores; readonly instance: string } & Omit<JoinOptions, 'isService'>;
  /** See `BrokerOptions`. */
  readonly reservedPrefix?: string;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

export interface BrokerServer {
  readonly port: number;
  readonly broker: Broker;
  /** The longest time that a message waited in its mailbox since the last call, in milliseconds. */
  readonly takeLongestWait: () => number;
  /** Closes all connections, at a pace that takes `drainMs` at most, and stops. */
  stop(drainMs?: number): Promise<void>;
  /** Resolves when the broker stopped, also by itself: another one took its name. */
  readonly ended: Promise<void>;
}

/** The time that closing all connections may take. */
const DRAIN_MS = 10_000;
const REVOCATIONS_MS = 1000;
/** For connections that are closed because of other revocation lists. */
const EXPIRED_PACE = { atOnce: 1, pauseMs: 30 };

/** Starts a broker that listens with mutual TLS. Throws ListenFailed. */
export async function startBrokerServer(options: BrokerServerOptions): Promise<BrokerServer> {
  const { clock, policy, site, reportFailure } = options;
  const limits = { ...DEFAULT_BROKER_LIMITS, ...options.limits };
  const neighbours = site && (await StoredNeighbours.join(site.stores, site.instance, site));
  const { reservedPrefix } = options;
  const reserved = reservedPrefix === undefined ? {} : { reservedPrefix };
  const broker = new Broker({ ...limits, ...reserved, policy, clock, ...(neighbours && { neighbours }) });
  const gate = new AcceptGate({ ...DEFAULT_ACCEPT_RATE, ...options.acceptRate }, clock, watchBusyShare());
  const revocations = await options.readRevocations();
  const listener = await startTlsListener({
    ...options,
    credentials: { ...options.credentials, revocations },
    broker,
    door: new WebSocketDoor({ ...limits, broker }),
    gate,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const close = async (drainMs: number) => {
    listener.close();
    // Other brokers reach its clients until it has closed their connections.
    await broker.stop(drainMs);
    stopping.abort();
  };
  const serving = neighbours?.serve(broker, signal, reportFailure).catch((error: unknown) => {
    reportFailure('This broker stops', error);
    return close(DRAIN_MS);
  });
  const parts = { broker, listener };
  const ended = Promise.all([broker.keepTime(signal), watchRevocations(options, revocations, parts, signal), serving]);
  const stop = async (drainMs = 0) => {
    await close(drainMs);
    await ended;
  };
  return {
    port: listener.port,
    broker,
    takeLongestWait: () => neighbours?.takeLongestWait() ?? 0,
    stop,
    ended: ended.then(() => {}),
  };
}

/**
 * Puts changed revocation lists in force. Connections of revoked certificates close at once; the
 * others have to come back too, one after another, because they may be of other CAs.
 */
async function watchRevocations(
  { readRevocations, clock, reportFailure }: BrokerServerOptions,
  first: string | null,
  { broker, listener }: { readonly broker: Broker; readonly listener: TlsListener },
  signal: AbortSignal,
): Promise<void> {
  let current = first;
  let closing = Promise.resolve();
  let replaced = new AbortController();
  while (!signal.aborted) {
    await clock.sleep(REVOCATIONS_MS, signal);
    try {
      const found = await readRevocations();
      if (found === current) continue;
      const revoked = listRevoked(found);
      listener.replaceRevocations(found);
      current = found;
      const isRevoked = ({ serial }: { readonly serial: string | null }) =>
        serial !== null && revoked.has(normalize(serial));
      // This closes what the round of the list before has left, at the same pace.
      replaced.abort();
      replaced = new AbortController();
      closing = broker.closeAll(CLOSE.revocations, EXPIRED_PACE, AbortSignal.any([signal, replaced.signal]), isRevoked);
    } catch (error) {
      reportFailure('The revocation lists cannot be used; those of before stay in force', error);
    }
  }
  await closing;
}

function listRevoked(pem: string | null): ReadonlySet<string> {
  const lists = pem === null ? [] : crlsInPem(pem);
  return new Set(lists.flatMap(({ entries }) => entries.map(({ serial }) => normalize(serial))));
}
