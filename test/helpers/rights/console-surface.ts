import { createConsoleApp } from '../../../shared/http/console/console-app.ts';
import { mountApis } from '../../../shared/http/console/console-server.ts';
import type { FetchApp } from '../../../shared/http/listener/node-listener.ts';
import { CONSOLE_ORIGIN, CONSOLE_PASSWORD } from '../console-door.ts';
import { openAccessSurface, openUserWorld, type UserWorld } from './access-surface.ts';
import { type Identity, requestOf, type Surface } from './describe-surface.ts';
import { openInventoryApp, REQUESTS_OF_QUERIES } from './inventory-surface.ts';
import { openOperatorSurface } from './operator-surface.ts';
import { openOrchestratorSurface } from './orchestrator-surface.ts';

const ROLES = ['Administrators', 'Operators', 'Viewers', 'Code Deployers', 'Project Deployers'];
const OWN_PAGE = { 'X-Understudy-Console': '1' };
const SESSION = '/console/session';

/** The requests of the console's own routes. */
const REQUESTS: Surface<null>['requests'] = {
  'GET /': { path: '/' },
  'GET /console': { path: '/console' },
  'GET /console/session': { path: SESSION },
  'POST /console/session': { path: SESSION, body: { login: 'Viewers', password: CONSOLE_PASSWORD } },
  'POST /console/session (without console_page:view)': {
    path: SESSION,
    body: { login: 'Project Deployers', password: CONSOLE_PASSWORD },
  },
  'DELETE /console/session': { path: SESSION },
  'GET /console/log-ins': { path: '/console/log-ins' },
  'GET /saml/v1/meta': { path: '/saml/v1/meta' },
  'GET /saml/v1/login': { path: '/saml/v1/login' },
  'POST /saml/v1/acs': { path: '/saml/v1/acs' },
  'GET /saml/v1/slo': { path: '/saml/v1/slo' },
  'POST /saml/v1/slo': { path: '/saml/v1/slo' },
};

/** The headers that a client sends with each request. */
type Sent = Readonly<Record<string, string>>;

export interface ConsoleSurface extends Surface<Sent> {
  readonly identities: readonly Identity<Sent>[];
  close(): void;
}

/** The console's door with all APIs that it mounts. */
export async function openConsoleSurface(): Promise<ConsoleSurface> {
  const given = openUserWorld(async () => []);
  const { access, clock } = given.world;
  const identities = await listClients(given);
  const orchestrator = await openOrchestratorSurface(given);
  const operators = await openOperatorSurface(given);
  // The last, because it goes back to the users of now.
  const users = await openAccessSurface(given);
  const apis = mountApis({
    door: { operatorApi: operators.app },
    accessApp: users.app,
    orchestratorApp: orchestrator.app,
    inventoryApp: openInventoryApp(access, []),
    inventoryAbsence: '',
  });
  const app = createConsoleApp({ access, apis, loadAssets: async () => [], clock, log: { logError: () => {} } });
  const isMounted = (route: string) => apis.some(({ prefix }) => route.split(' ')[1]?.startsWith(prefix));
  const mounted = [users, operators, orchestrator].map(({ routes }) => routes.filter(isMounted));
  return {
    identities,
    routes: [...Object.keys(REQUESTS).filter((name) => !name.includes('(')), ...mounted.flat(), ...QUERIES],
    requests: {
      ...orchestrator.requests,
      ...operators.requests,
      ...users.requests,
      ...REQUESTS_OF_QUERIES,
      ...REQUESTS,
    },
    ask: (method, request, sent) => statusOf(app, requestOf(method, request), sent),
    async renew(route) {
      const surface = [operators, orchestrator].find(({ routes }) => routes.includes(route.replace(/ \(.*\)$/, '')));
      await (surface ?? users).renew?.(route);
    },
    close: () => orchestrator.close(),
  };
}

const QUERIES = Object.keys(REQUESTS_OF_QUERIES);

async function statusOf(app: FetchApp, request: Request, sent: Sent): Promise<number> {
  request.headers.set('Host', new URL(CONSOLE_ORIGIN).host);
  for (const [name, value] of Object.entries(sent)) request.headers.set(name, value);
  const answer = await app.fetch(request, { peer: null });
  await answer.body?.cancel();
  return answer.status;
}

/** Sessions of each role from the console's own page and from elsewhere, and what is no session. */
async function listClients({ world }: UserWorld): Promise<readonly Identity<Sent>[]> {
  const { access, addUser, tokenOf, clock } = world;
  const clients: Identity<Sent>[] = [['none', OWN_PAGE]];
  const cookieOf = (token: string) => ({ Cookie: `__Host-understudy=${token}` });
  const expired = await access.tokens.create(await addUser('expired', [1]), { lifetimeMs: 1000 });
  const revoked = await addUser('revoked', [1]);
  clients.push(['session of a revoked user', { ...OWN_PAGE, ...cookieOf(await tokenOf('revoked')) }]);
  await access.revoke(revoked);
  clock.time += 2000;
  clients.push(['ended session', { ...OWN_PAGE, ...cookieOf(expired) }]);
  for (const [index, role] of [...ROLES, 'no role'].entries()) {
    await addUser(role, index < ROLES.length ? [index + 1] : []);
    const cookie = cookieOf(await tokenOf(role));
    clients.push([role, { ...OWN_PAGE, ...cookie }], [`${role} without the header`, cookie]);
  }
  const [admin, viewer] = [await tokenOf('Administrators'), await tokenOf('Viewers')];
  const session = { ...OWN_PAGE, ...cookieOf(admin) };
  return [
    ...clients,
    ['Administrators from another origin', { ...session, Origin: 'https://evil.example.com' }],
    ['Administrators from another site', { ...session, 'Sec-Fetch-Site': 'cross-site' }],
    ['token of Administrators', { 'X-Authentication': admin }],
    ['token of Viewers beside a session of Administrators', { ...session, 'X-Authentication': viewer }],
    ['certificate in a header', { ...OWN_PAGE, 'X-Client-Cert': 'admin' }],
  ];
}
