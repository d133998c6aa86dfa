import { readFileSync } from 'node:fs';
import { readAllowList } from '../access/accounts/allow-list.ts';
import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import { CONNECTIONS } from '../config/connections.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { type EdgeServer, startEdgeServer } from '../http/listener/edge-server.ts';
import type { FetchApp } from '../http/listener/node-listener.ts';
import { createAccessApp } from '../http/operator/access-app.ts';
import { createClassifierServices } from '../http/operator/classifier-services.ts';
import type { KeyVault } from '../store/ports/secrets.ts';
import type { Stores } from '../store/ports/stores.ts';
import { ListenFailed } from '../util/listening.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';

interface AccessParts {
  readonly log: LocalLog;
  readonly stores: Stores;
  readonly door: Pick<FrontDoor, 'trusted'>;
  readonly credentials: ServerCredentials;
  readonly app: FetchApp;
}

/** The app of the access API and the classifier. */
export function createLocalAccessApp(
  stores: Stores,
  { access, isRevoked, status, ...door }: Pick<FrontDoor, 'access' | 'groups' | 'forms' | 'isRevoked' | 'status'>,
  log: LocalLog,
): FetchApp {
  const classifier = createClassifierServices(stores, door, log);
  return createAccessApp({ access, isRevoked, status, classifier, clock: stores.clock, log });
}

/**
 * Starts the access API beside the front door, with its certificate. Null when it is switched off,
 * or when the default port is in use, which is logged. Throws ListenFailed for a port that the
 * operator named.
 */
export async function startLocalAccess(options: LocalOptions, parts: AccessParts): Promise<EdgeServer | null> {
  const { host, accessPort: port, named } = options;
  if (port === 'off') return null;
  const { stores, log, door, credentials, app } = parts;
  const { clock } = stores;
  try {
    return await startEdgeServer({
      app,
      credentials,
      trusted: door.trusted,
      host,
      port,
      clock,
      connections: CONNECTIONS.access,
      reportFailure: (error) => log.logError('A connection failed', error),
    });
  } catch (error) {
    if (named.has('accessPort') || !(error instanceof ListenFailed)) throw error;
    log.logError('There is no access API (--access-port)', error);
    return null;
  }
}

/** The settings of users and tokens. */
export function accessSettings({ accessAllowList: file }: LocalOptions, vault: KeyVault) {
  const allowed = file === undefined ? {} : { allowedCertnames: readAllowList(readFileSync(file, 'utf8')) };
  return { access: { vault, ...allowed } };
}
