import { readFileSync } from 'node:fs';
import { Authorization } from '../access/authorization/authorization.ts';
import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import { ORCHESTRATOR } from '../config/orchestrator.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { acceptRateOf } from '../orchestrator/broker/accept-gate.ts';
import {
  type BrokerServer,
  type BrokerServerOptions,
  startBrokerServer,
} from '../orchestrator/broker/broker-server.ts';
import { MessagePolicy } from '../orchestrator/broker/message-policy.ts';
import { STANDARD_POLICY } from '../orchestrator/broker/standard-policy.ts';
import { ORCHESTRATOR_TYPE } from '../orchestrator/pxp/broker-gateway.ts';
import { ListenFailed } from '../util/listening.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';

interface BrokerParts {
  readonly stores: Pick<ServerStores, 'documents' | 'clock' | 'shared' | 'doorbell'>;
  readonly log: LocalLog;
  readonly door: Pick<FrontDoor, 'readRevocations' | 'trusted'>;
  readonly credentials: ServerCredentials;
  /** Most connections at a time; more are refused before TLS. */
  readonly mostSockets: number;
  /** The certname of the server. */
  readonly server: string;
}

/** After a quiet time, handshakes of so many seconds may begin at once. */
const BURST_SECONDS = 3;

/**
 * Starts the PCP broker beside the front door, with its certificates. Null when it is switched off,
 * or when the default port is in use, which is logged. Throws ListenFailed for a port that the
 * operator named.
 */
export async function startLocalBroker(options: LocalOptions, parts: BrokerParts): Promise<BrokerServer | null> {
  const { host, pcpPort: port, named, pcpHandshakesPerSecond } = options;
  if (port === 'off') return null;
  const { stores, log, door, credentials, mostSockets, server } = parts;
  const policy = policyOf(options);
  try {
    return await startBrokerServer({
      host,
      port,
      credentials: { ...credentials, trusted: door.trusted },
      readRevocations: door.readRevocations,
      policy,
      clock: stores.clock,
      // It shares its core with the front door, so it accepts fewer handshakes than alone.
      acceptRate: acceptRateOf(pcpHandshakesPerSecond, BURST_SECONDS),
      mostSockets,
      ...describeSite(stores, server),
      reportFailure: (message, cause) => log.logError(message, cause),
    });
  } catch (error) {
    if (named.has('pcpPort') || !(error instanceof ListenFailed)) throw error;
    log.logError('There is no PCP broker (--pcp-port)', error);
    return null;
  }
}

/** Servers that share their stores are brokers of one site, whose balancer moves agents. */
function describeSite(
  stores: BrokerParts['stores'],
  server: string,
): Pick<BrokerServerOptions, 'site' | 'reservedPrefix'> {
  const { shared } = stores;
  if (shared === null) return {};
  const site = { stores, instance: shared.instance, pace: ORCHESTRATOR.mail, isBalanced: true };
  return { site, reservedPrefix: `pcp://${server}/${ORCHESTRATOR_TYPE}` };
}

function policyOf({ pcpPolicy: file }: LocalOptions): MessagePolicy {
  return file === undefined ? STANDARD_POLICY : new MessagePolicy(Authorization.read(readFileSync(file, 'utf8'), file));
}
