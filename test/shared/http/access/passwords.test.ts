import { beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../../../../shared/access/accounts/account.ts';
import { type AccessDoor, openAccessDoor } from '../../../helpers/access-door.ts';

const V1 = '/rbac-api/v1';
const OLD = 'Welc0me!';
const NEW = 'another password';
const UNKNOWN = { status: 403, body: { msg: 'The password reset token is unknown, used or expired' } };

let door: AccessDoor;
let amari: Account;
let admin: string;
const ask = (method: string, path: string, body?: unknown, token: string | null = admin) =>
  door.ask(method, `${V1}${path}`, { token, ...(body === undefined ? {} : { body }) });
const logIn = async (password: string) => (await ask('POST', '/auth/token', { login: 'amari', password }, null)).status;

beforeEach(async () => {
  door = openAccessDoor();
  amari = await door.addUser('amari', [3]);
  admin = await door.tokenOf('admin');
});

describe('POST users/<id>/password/reset', () => {
  it('gives a token that sets the password once, ends tokens and reinstates', async () => {
    const used = await door.tokenOf('amari');
    await door.access.revoke(amari);
    const { status, body: token, headers } = await ask('POST', `/users/${amari.id}/password/reset`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain;charset=utf-8']);
    expect(await ask('POST', '/auth/reset', { token, password: NEW }, null)).toMatchObject({ status: 200 });
    expect([await logIn(OLD), await logIn(NEW)]).toEqual([401, 200]);
    expect(await ask('GET', '/users/current', undefined, used)).toMatchObject({ status: 401 });
    expect(await ask('POST', '/auth/reset', { token, password: OLD }, null)).toMatchObject(UNKNOWN);
  });

  it('keeps the token for a password that cannot be one, and ends it after a day', async () => {
    const { body: token } = await ask('POST', `/users/${amari.id}/password/reset`);
    expect(await ask('POST', '/auth/reset', { token, password: 'x' }, null)).toMatchObject({ status: 400 });
    door.clock.time += 24 * 3600_000;
    expect(await ask('POST', '/auth/reset', { token, password: NEW }, null)).toMatchObject(UNKNOWN);
  });

  it('is for those alone who may do all that the user may do, now and when it is used', async () => {
    const path = `/users/${amari.id}/password/reset`;
    expect(await ask('POST', path, undefined, await door.tokenWith('users:reset_password:*'))).toMatchObject({
      status: 403,
      body: { kind: 'permission-denied' },
    });
    const viewer = (await door.access.roles.list()).find(({ id }) => id === 3);
    await door.addUser('equal', [3]);
    const permissions = [
      ...(viewer?.permissions ?? []),
      { objectType: 'users', action: 'reset_password', instance: '*' },
    ];
    const { id } = await door.access.roles.create({ displayName: 'Desk', description: null, permissions });
    await door.addUser('desk', [id]);
    const { body: token, status } = await ask('POST', path, undefined, await door.tokenOf('desk'));
    expect(status).toBe(200);
    await door.access.accounts.change(amari, (one) => ({ ...one, roleIds: [1] }));
    expect(await ask('POST', '/auth/reset', { token, password: NEW }, null)).toMatchObject(UNKNOWN);
  });
});

describe('PUT users/current/password', () => {
  it('needs the current one, which may be guessed as often as at a log-in', async () => {
    const token = await door.tokenOf('amari');
    const change = (current_password: string) =>
      ask('PUT', '/users/current/password', { current_password, password: NEW }, token);
    expect(await change('wrong')).toMatchObject({ status: 403, body: { msg: 'The current password is wrong' } });
    expect(await change(OLD)).toMatchObject({ status: 200 });
    expect([await logIn(OLD), await logIn(NEW)]).toEqual([401, 200]);
    expect(await ask('GET', '/users/current', undefined, token)).toMatchObject({ status: 200 });
    for (let tries = 0; tries < 10; tries += 1) await change('wrong');
    expect(await change('wrong')).toMatchObject({ status: 429, body: { kind: 'too-many-attempts' } });
  });
});

describe('POST command/validate-password and validate-login', () => {
  it('say whether a text may be one, with a token of either kind', async () => {
    const { body: reset_token } = await ask('POST', `/users/${amari.id}/password/reset`);
    const bad = { valid: false, failures: [{ rule: 'length', message: 'A password has 6 to 1000 characters' }] };
    const validate = async (body: object, token: string | null = null) =>
      (await ask('POST', '/command/validate-password', body, token)).body;
    expect(await validate({ password: NEW, reset_token })).toEqual({ valid: true });
    expect(await validate({ password: 'short' }, admin)).toEqual(bad);
    expect(await validate({ password: NEW, reset_token: 'x' })).toMatchObject({ kind: 'permission-denied' });
    expect(await validate({ password: NEW })).toMatchObject({ kind: 'user-unauthenticated' });
    expect((await ask('POST', '/command/validate-login', { login: 'kalo' })).body).toEqual({ valid: true });
    expect((await ask('POST', '/command/validate-login', { login: 'a\n' })).body).toMatchObject({ valid: false });
  });
});

describe('GET v2/users', () => {
  it('gives a page of those with a text, and their roles', async () => {
    await door.addUser('olga', [2, 3]);
    const list = async (query: string) => (await door.ask('GET', `/rbac-api/v2/users${query}`, { token: admin })).body;
    expect(await list('?filter=A&order_by=login&order=desc&limit=1&offset=1&include_roles=true')).toMatchObject({
      users: [{ login: 'api_user', roles: [{ id: 1, display_name: 'Administrators' }] }],
      pagination: { total: 4, limit: 1, offset: 1, order: 'desc', order_by: 'login', filter: 'A' },
    });
    expect(await list('?filter=nobody')).toMatchObject({ users: [], pagination: { total: 0, limit: 500 } });
    expect(await list('?order_by=password')).toMatchObject({ kind: 'schema-violation' });
  });
});
