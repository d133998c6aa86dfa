import { beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../../../../shared/access/accounts/account.ts';
import { type AccessDoor, openAccessDoor } from '../../../helpers/access-door.ts';

const USERS = '/rbac-api/v1/users';
const ADMIN = '42bf351c-f9ec-40af-84ad-e976fec7f4bd';
const API_USER = 'af94921f-bd76-4b58-b5ce-e17c029a2790';
const NOBODY = '11111111-1111-4111-8111-111111111111';
let door: AccessDoor;
let amari: Account;
let admin: string;
let operator: string;

beforeEach(async () => {
  door = openAccessDoor();
  amari = await door.addUser('amari', [3]);
  await door.addUser('olga', [2]);
  admin = await door.tokenOf('admin');
  operator = await door.tokenOf('olga');
});

const ask = (method: string, path: string, body?: unknown, token = admin) =>
  door.ask(method, path, { token, ...(body === undefined ? {} : { body }) });

async function getUser(id: string) {
  return (await ask('GET', `${USERS}/${id}`)).body as Record<string, unknown>;
}

describe('GET users', () => {
  it('lists all, or those of a filter', async () => {
    const logins = async (query: string) =>
      ((await ask('GET', `${USERS}${query}`, undefined, operator)).body as { login: string }[]).map(
        ({ login }) => login,
      );
    expect(await logins('')).toEqual(['admin', 'amari', 'api_user', 'olga']);
    expect(await logins(`?id=${ADMIN},${amari.id.toUpperCase()}`)).toEqual(['admin', 'amari']);
  });

  it.each([
    ['GET', `${USERS}?id=x`, 400, 'invalid-id-filter', "'x' is not a list of UUIDs, separated by commas"],
    ['GET', `${USERS}/x`, 400, 'invalid-uuid', "'x' is not a UUID"],
    ['GET', `${USERS}/${NOBODY}`, 404, 'not-found', `There is no user or group with the id ${NOBODY}`],
    ['DELETE', `${USERS}/${NOBODY}`, 404, 'not-found', `There is no user or group with the id ${NOBODY}`],
    ['DELETE', `${USERS}/${ADMIN}`, 403, 'admin-user-immutable', 'The user admin cannot be deleted'],
    ['DELETE', `${USERS}/${API_USER}`, 403, 'permission-denied', 'The user api_user cannot be changed'],
    ['GET', '/rbac-api/v1/nothing', 404, 'not-found', 'There is nothing at /rbac-api/v1/nothing'],
  ])('%s %s is answered with %i', async (method, path, status, kind, msg) => {
    expect(await ask(method, path)).toMatchObject({ status, body: { kind, msg, details: {} } });
  });
});

describe('POST users', () => {
  const eve = { login: 'eve', email: 'eve@example.com', display_name: 'Eve', role_ids: [3, 3], password: 'Welc0me!' };

  it('creates one that can log in', async () => {
    const { status, headers, body } = await ask('POST', USERS, eve);
    const location = headers.get('Location') ?? '';
    expect([status, body]).toEqual([201, null]);
    expect((await ask('GET', location)).body).toEqual({
      id: location.replace(`${USERS}/`, ''),
      login: 'eve',
      email: 'eve@example.com',
      display_name: 'Eve',
      role_ids: [3],
      is_group: false,
      is_remote: false,
      is_superuser: false,
      is_revoked: false,
      last_login: null,
    });
    expect(await door.access.logIn('eve', 'Welc0me!')).toMatchObject({ login: 'eve' });
  });

  it.each([
    ['a login in use', { login: 'amari' }, 409, 'conflict', "The login 'amari' is in use"],
    ['no login', { login: ' ' }, 400, 'schema-violation', 'A login has 1 to 255 bytes and no control characters'],
    ['an unknown role', { role_ids: [77] }, 422, 'invalid-associated-id', 'There is no role with the id 77'],
    ['a short password', { password: '12345' }, 400, 'schema-violation', 'A password has 6 to 1000 characters'],
  ])('refuses %s', async (_, fault, status, kind, msg) => {
    expect(await ask('POST', USERS, { ...eve, ...fault })).toMatchObject({ status, body: { kind, msg } });
  });

  it('wants permission for the user and for each role', async () => {
    expect(await ask('POST', USERS, eve, operator)).toMatchObject({
      status: 403,
      body: {
        kind: 'permission-denied',
        msg: 'olga does not have the permission users:create:*',
        details: { permission: { object_type: 'users', action: 'create', instance: '*' } },
      },
    });
    const ofViewers = (await door.access.roles.get(3)).permissions.map(
      ({ objectType, action, instance }) => `${objectType}:${action}:${instance}`,
    );
    const token = await door.tokenWith('users:create:*', 'user_roles:edit_members:3', ...ofViewers);
    expect(await ask('POST', USERS, { ...eve, role_ids: [1] }, token)).toMatchObject({
      status: 403,
      body: { msg: 'helper does not have the permission user_roles:edit_members:1' },
    });
    expect(await ask('POST', USERS, eve, token)).toMatchObject({ status: 201 });
  });
});

describe('PUT users', () => {
  it('changes what can change', async () => {
    const user = await getUser(amari.id);
    const changed = { ...user, email: 'new@example.com', display_name: 'A.', role_ids: [2], is_revoked: true };
    expect(await ask('PUT', `${USERS}/${amari.id}`, changed)).toMatchObject({ status: 200, body: changed });
    expect(await ask('PUT', `${USERS}/${amari.id}`, user)).toMatchObject({ status: 200, body: user });
  });

  it.each([
    ['another id', { id: NOBODY }, 400, 'inconsistent-id', 'The id in the body is not that of the address'],
    [
      'another login',
      { login: 'b' },
      400,
      'schema-violation',
      'login, is_group, is_remote and is_superuser cannot be changed',
    ],
    [
      'more power',
      { is_superuser: true },
      400,
      'schema-violation',
      'login, is_group, is_remote and is_superuser cannot be changed',
    ],
    ['an unknown role', { role_ids: [77] }, 422, 'invalid-associated-id', 'There is no role with the id 77'],
  ])('refuses %s', async (_, fault, status, kind, msg) => {
    const body = { ...(await getUser(amari.id)), ...fault };
    expect(await ask('PUT', `${USERS}/${amari.id}`, body)).toMatchObject({ status, body: { kind, msg } });
  });

  it('leaves the administrator his power', async () => {
    const user = await getUser(ADMIN);
    expect(await ask('PUT', `${USERS}/${ADMIN}`, { ...user, is_superuser: false })).toMatchObject({
      status: 403,
      body: { kind: 'admin-user-immutable' },
    });
    expect(await ask('PUT', `${USERS}/${ADMIN}`, { ...user, role_ids: [] })).toMatchObject({
      status: 403,
      body: { kind: 'admin-user-not-in-admin-role' },
    });
    expect(await ask('PUT', `${USERS}/${ADMIN}`, { ...user, email: 'a@example.com' })).toMatchObject({ status: 200 });
  });

  it('lets nobody but administrators change an administrator', async () => {
    const boss = await door.addUser('boss', [1]);
    const token = await door.tokenWith('users:edit:*', 'users:disable:*');
    for (const { id, login } of [boss, { id: ADMIN, login: 'admin' }]) {
      const refused = { status: 403, body: { msg: `Only an administrator may change ${login}` } };
      expect(await ask('PUT', `${USERS}/${id}`, await getUser(id), token)).toMatchObject(refused);
      expect(await ask('POST', '/rbac-api/v1/command/users/revoke', { user_id: id }, token)).toMatchObject(refused);
    }
    const own = await door.tokenOf('boss');
    expect(await ask('PUT', `${USERS}/${ADMIN}`, await getUser(ADMIN), own)).toMatchObject({ status: 200 });
  });
});

describe('commands and deletion', () => {
  it('add and remove roles', async () => {
    const command = (name: string, role_ids: readonly number[]) =>
      ask('POST', `/rbac-api/v1/command/users/${name}`, { user_id: amari.id, role_ids });
    expect(await command('add-roles', [2, 3])).toMatchObject({ status: 204, body: null });
    expect(await getUser(amari.id)).toMatchObject({ role_ids: [3, 2] });
    expect(await command('remove-roles', [3])).toMatchObject({ status: 204 });
    expect(await getUser(amari.id)).toMatchObject({ role_ids: [2] });
    expect(await command('add-roles', [77])).toMatchObject({ status: 422 });
  });

  it('revoke and reinstate', async () => {
    const command = (name: string, token?: string) =>
      ask('POST', `/rbac-api/v1/command/users/${name}`, { user_id: amari.id }, token);
    expect(await command('revoke', operator)).toMatchObject({ status: 403 });
    expect(await command('revoke')).toMatchObject({ status: 204 });
    expect(await getUser(amari.id)).toMatchObject({ is_revoked: true });
    expect(await command('reinstate')).toMatchObject({ status: 204 });
    expect(await door.access.logIn('amari', 'Welc0me!')).toMatchObject({ isRevoked: false });
  });

  it('delete a user', async () => {
    expect(await ask('DELETE', `${USERS}/${amari.id}`, undefined, operator)).toMatchObject({ status: 403 });
    expect(await ask('DELETE', `${USERS}/${amari.id}`)).toMatchObject({ status: 204, body: null });
    expect(await ask('GET', `${USERS}/${amari.id}`)).toMatchObject({ status: 404 });
  });

  it('are in the audit log', async () => {
    await ask('DELETE', `${USERS}/${amari.id}`);
    expect(door.audit.slice(-2)).toMatchObject([
      { event: 'permission', login: 'admin', outcome: 'granted', subject: `users:disable:${amari.id}` },
      { event: 'change', login: 'admin', outcome: 'granted', subject: 'user deleted: amari' },
    ]);
  });
});

describe('groups', () => {
  const GROUPS = '/rbac-api/v1/groups';

  it('have roles for users of a directory', async () => {
    const { headers, status } = await ask('POST', GROUPS, { login: 'staff', role_ids: [3] });
    const location = headers.get('Location') ?? '';
    const group = {
      id: location.replace(`${GROUPS}/`, ''),
      login: 'staff',
      display_name: 'staff',
      role_ids: [3],
      user_ids: [],
      is_group: true,
      is_remote: true,
      is_superuser: false,
      is_revoked: false,
    };
    expect(status).toBe(201);
    expect((await ask('GET', GROUPS)).body).toEqual([group]);
    expect(await ask('PUT', location, { ...group, role_ids: [2] })).toMatchObject({
      status: 200,
      body: { role_ids: [2] },
    });
    expect(await ask('GET', `${USERS}/${group.id}`)).toMatchObject({ status: 404 });
    expect(await ask('DELETE', location)).toMatchObject({ status: 204 });
    expect(await ask('GET', location)).toMatchObject({ status: 404 });
  });

  it('want permission, and a login that nobody has', async () => {
    const body = { login: 'amari', role_ids: [] };
    expect(await ask('POST', GROUPS, body, operator)).toMatchObject({ status: 403 });
    expect(await ask('POST', GROUPS, body)).toMatchObject({ status: 409 });
    expect(await ask('GET', `${GROUPS}/${amari.id}`)).toMatchObject({ status: 404 });
  });
});
