import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PERMISSION_TYPES } from '../../../shared/access/accounts/permission-types.ts';
import { createAccessApp } from '../../../shared/http/access-app.ts';
import { createOperatorApi } from '../../../shared/http/console/operator-api.ts';
import { type AccessWorld, openAccessWorld } from '../../helpers/access-world.ts';
import { httpServices } from '../../helpers/http-services.ts';
import { OrchestratorApi } from '../../helpers/orchestrator-api.ts';

const FILE = join(import.meta.dirname, '../../fixtures/rights/matrix.ours.txt');
const UUID = '11111111-1111-4111-8111-111111111111';
const HOUR_MS = 3600_000;

type Ask = (method: string, path: string, token: string | null) => Promise<number>;

interface Port {
  readonly routes: readonly string[];
  readonly ask: Ask;
}

/** Who asks: a name, and the token; null for none. */
type Identity = readonly [string, string | null];

async function listIdentities({ access, clock, addUser, tokenOf }: AccessWorld): Promise<readonly Identity[]> {
  const found: Identity[] = [['none', null]];
  const add = async (name: string, roleIds: readonly number[]) => {
    await addUser(`u${found.length}`, roleIds);
    found.push([name, await tokenOf(`u${found.length}`)]);
  };
  const expired = await addUser('expired', [1]);
  const secret = await access.tokens.create(expired, { lifetimeMs: 1000 });
  const revoked = await addUser('revoked', [1]);
  const dead = await tokenOf('revoked');
  await access.revoke(revoked);
  clock.time += 2000;
  found.push(['expired', secret], ['revoked', dead]);
  await add('no role', []);
  for (const { id, displayName } of await access.roles.list()) await add(displayName, [id]);
  for (const { objectType, actions } of PERMISSION_TYPES) {
    for (const { name, hasInstances } of actions) {
      for (const instance of hasInstances ? ['*', 'other'] : ['*']) {
        const displayName = `${objectType}:${name}:${instance}`;
        const permissions = [{ objectType, action: name, instance }];
        await add(displayName, [(await access.roles.create({ displayName, description: null, permissions })).id]);
      }
    }
  }
  return found;
}

async function openPorts(world: AccessWorld): Promise<readonly Port[]> {
  const { access, clock } = world;
  const http = await httpServices({ access });
  const log = { logError: () => {}, access: () => {} };
  const orchestrator = new OrchestratorApi({}, access);
  const apps = [
    createAccessApp({ access, isRevoked: async () => false, clock, log }),
    createOperatorApi({ ...http.services, access }),
  ];
  const ports = apps.map(
    (app): Port => ({
      routes: app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`),
      async ask(method, path, token) {
        const headers = {
          'Content-Type': 'application/json',
          ...(token === null ? {} : { 'X-Authentication': token }),
        };
        const init = { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) };
        const answer = await app.request(`https://localhost${path}`, init, { peer: null });
        await answer.body?.cancel();
        return answer.status;
      },
    }),
  );
  const ask: Ask = async (method, path, token) => (await orchestrator.ask(method, path, token)).status;
  return [...ports, { routes: orchestrator.routes, ask }];
}

/** The answers of a route, each status with the identities that get it. */
async function describeRoute(route: string, identities: readonly Identity[], ask: Ask): Promise<string> {
  const [method = '', path = ''] = route.split(' ');
  const filled = path
    .replace(/:id\b/, UUID)
    .replace(/:\w+(\{[^}]*\})?/g, 'x')
    .replace(/\*$/, 'default');
  const byStatus = new Map<number, string[]>();
  for (const [name, token] of identities) {
    const status = await ask(method, filled, token);
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  const groups = [...byStatus].sort(([, a], [, b]) => b.length - a.length);
  const [[usual = 0] = [], ...others] = groups;
  return `${route}: ${usual}${others.map(([status, names]) => `; ${status} ${names.join(', ')}`).join('')}`;
}

it('each route answers each identity as the table says', { timeout: HOUR_MS }, async () => {
  const world = openAccessWorld();
  const identities = await listIdentities(world);
  const lines = [`${identities.length} identities; each line: a route, its usual status, and who gets another one`];
  for (const { routes, ask } of await openPorts(world)) {
    for (const route of new Set(routes)) {
      // A stream of events does not end.
      if (!route.endsWith('/events') || route.includes('jobs')) lines.push(await describeRoute(route, identities, ask));
    }
  }
  const table = `${lines.join('\n')}\n`;
  if (process.env.UPDATE_FIXTURES !== undefined) writeFileSync(FILE, table);
  expect(table).toBe(readFileSync(FILE, 'utf8'));
});
