import type { AccessControl } from '../../../shared/access/accounts/access-control.ts';
import type { Peer } from '../../../shared/http/endpoint.ts';
import type { FetchApp } from '../../../shared/http/listener/node-listener.ts';
import { createInventoryTlsApp } from '../../../shared/http/operator/inventory-tls-app.ts';
import { answerInventory, type InventoryServices } from '../../../shared/http/routes/inventory/inventory-app.ts';
import { systemClock } from '../../../shared/store/system-clock.ts';
import { createPeer } from '../http-services.ts';
import { openUserWorld } from './access-surface.ts';
import { type Identity, type RouteRequest, requestOf, type Surface } from './describe-surface.ts';
import { listUsers } from './user-identities.ts';

const NODES = '/pdb/query/v4/nodes';
const AT = '&certname=web01.example.com&producer-timestamp=2026-11-03T00:00:00.000Z';
const DEACTIVATION = `?command=deactivate_node&version=3${AT}`;
const BODY = { certname: 'web01.example.com', producer_timestamp: '2026-11-03T00:00:00.000Z' };

/** The paths of PuppetDB's queries. */
export const REQUESTS_OF_QUERIES: Readonly<Record<string, RouteRequest>> = {
  'GET /pdb/query/v4': { path: `/pdb/query/v4?query=${encodeURIComponent('nodes {}')}` },
  'POST /pdb/query/v4': { path: '/pdb/query/v4', body: { query: 'nodes {}' } },
  'GET /pdb/query/v4/nodes': { path: NODES },
  'GET /pdb/query/v4/nodes/:certname/facts': { path: `${NODES}/web01.example.com/facts` },
  'GET /pdb/query/v4/reports': { path: '/pdb/query/v4/reports' },
  'GET /pdb/query/v4/catalogs/:certname': { path: '/pdb/query/v4/catalogs/web01.example.com' },
};

/** The paths of PuppetDB that answer. */
const REQUESTS: Readonly<Record<string, RouteRequest>> = {
  ...REQUESTS_OF_QUERIES,
  'POST /pdb/cmd/v1': { path: `/pdb/cmd/v1${DEACTIVATION}`, body: BODY },
  'POST /pdb/cmd/v1/': { path: `/pdb/cmd/v1/${DEACTIVATION}`, body: BODY },
  'POST /pdb/cmd/v1/:path': { path: `/pdb/cmd/v1/query/v4${DEACTIVATION}`, body: BODY },
  'GET /pdb/meta/v1/version': { path: '/pdb/meta/v1/version' },
  'GET /pdb/meta/v1/server-time': { path: '/pdb/meta/v1/server-time' },
  'GET /status/v1/services': { path: '/status/v1/services' },
  'GET /metrics/v2/list': { path: '/metrics/v2/list' },
  'GET /pdb/admin/v1/summary-stats': { path: '/pdb/admin/v1/summary-stats' },
  'POST /pdb/admin/v1/cmd': {
    path: '/pdb/admin/v1/cmd',
    body: { command: 'delete', version: 1, payload: { certname: 'web01.example.com' } },
  },
};

interface Client {
  readonly peer: Peer | null;
  readonly token: string | null;
}

/** An inventory that finds one empty row, and takes each command. */
function openServices(): InventoryServices {
  const reader = {
    exists: async () => true,
    readAll: async () => ['{}'],
    read: async () => ({ rows: rowsOf(), total: null }),
    plan: async () => ({}),
    countQueued: async () => 0,
  };
  const queue = { enqueue: async () => [] };
  const reportFault = (error: unknown) => {
    throw error;
  };
  const population = { nodes: 1, resources: 0, resourcesPerNode: 0, duplicates: 0 };
  const administration = {
    clean: async () => true,
    deleteNode: async () => {},
    summarize: async () => '{}',
    readPopulation: async () => population,
  };
  return { reader: reader as never, queue: queue as never, clock: systemClock, administration, reportFault };
}

async function* rowsOf(): AsyncGenerator<readonly string[]> {
  yield ['{}'];
}

/** The port of the inventory; `allowed`: the certnames that may use it, null for all of the CA. */
export function openInventoryApp(access: AccessControl, allowed: readonly string[] | null): FetchApp {
  const services = openServices();
  return createInventoryTlsApp({
    ...services,
    answer: (request) => answerInventory(request, services),
    access,
    isRevoked: async ({ certname }) => certname === 'revoked.example.com',
    allowedCertnames: allowed === null ? null : new Set(allowed),
    log: { logError: () => {} },
  });
}

/** The inventory with a list of certificates: users, and certificates on it and not on it. */
export async function openInventorySurface(): Promise<Surface<Client> & { identities: readonly Identity<Client>[] }> {
  const { world } = openUserWorld(listUsers);
  const app = openInventoryApp(world.access, ['web01.example.com', 'revoked.example.com']);
  const client = (certname: string, token: string | null = null): Client => ({ peer: createPeer(certname), token });
  const users = await listUsers(world, { own: {}, about: ['nodes'] });
  return {
    identities: [
      ...users.map(([name, token]): Identity<Client> => [name, { peer: null, token }]),
      ['certificate on the list', client('web01.example.com')],
      ['other certificate', client('web02.example.com')],
      ['revoked certificate', client('revoked.example.com')],
      ['certificate on the list, expired token', client('web01.example.com', users[1]?.[1] ?? '')],
    ],
    routes: Object.keys(REQUESTS),
    requests: REQUESTS,
    async ask(method, request, { peer, token }) {
      const sent = requestOf(method, request);
      if (token !== null) sent.headers.set('X-Authentication', token);
      const answer = await app.fetch(sent, { peer });
      await answer.body?.cancel();
      return answer.status;
    },
  };
}
