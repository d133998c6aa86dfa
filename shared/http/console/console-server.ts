import type { ServerCredentials } from '../../access/ca/server-credentials.ts';
import { CONNECTIONS } from '../../config/connections.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { FrontDoor } from '../front-door.ts';
import { type EdgeServer, startEdgeServer } from '../listener/edge-server.ts';
import type { FetchApp } from '../listener/node-listener.ts';
import type { RequestLog } from '../services.ts';
import { createConsoleApp, type MountedApi } from './console-app.ts';
import type { FindAsset, LoadAssets } from './console-files.ts';

interface ConsoleApis {
  readonly door: { readonly operatorApi: FetchApp };
  /** Users, roles, tokens and node groups. */
  readonly accessApp: FetchApp;
  /** Null without an orchestrator. */
  readonly orchestratorApp: FetchApp | null;
  /** Null where this process does not answer queries of the inventory. */
  readonly inventoryApp: FetchApp | null;
  /** Explains to clients why there is no inventory here. */
  readonly inventoryAbsence: string;
}

interface ConsoleServerOptions extends ConsoleApis {
  readonly door: Pick<FrontDoor, 'access' | 'trusted' | 'operatorApi'>;
  readonly credentials: ServerCredentials;
  readonly host: string;
  readonly port: number;
  readonly loadAssets: LoadAssets;
  /** Finds files of other releases. */
  readonly findAsset?: FindAsset;
  readonly clock: Clock;
  readonly log: RequestLog;
}

/**
 * Serves the console's files, its sessions, and the APIs of this process beside them. It asks for
 * no client certificate. Throws ListenFailed.
 */
export function startConsoleServer(options: ConsoleServerOptions): Promise<EdgeServer> {
  const { door, credentials, host, port, loadAssets, findAsset, clock, log } = options;
  return startEdgeServer({
    app: createConsoleApp({ access: door.access, apis: mountApis(options), loadAssets, findAsset, clock, log }),
    credentials,
    trusted: door.trusted,
    asksCertificate: false,
    host,
    port,
    clock,
    connections: CONNECTIONS.console,
    reportFailure: (error) => log.logError('A connection failed', error),
  });
}

/** The APIs at the console's origin, by what their paths begin with. */
export function mountApis(apis: ConsoleApis): readonly MountedApi[] {
  const { accessApp, orchestratorApp, inventoryApp, inventoryAbsence, door } = apis;
  return [
    ...['/rbac-api', '/classifier-api', '/understudy/v1/groups'].map((prefix) => ({ prefix, app: accessApp })),
    ...['/understudy/v1', '/puppet-ca/v1', '/code-manager/v1'].map((prefix) => ({ prefix, app: door.operatorApi })),
    { prefix: '/orchestrator/v1', app: orchestratorApp, absence: 'This server runs without an orchestrator' },
    { prefix: '/pdb/query/v4', app: inventoryApp, absence: inventoryAbsence },
  ];
}
