import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWorld, openAccessWorld } from '../../../helpers/access-world.ts';
import { BESIDE, isBeside } from '../../../helpers/material-beside.ts';
import { OrchestratorApi } from '../../../helpers/orchestrator-api.ts';

const NODE = 'a.example.com';
const FILES = { 'environments/production/modules/demo/tasks/init.sh': 'echo hello' };
const DEPLOY = { environment: 'production', scope: { nodes: [NODE] } };
const TASK = { task: 'demo', params: {}, scope: { nodes: [NODE] } };
let access: AccessWorld;
let api: OrchestratorApi;

beforeEach(async () => {
  access = openAccessWorld();
  api = new OrchestratorApi({}, access.access);
  api.world.network.addAgents([NODE]);
  await api.deploy('production', FILES);
});
afterEach(() => {
  expect(api.errors).toEqual([]);
  api.close();
});

/** A token of a user who has a role; null for no token. */
async function tokenOf(role: string): Promise<string | null> {
  if (role === 'no token') return null;
  const roles = await access.access.roles.list();
  await access.addUser(
    'amari',
    roles.filter(({ displayName }) => displayName === role).map(({ id }) => id),
  );
  return access.tokenOf('amari');
}

async function ask(method: string, path: string, token: string | null): Promise<number> {
  if (method === 'GET') return (await api.get(path, token)).status;
  return (await api.post(path, path.endsWith('task') ? TASK : DEPLOY, token)).status;
}

describe('the roles of the beginning', () => {
  it.each([
    ['Administrators', 200, 202, 202],
    ['Operators', 200, 202, 403],
    ['Viewers', 200, 403, 403],
    ['Project Deployers', 200, 403, 403],
    ['Code Deployers', 403, 403, 403],
    ['none', 403, 403, 403],
    ['no token', 401, 401, 401],
  ])('%s: jobs are listed with %d, Puppet runs with %d, tasks with %d', async (role, list, deploy, task) => {
    const token = await tokenOf(role);
    expect(await ask('GET', '/jobs', token)).toBe(list);
    expect(await ask('POST', '/command/deploy', token)).toBe(deploy);
    expect(await ask('POST', '/command/task', token)).toBe(task);
  });

  it.skipIf(!isBeside('accessExamples'))('do what the list beside this clone says', async () => {
    const { checks } = JSON.parse(readFileSync(join(BESIDE.accessExamples, 'permissions.json'), 'utf8')) as {
      checks: { role: string; route: string; status: number }[];
    };
    for (const { role, route, status } of checks) {
      const [method = '', path = ''] = route.split(' ');
      expect([role, route, await ask(method, path, await tokenOf(role))]).toEqual([role, route, status]);
      const amari = await access.access.accounts.findByLogin('amari');
      if (amari) await access.access.accounts.delete(amari);
    }
  });
});

it('a role for one task runs that task only, until the user is revoked', async () => {
  const permissions = [
    { objectType: 'orchestrator', action: 'view', instance: '*' },
    { objectType: 'tasks', action: 'run', instance: 'demo' },
  ];
  await access.access.roles.create({ displayName: 'Demo', description: null, permissions });
  const token = await tokenOf('Demo');
  expect(await ask('POST', '/command/task', token)).toBe(202);
  expect(await ask('POST', '/command/deploy', token)).toBe(403);
  const amari = await access.access.accounts.findByLogin('amari');
  if (amari) await access.access.revoke(amari);
  expect(await ask('GET', '/jobs', token)).toBe(401);
  const denied = access.audit
    .filter(({ outcome }) => outcome !== 'granted')
    .map(({ event, subject, outcome }) => ({ event, subject, outcome }));
  expect(denied).toEqual([
    { event: 'permission', subject: 'puppet_agent:run:*', outcome: 'denied' },
    { event: 'authentication', subject: undefined, outcome: 'user-revoked' },
  ]);
});
