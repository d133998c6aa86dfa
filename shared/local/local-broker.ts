import { readFileSync } from 'node:fs';
import { Authorization } from '../access/authorization/authorization.ts';
import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { acceptRateOf } from '../orchestrator/broker/accept-gate.ts';
import { type BrokerServer, startBrokerServer } from '../orchestrator/broker/broker-server.ts';
import { MessagePolicy } from '../orchestrator/broker/message-policy.ts';
import { STANDARD_POLICY } from '../orchestrator/broker/standard-policy.ts';
import type { Stores } from '../store/ports/stores.ts';
import { ListenFailed } from '../util/listening.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';

interface BrokerParts {
  readonly stores: Stores;
  readonly log: LocalLog;
  readonly door: Pick<FrontDoor, 'readRevocations' | 'trusted'>;
  readonly credentials: ServerCredentials;
  /** Most connections at a time; more are refused before TLS. */
  readonly mostSockets: number;
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
  const { stores, log, door, credentials, mostSockets } = parts;
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
      reportFailure: (message, cause) => log.logError(message, cause),
    });
  } catch (error) {
    if (named.has('pcpPort') || !(error instanceof ListenFailed)) throw error;
    log.logError('There is no PCP broker (--pcp-port)', error);
    return null;
  }
}

function policyOf({ pcpPolicy: file }: LocalOptions): MessagePolicy {
  return file === undefined ? STANDARD_POLICY : new MessagePolicy(Authorization.read(readFileSync(file, 'utf8'), file));
}
