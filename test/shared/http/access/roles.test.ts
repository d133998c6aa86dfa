import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AccessDoor, openAccessDoor } from '../../../helpers/access-door.ts';
import { BESIDE, isBeside } from '../../../helpers/material-beside.ts';

const ROLES = '/rbac-api/v1/roles';
const NOBODY = '11111111-1111-4111-8111-111111111111';
let door: AccessDoor;
let admin: string;
let viewer: string;
let amari: string;

beforeEach(async () => {
  door = openAccessDoor();
  amari = (await door.addUser('amari', [3])).id;
  admin = await door.tokenOf('admin');
  viewer = await door.tokenOf('amari');
});

const ask = (method: string, path: string, body?: unknown, token = admin) =>
  door.ask(method, path, { token, ...(body === undefined ? {} : { body }) });

/** The user `helper`, in a new role with these permissions. */
async function addHelper(texts: readonly string[]): Promise<{ readonly id: string; readonly token: string }> {
  const permissions = texts.map((text) => {
    const [objectType = '', action = '', instance = ''] = text.split(':');
    return { objectType, action, instance };
  });
  const role = await door.access.roles.create({ displayName: 'Helpers', description: null, permissions });
  const { id } = await door.addUser('helper', [role.id]);
  return { id, token: await door.tokenOf('helper') };
}

const run = (instance: string) => ({ object_type: 'tasks', action: 'run', instance });
const packagers = {
  display_name: 'Packagers',
  description: null,
  permissions: [run('package')],
  user_ids: [] as string[],
  group_ids: [],
};

describe('roles', () => {
  it('are those of Puppet Enterprise in the beginning', async () => {
    const { body } = await ask('GET', ROLES, undefined, viewer);
    const roles = body as { id: number; display_name: string; user_ids: string[] }[];
    expect(roles.map(({ id, display_name }) => [id, display_name])).toEqual([
      [1, 'Administrators'],
      [2, 'Operators'],
      [3, 'Viewers'],
      [4, 'Code Deployers'],
      [5, 'Project Deployers'],
    ]);
    expect((await ask('GET', `${ROLES}/3`)).body).toEqual({
      id: 3,
      display_name: 'Viewers',
      description: 'Look at everything, change nothing.',
      permissions: [
        { object_type: 'console_page', action: 'view', instance: '*' },
        { object_type: 'nodes', action: 'view_data', instance: '*' },
        { object_type: 'orchestrator', action: 'view', instance: '*' },
        { object_type: 'node_groups', action: 'view', instance: '*' },
      ],
      user_ids: [amari],
      group_ids: [],
    });
  });

  /** What a role does according to its own page. */
  const MORE: Readonly<Record<string, readonly string[]>> = {
    Operators: ['nodes:view_data:*', 'environment:view_code:*'],
    Viewers: ['nodes:view_data:*'],
    'Code Deployers': ['console_page:view:*', 'environment:view_code:*'],
  };

  it.skipIf(!isBeside('accessExamples'))('have the permissions of the list beside this clone', async () => {
    const file = JSON.parse(readFileSync(join(BESIDE.accessExamples, 'permissions.json'), 'utf8')) as {
      default_roles: Record<string, string[][]>;
    };
    const { body } = await ask('GET', ROLES);
    const roles = body as { display_name: string; permissions: Record<string, string>[] }[];
    const shown = roles.map(({ display_name, permissions }) => [
      display_name,
      permissions
        .map(({ object_type, action, instance }) => [object_type, action, instance])
        .filter((one) => !MORE[display_name]?.includes(one.join(':'))),
    ]);
    expect(Object.fromEntries(shown)).toEqual(file.default_roles);
  });

  it('are created with members, changed and deleted', async () => {
    const { status, headers } = await ask('POST', ROLES, { ...packagers, user_ids: [amari] });
    expect([status, headers.get('Location')]).toEqual([201, `${ROLES}/6`]);
    expect((await ask('GET', `${ROLES}/6`)).body).toEqual({ ...packagers, id: 6, user_ids: [amari] });
    const changed = { ...packagers, id: 6, description: 'x', permissions: [], user_ids: [] };
    expect(await ask('PUT', `${ROLES}/6`, changed)).toMatchObject({ status: 200, body: changed });
    await ask('POST', '/rbac-api/v1/command/roles/add-users', { role_id: 6, user_ids: [amari] });
    expect(await ask('DELETE', `${ROLES}/6`)).toMatchObject({ status: 204, body: null });
    expect((await ask('GET', `/rbac-api/v1/users/${amari}`)).body).toMatchObject({ role_ids: [3] });
    expect(await ask('GET', `${ROLES}/6`)).toMatchObject({ status: 404 });
  });

  it.each<[string, string, string, unknown, number, string]>([
    ['the same name', 'POST', ROLES, { ...packagers, display_name: 'Viewers' }, 409, 'conflict'],
    ['an unknown user', 'POST', ROLES, { ...packagers, user_ids: [NOBODY] }, 422, 'invalid-associated-id'],
    ['a user without UUID', 'POST', ROLES, { ...packagers, user_ids: ['x'] }, 400, 'invalid-uuid'],
    ['a missing key', 'POST', ROLES, { ...packagers, group_ids: undefined }, 400, 'schema-violation'],
    [
      'an unknown permission',
      'POST',
      ROLES,
      { ...packagers, permissions: [{ ...run('*'), action: 'x' }] },
      400,
      'schema-violation',
    ],
    [
      'a part of a permission',
      'POST',
      ROLES,
      { ...packagers, permissions: [{ action: 'x' }] },
      400,
      'schema-violation',
    ],
    ['another id', 'PUT', `${ROLES}/3`, { ...packagers, id: 4 }, 400, 'inconsistent-id'],
    ['weaker administrators', 'PUT', `${ROLES}/1`, { ...packagers, id: 1 }, 403, 'default-roles-immutable'],
    ['the end of a role of the beginning', 'DELETE', `${ROLES}/3`, undefined, 403, 'default-roles-immutable'],
    ['an unknown role', 'DELETE', `${ROLES}/77`, undefined, 404, 'not-found'],
    ['no number', 'GET', `${ROLES}/x`, undefined, 404, 'not-found'],
  ])('are not changed to %s', async (_, method, path, body, status, kind) => {
    expect(await ask(method, path, body)).toMatchObject({ status, body: { kind } });
  });

  it('want permission to be changed', async () => {
    const role = (await ask('GET', `${ROLES}/3`)).body;
    for (const [method, path, body] of [
      ['POST', ROLES, packagers],
      ['PUT', `${ROLES}/3`, role],
      ['DELETE', `${ROLES}/3`, undefined],
      ['POST', '/rbac-api/v1/command/roles/add-users', { role_id: 1, user_ids: [amari] }],
      ['POST', '/rbac-api/v1/command/roles/add-permissions', { role_id: 3, permissions: [run('*')] }],
    ] as const) {
      expect(await ask(method, path, body, viewer)).toMatchObject({ status: 403, body: { kind: 'permission-denied' } });
    }
  });

  it.each<[string, readonly string[], string, string, object, string]>([
    [
      'itself in the role Administrators',
      ['user_roles:edit_members:*'],
      'POST',
      '/rbac-api/v1/command/roles/add-users',
      { role_id: 1, user_ids: ['HELPER'] },
      '*:*:*',
    ],
    [
      'a user in a role with more than it has',
      ['user_roles:edit_members:2', 'cert_requests:accept_reject:*'],
      'POST',
      '/rbac-api/v1/command/users/add-roles',
      { user_id: 'AMARI', role_ids: [2] },
      'console_page:view:*',
    ],
    [
      'everything to its own role',
      ['user_roles:edit:*'],
      'POST',
      '/rbac-api/v1/command/roles/add-permissions',
      { role_id: 6, permissions: [{ object_type: '*', action: '*', instance: '*' }] },
      '*:*:*',
    ],
    [
      'all instances for one',
      ['user_roles:edit:6', 'tasks:run:package'],
      'POST',
      '/rbac-api/v1/command/roles/add-permissions',
      { role_id: 6, permissions: [run('*')] },
      'tasks:run:*',
    ],
    [
      'a permission by a role as a whole',
      ['user_roles:edit:*'],
      'PUT',
      `${ROLES}/6`,
      { ...packagers, id: 6, user_ids: ['HELPER'] },
      'tasks:run:package',
    ],
    ['a permission by a new role', ['user_roles:create:*'], 'POST', ROLES, packagers, 'tasks:run:package'],
    [
      'a group in a role with more than it has',
      ['user_groups:import:*', 'user_roles:edit_members:*'],
      'POST',
      '/rbac-api/v1/groups',
      { login: 'staff', role_ids: [4] },
      'console_page:view:*',
    ],
    [
      'a new user in a role with more than it has',
      ['users:create:*', 'user_roles:edit_members:*'],
      'POST',
      '/rbac-api/v1/users',
      { login: 'eve', email: '', display_name: '', role_ids: [4], password: 'Welc0me!' },
      'console_page:view:*',
    ],
  ])('nobody puts %s', async (_, texts, method, path, body, missing) => {
    const helper = await addHelper(texts);
    const given = JSON.parse(JSON.stringify(body).replaceAll('HELPER', helper.id).replaceAll('AMARI', amari));
    const before = await Promise.all([door.access.roles.list(), door.access.accounts.list()]);
    expect(await ask(method, path, given, helper.token)).toMatchObject({
      status: 403,
      body: {
        kind: 'permission-denied',
        msg: `helper cannot give the permission ${missing}, which helper does not have`,
      },
    });
    expect(await Promise.all([door.access.roles.list(), door.access.accounts.list()])).toEqual(before);
  });

  it('are given by those who have their permissions themselves', async () => {
    const { token } = await addHelper(['user_roles:edit:*', 'user_roles:edit_members:*', 'tasks:run:package']);
    const { id } = await door.access.roles.create({ displayName: 'Empty', description: null, permissions: [] });
    const command = async (name: string, more: object) =>
      (await ask('POST', `/rbac-api/v1/command/roles/${name}`, { role_id: id, ...more }, token)).status;
    expect(await command('add-permissions', { permissions: [run('package')] })).toBe(204);
    expect(await command('add-users', { user_ids: [amari] })).toBe(204);
    expect(await command('remove-users', { user_ids: [amari] })).toBe(204);
  });

  it('keep permissions of before that the changing user lacks', async () => {
    const { token } = await addHelper(['user_roles:edit:*']);
    const viewers = (await ask('GET', `${ROLES}/3`)).body as object;
    const renamed = { ...viewers, description: 'They look.', user_ids: [amari] };
    expect(await ask('PUT', `${ROLES}/3`, renamed, token)).toMatchObject({ status: 200 });
  });

  it('of an administrator are changed by administrators alone', async () => {
    const boss = await door.addUser('boss', [1]);
    const { token } = await addHelper(['user_roles:edit_members:*', 'user_roles:edit:*']);
    for (const [path, body] of [
      ['roles/remove-users', { role_id: 1, user_ids: [boss.id] }],
      ['roles/add-users', { role_id: 6, user_ids: [boss.id] }],
      ['users/remove-roles', { user_id: boss.id, role_ids: [1] }],
    ] as const) {
      expect(await ask('POST', `/rbac-api/v1/command/${path}`, body, token)).toMatchObject({
        status: 403,
        body: { msg: 'Only an administrator may change boss' },
      });
    }
  });

  it('with all permissions make an administrator, whatever their number', async () => {
    const permissions = [{ objectType: '*', action: '*', instance: '*' }];
    const { id } = await door.access.roles.create({ displayName: 'Root', description: null, permissions });
    const boss = await door.addUser('boss', [id]);
    const { token } = await addHelper(['users:disable:*']);
    expect(await ask('POST', '/rbac-api/v1/command/users/revoke', { user_id: boss.id }, token)).toMatchObject({
      status: 403,
      body: { msg: 'Only an administrator may change boss' },
    });
  });

  it('get and lose members and permissions by commands', async () => {
    const command = async (name: string, more: object) =>
      (await ask('POST', `/rbac-api/v1/command/roles/${name}`, { role_id: 2, ...more })).status;
    const groups = await ask('POST', '/rbac-api/v1/groups', { login: 'staff', role_ids: [] });
    const group = groups.headers.get('Location')?.split('/').at(-1);
    expect(await command('add-users', { user_ids: [amari, amari] })).toBe(204);
    expect(await command('add-user-groups', { group_ids: [group] })).toBe(204);
    expect((await ask('GET', `${ROLES}/2`)).body).toMatchObject({ user_ids: [amari], group_ids: [group] });
    expect(await command('remove-users', { user_ids: [amari] })).toBe(204);
    expect(await command('remove-groups', { group_ids: [group] })).toBe(204);
    expect(await command('add-permissions', { permissions: [run('a'), run('b')] })).toBe(204);
    expect(await command('add-permissions', { permissions: [run('a')] })).toBe(204);
    expect(await command('remove-permissions', { permissions: [run('b')] })).toBe(204);
    const { body } = await ask('GET', `${ROLES}/2`);
    expect(body).toMatchObject({ user_ids: [], group_ids: [] });
    expect((body as { permissions: unknown[] }).permissions.slice(-2)).toEqual([
      { object_type: 'environment', action: 'view_code', instance: '*' },
      run('a'),
    ]);
  });
});

describe('permitted', () => {
  it('answers for each permission in order', async () => {
    const permissions = [
      { object_type: 'orchestrator', action: 'view', instance: '*' },
      { object_type: 'users', action: 'disable', instance: '*' },
    ];
    expect((await ask('POST', '/rbac-api/v1/permitted', { token: amari, permissions }, viewer)).body).toEqual([
      true,
      false,
    ]);
    expect(await ask('POST', '/rbac-api/v1/permitted', { token: NOBODY, permissions })).toMatchObject({ status: 404 });
    expect(await ask('POST', '/rbac-api/v1/permitted', { token: 'x', permissions })).toMatchObject({ status: 400 });
  });

  it('lists instances', async () => {
    await ask('POST', '/rbac-api/v1/command/roles/add-permissions', { role_id: 3, permissions: [run('b'), run('a')] });
    const list = async (path: string, token?: string) =>
      (await ask('GET', `/rbac-api/v1/permitted/${path}`, undefined, token)).body;
    expect(await list('tasks/run', viewer)).toEqual(['a', 'b']);
    expect(await list(`tasks/run/${amari}`)).toEqual(['a', 'b']);
    expect(await list('plans/run', viewer)).toEqual([]);
    expect(await list('plans/run')).toEqual(['*']);
    expect(await list('plans/view')).toMatchObject({ kind: 'not-found' });
  });
});

it('lists what there is to permit', async () => {
  const { body } = await ask('GET', '/rbac-api/v1/types', undefined, viewer);
  const types = body as { object_type: string; actions: { name: string; has_instances: boolean }[] }[];
  const names = types.map(({ object_type, actions }) => `${object_type}: ${actions.map(({ name }) => name).join(' ')}`);
  expect(names).toEqual([
    'cert_requests: accept_reject',
    'console_page: view',
    'configuration: view edit',
    'directory_service: edit',
    'environment: deploy_code view_code',
    'node_groups: view edit_classification edit_config_data edit_params_and_vars set_environment edit_child_rules modify_children',
    'nodes: view_data view_inventory_sensitive edit_data add_inventory delete_inventory',
    'orchestrator: view',
    'plans: run',
    'puppet_agent: run',
    'puppetserver: compile_catalogs',
    'scheduled_jobs: delete',
    'tasks: run run_with_constraints',
    'user_groups: import',
    'user_roles: create edit edit_members',
    'users: create edit reset_password disable',
  ]);
});
