import { describe, expect, it } from 'vitest';
import { AccessRefused } from '../../../../shared/access/accounts/access-control.ts';
import { pruneAttempts } from '../../../../shared/access/accounts/log-in-attempts.ts';
import { pruneTokens } from '../../../../shared/access/accounts/token-store.ts';
import { openAccessWorld } from '../../../helpers/access-world.ts';

const HOUR_MS = 3600_000;
const MINUTE_MS = 60_000;

/** The kind of the refusal, or the result. */
async function kindOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    return error instanceof AccessRefused ? error.kind : error;
  }
}

describe('a log-in', () => {
  it('is granted for the right password, and noted', async () => {
    const { access, addUser, clock, audit } = openAccessWorld();
    await addUser('amari', [2]);
    expect(await access.logIn('amari', 'Welc0me!')).toMatchObject({ login: 'amari', lastLogin: clock.time });
    expect(audit).toEqual([
      { kind: 'access', time: '2026-11-20T22:12:50.000Z', event: 'log-in', login: 'amari', outcome: 'granted' },
    ]);
  });

  it.each([
    ['a wrong password', 'amari', 'wrong', 'user-unauthenticated', 'amari'],
    ['no password', 'amari', '', 'user-unauthenticated', 'amari'],
    ['an unknown login, which the audit log does not hold', 'hunter2', 'x', 'user-unauthenticated', null],
    ['an account without a password', 'admin', 'x', 'user-unauthenticated', 'admin'],
    ['the user of certificates', 'api_user', 'x', 'api-user-login', 'api_user'],
    ['a revoked user with the right password', 'gone', 'Welc0me!', 'user-revoked', 'gone'],
    ['a revoked user with a wrong one', 'gone', 'x', 'user-unauthenticated', 'gone'],
  ])('is refused for %s', async (_, login, password, kind, shown) => {
    const { access, addUser, audit } = openAccessWorld();
    await addUser('amari');
    await access.revoke(await addUser('gone'));
    expect(await kindOf(access.logIn(login, password))).toBe(kind);
    expect(audit).toEqual([expect.objectContaining({ event: 'log-in', login: shown, outcome: kind })]);
  });

  it('says the same for an unknown login as for a wrong password', async () => {
    const { access, addUser } = openAccessWorld();
    await addUser('amari');
    const message = new AccessRefused('user-unauthenticated', 'The login or the password is wrong');
    await expect(access.logIn('amari', 'wrong')).rejects.toThrow(message);
    await expect(access.logIn('nobody', 'wrong')).rejects.toThrow(message);
  });

  it('takes the password in whichever form of Unicode it is typed', async () => {
    const { access } = openAccessWorld();
    const password = await access.hash('geh\u00e4use');
    const names = { login: 'uwe', email: '', displayName: '' };
    await access.accounts.create({ ...names, isGroup: false, roleIds: [], password });
    expect(await access.logIn('uwe', 'geha\u0308use')).toMatchObject({ login: 'uwe' });
  });
});

describe('failed log-ins', () => {
  const fail = async (access: ReturnType<typeof openAccessWorld>['access'], login: string, times: number) => {
    for (let time = 0; time < times; time += 1) await kindOf(access.logIn(login, 'wrong'));
  };

  it('lock the account after ten in a row, at all instances, for growing times', async () => {
    const { access, addUser, clock, open } = openAccessWorld();
    await addUser('amari');
    await fail(access, 'amari', 10);
    for (const minutes of [1, 2, 4, 8, 15, 15]) {
      await expect(open().logIn('amari', 'Welc0me!')).rejects.toThrow(
        new AccessRefused('too-many-attempts', `Too many log-ins failed: try again in ${minutes * 60} seconds`, {
          retry_after: minutes * 60,
        }),
      );
      clock.time += minutes * MINUTE_MS - 1;
      expect(await kindOf(open().logIn('amari', 'wrong'))).toBe('too-many-attempts');
      clock.time += 1;
      expect(await kindOf(open().logIn('amari', 'wrong'))).toBe('user-unauthenticated');
    }
    clock.time += 15 * MINUTE_MS;
    expect(await access.logIn('amari', 'Welc0me!')).toMatchObject({ login: 'amari' });
    await fail(access, 'amari', 9);
    expect(await access.logIn('amari', 'Welc0me!')).toMatchObject({ login: 'amari' });
  });

  it('count before the password is checked, so parallel guesses gain nothing', async () => {
    const { access, addUser } = openAccessWorld();
    await addUser('amari');
    const kinds = await Promise.all(Array.from({ length: 40 }, () => kindOf(access.logIn('amari', 'wrong'))));
    const checked = kinds.filter((kind) => kind === 'user-unauthenticated');
    expect(checked.length).toBeLessThanOrEqual(10);
    expect(new Set(kinds)).toEqual(new Set(['user-unauthenticated', 'too-many-attempts']));
  });

  it('of unknown logins are limited too, with a bounded number of documents', async () => {
    const { access, documents, clock } = openAccessWorld();
    await fail(access, 'nobody', 10);
    expect(await kindOf(access.logIn('nobody', 'x'))).toBe('too-many-attempts');
    for (let count = 0; count < 6000; count += 1) await access.attempts.begin(`user${count}`, false);
    expect((await documents.list('access-attempts', '', 10_000)).length).toBeLessThanOrEqual(4096);
    clock.time += 24 * HOUR_MS + 1;
    await pruneAttempts(documents, clock.time);
    expect(await documents.list('access-attempts', '', 10)).toEqual([]);
  });

  it('of unknown logins share entries that nobody can foresee, and all instances know', async () => {
    const entriesOf = async (key: number) => {
      const { access, documents, open } = openAccessWorld();
      await documents.create('access', 'attempts-key', { key: `key ${key}` });
      await access.attempts.begin('nobody', false);
      await open().attempts.begin('nobody', false);
      return documents.list('access-attempts', '', 10);
    };
    const entries = await Promise.all([1, 2, 3].map(entriesOf));
    expect(entries.map((list) => list.map(({ document }) => document.failures))).toEqual([[2], [2], [2]]);
    expect(new Set(entries.map((list) => list[0]?.key)).size).toBe(3);
  });

  it('are forgotten after a day, and when an administrator reinstates the user', async () => {
    const { access, addUser, clock } = openAccessWorld();
    const amari = await addUser('amari');
    await fail(access, 'amari', 20);
    await access.reinstate(amari);
    expect(await access.logIn('amari', 'Welc0me!')).toMatchObject({ login: 'amari' });
    await fail(access, 'amari', 10);
    clock.time += 24 * HOUR_MS + 1;
    await fail(access, 'amari', 9);
    expect(await access.logIn('amari', 'Welc0me!')).toMatchObject({ login: 'amari' });
  });

  it('are refused at once when too many wait for their turn', async () => {
    const { access, addUser } = openAccessWorld();
    for (let count = 0; count < 60; count += 1) await addUser(`user${count}`);
    const kinds = await Promise.all(
      Array.from({ length: 60 }, (_, count) => kindOf(access.logIn(`user${count}`, 'x'))),
    );
    expect(kinds.filter((kind) => kind === 'user-unauthenticated')).toHaveLength(32);
    expect(kinds.filter((kind) => kind === 'overloaded')).toHaveLength(28);
  });
});

describe('a token', () => {
  it('leads to its user with the roles of now', async () => {
    const { access, addUser, tokenOf, clock } = openAccessWorld();
    const amari = await addUser('amari', [3]);
    const token = await tokenOf('amari');
    expect(token).toMatch(/^[\w-]{44}$/);
    expect(await access.authenticate(token)).toMatchObject({ login: 'amari', roleIds: [3] });
    await access.accounts.change(amari, (before) => ({ ...before, roleIds: [2] }));
    expect(await access.authenticate(token)).toMatchObject({ roleIds: [2] });
    clock.time += HOUR_MS;
    expect(await access.authenticate(token)).toBe('token-expired');
  });

  it.each(['', 'x', 'a'.repeat(44), `${'a'.repeat(43)}/`, 'b'.repeat(300)])('is unknown: %s', async (token) => {
    const { access, addUser, tokenOf } = openAccessWorld();
    await addUser('amari');
    await tokenOf('amari');
    expect(await access.authenticate(token)).toBe('invalid-token');
  });

  it('is stored as a digest only', async () => {
    const { addUser, tokenOf, documents } = openAccessWorld();
    await addUser('amari');
    const token = await tokenOf('amari');
    const collections = ['access-tokens', 'access-user-tokens', 'access-token-activity', 'access-accounts'];
    const stored = await Promise.all(collections.map((one) => documents.list(one, '', 100)));
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(JSON.stringify(stored)).not.toContain('Welc0me!');
  });

  it('ends when its user is revoked, for good', async () => {
    const { access, addUser, tokenOf } = openAccessWorld();
    const amari = await addUser('amari');
    const token = await tokenOf('amari');
    await access.revoke(amari);
    expect(await access.authenticate(token)).toBe('user-revoked');
    await access.reinstate(amari);
    expect(await access.authenticate(token)).toBe('token-revoked');
    expect(await access.authenticate(await tokenOf('amari'))).toMatchObject({ login: 'amari' });
  });

  it('ends with its user, and does not come back with another of that login', async () => {
    const { access, addUser, tokenOf } = openAccessWorld();
    const amari = await addUser('amari');
    const token = await tokenOf('amari');
    await access.accounts.delete(amari);
    expect(await access.authenticate(token)).toBe('token-revoked');
    await addUser('amari');
    expect(await access.authenticate(token)).toBe('token-revoked');
  });

  it('ends when it is not used for longer than its session', async () => {
    const { access, addUser, clock } = openAccessWorld();
    const amari = await addUser('amari');
    const session = await access.tokens.create(amari, { lifetimeMs: 24 * HOUR_MS, timeoutMs: HOUR_MS });
    for (let use = 0; use < 3; use += 1) {
      clock.time += HOUR_MS;
      expect(await access.authenticate(session)).toMatchObject({ login: 'amari' });
    }
    clock.time += HOUR_MS;
    expect(await access.useToken(session, false)).toMatchObject({ account: { login: 'amari' } });
    clock.time += 1;
    expect(await access.authenticate(session)).toBe('token-timed-out');
  });

  it('has a label that no other active token of its user has', async () => {
    const { access, addUser, clock } = openAccessWorld();
    const [amari, uwe] = [await addUser('amari'), await addUser('uwe')];
    const create = (account: typeof amari) =>
      kindOf(access.tokens.create(account, { lifetimeMs: HOUR_MS, label: 'ci' }));
    expect(await create(amari)).toMatch(/^[\w-]{44}$/);
    expect(await create(amari)).toBe('conflict');
    expect(await create(uwe)).toMatch(/^[\w-]{44}$/);
    clock.time += HOUR_MS;
    expect(await create(amari)).toMatch(/^[\w-]{44}$/);
    const token = await access.tokens.findByLabel(amari, 'ci');
    if (token) await access.tokens.revoke(token);
    expect(await access.tokens.findByLabel(amari, 'ci')).toBeNull();
    expect(await create(amari)).toMatch(/^[\w-]{44}$/);
    expect(await access.tokens.listActive(amari)).toHaveLength(1);
  });

  it('leaves nothing a day after its end', async () => {
    const { access, addUser, clock, documents } = openAccessWorld();
    const amari = await addUser('amari');
    const token = await access.tokens.create(amari, { lifetimeMs: HOUR_MS, label: 'ci' });
    await access.authenticate(token);
    clock.time += HOUR_MS;
    expect(await pruneTokens(documents, clock.time)).toBe(0);
    expect(await access.authenticate(token)).toBe('token-expired');
    clock.time += 24 * HOUR_MS;
    expect(await pruneTokens(documents, clock.time)).toBe(1);
    for (const name of ['access-tokens', 'access-user-tokens', 'access-token-labels', 'access-token-activity']) {
      expect(await documents.list(name, '', 10)).toEqual([]);
    }
  });
});

describe('permissions', () => {
  it.each<[string, readonly number[], string, boolean]>([
    ['a viewer', [3], 'orchestrator:view:*', true],
    ['a viewer', [3], 'puppet_agent:run:*', false],
    ['an operator', [2], 'puppet_agent:run:*', true],
    ['an operator', [2], 'tasks:run:package', false],
    ['a code deployer', [4], 'environment:deploy_code:production', true],
    ['nobody', [], 'orchestrator:view:*', false],
    ['both', [3, 4], 'environment:deploy_code:production', true],
    ['an administrator', [1], 'tasks:run:package', true],
    ['one of a role that is gone', [77], 'orchestrator:view:*', false],
  ])('of %s %j: %s is %s', async (_, roleIds, text, isPermitted) => {
    const { access, addUser, audit } = openAccessWorld();
    const [objectType = '', action = '', instance = ''] = text.split(':');
    const user = await addUser('amari', roleIds);
    expect(await access.permits(user, { objectType, action, instance })).toBe(isPermitted);
    const outcome = isPermitted ? 'granted' : 'denied';
    expect(audit).toEqual([expect.objectContaining({ event: 'permission', login: 'amari', outcome, subject: text })]);
  });

  it('are those of one instance', async () => {
    const { access, addUser } = openAccessWorld();
    const run = { objectType: 'tasks', action: 'run', instance: 'package' };
    const { id } = await access.roles.create({ displayName: 'Packagers', description: null, permissions: [run] });
    const user = await addUser('amari', [id]);
    expect(await access.permits(user, run)).toBe(true);
    expect(await access.permits(user, { ...run, instance: 'service' })).toBe(false);
    expect(await access.permits(user, { ...run, instance: '*' })).toBe(false);
  });

  it('are all for a certificate on the allow list, and only there', async () => {
    const { access } = openAccessWorld({ allowedCertnames: new Set(['console.example.com']) });
    const subject = await access.authenticateCertificate('console.example.com');
    expect(subject).toMatchObject({ login: 'api_user', isSuperuser: true });
    expect(await access.authenticateCertificate('web01.example.com')).toBeNull();
    expect(await openAccessWorld().access.authenticateCertificate('console.example.com')).toBeNull();
  });
});

describe('a role', () => {
  it.each([
    ['another name twice', { displayName: 'Viewers' }, 'conflict'],
    ['no name', { displayName: ' ' }, 'schema-violation'],
    ['an unknown type', { permissions: [{ objectType: 'x', action: 'view', instance: '*' }] }, 'schema-violation'],
    ['an unknown action', { permissions: [{ objectType: 'tasks', action: 'x', instance: '*' }] }, 'schema-violation'],
    [
      'an instance of what has none',
      { permissions: [{ objectType: 'orchestrator', action: 'view', instance: 'x' }] },
      'schema-violation',
    ],
    ['too much', { description: 'x'.repeat(250_000) }, 'schema-violation'],
  ])('is refused with %s', async (_, fault, kind) => {
    const { access } = openAccessWorld();
    const role = { displayName: 'New', description: null, permissions: [], ...fault };
    expect(await kindOf(access.roles.create(role))).toBe(kind);
  });

  it('never gets the id of another one', async () => {
    const { access } = openAccessWorld();
    const create = async (displayName: string) =>
      (await access.roles.create({ displayName, description: null, permissions: [] })).id;
    expect(await create('a')).toBe(6);
    await access.roles.delete(6);
    expect(await create('a')).toBe(7);
  });

  it('of the beginning stays', async () => {
    const { access } = openAccessWorld();
    expect(await kindOf(access.roles.delete(3))).toBe('default-roles-immutable');
    expect(await kindOf(access.roles.change(1, (role) => ({ ...role, permissions: [] })))).toBe(
      'default-roles-immutable',
    );
    await access.roles.change(3, (role) => ({ ...role, permissions: [] }));
    expect((await access.roles.get(3)).permissions).toEqual([]);
  });
});
