import { expect, it } from 'vitest';
import { AccessRefused } from '../../../../shared/access/accounts/access-control.ts';
import { pruneAttempts } from '../../../../shared/access/accounts/log-in-attempts.ts';
import { pruneTokens } from '../../../../shared/access/accounts/token-store.ts';
import { openAccessWorld } from '../../../helpers/access-world.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

describeStores('users, roles and tokens', (open) => {
  it('keep logins unique, also when two create one at once', async () => {
    const { documents } = await open();
    const { access, addUser } = openAccessWorld({}, documents);
    const results = await Promise.allSettled([addUser('amari'), addUser('amari'), addUser('admin')]);
    const refusals = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refusals).toEqual([
      new AccessRefused('conflict', "The login 'amari' is in use", { login: 'amari' }),
      new AccessRefused('conflict', "The login 'admin' is in use", { login: 'admin' }),
    ]);
    expect((await access.accounts.list()).map(({ login }) => login)).toEqual(['admin', 'amari', 'api_user']);
    expect(await documents.list('access-logins', '', 10)).toHaveLength(1);
  });

  it('find an account by login and id until it is deleted', async () => {
    const { documents } = await open();
    const { access, addUser } = openAccessWorld({}, documents);
    const amari = await addUser('amari', [2, 3]);
    expect(await access.accounts.findByLogin('amari')).toEqual(amari);
    expect(await access.accounts.findById(amari.id)).toEqual(amari);
    await access.accounts.delete(amari);
    expect(await access.accounts.findById(amari.id)).toBeNull();
    expect(await access.accounts.findByLogin('amari')).toBeNull();
  });

  it('leave an account alone that has the login of a deleted one', async () => {
    const { documents } = await open();
    const { access, addUser } = openAccessWorld({}, documents);
    const before = await addUser('amari');
    await access.accounts.delete(before);
    const now = await addUser('amari');
    await access.accounts.delete(before);
    expect(await access.accounts.findByLogin('amari')).toEqual(now);
  });

  it('are deleted also when they change at the same time', async () => {
    const { documents } = await open();
    const { access, addUser } = openAccessWorld({}, documents);
    const amari = await addUser('amari');
    const changes = [1, 2, 3].map((role) => access.accounts.change(amari, (one) => ({ ...one, roleIds: [role] })));
    await Promise.allSettled([...changes, access.accounts.delete(amari)]);
    expect(await access.accounts.findByLogin('amari')).toBeNull();
  });

  it('keep the name, the description and the permissions of Administrators', async () => {
    const { documents } = await open();
    const { roles } = openAccessWorld({}, documents).access;
    const given = [{ displayName: 'x' }, { description: 'x' }, { permissions: [] }];
    for (const one of given) {
      await expect(roles.change(1, (before) => ({ ...before, ...one }))).rejects.toThrow('stays as it is');
    }
    await roles.change(1, (before) => ({ ...before }));
  });

  it('lose no change that others make at the same time', async () => {
    const { documents } = await open();
    const { access, addUser } = openAccessWorld({}, documents);
    const amari = await addUser('amari');
    await Promise.all(
      [1, 2, 3, 4].map((role) =>
        access.accounts.change(amari, (before) => ({ ...before, roleIds: [...before.roleIds, role] })),
      ),
    );
    expect(new Set((await access.accounts.getById(amari.id)).roleIds)).toEqual(new Set([1, 2, 3, 4]));
  });

  it('change the accounts that exist from the beginning', async () => {
    const { documents } = await open();
    const { access } = openAccessWorld({}, documents);
    const admin = await access.accounts.getById('42bf351c-f9ec-40af-84ad-e976fec7f4bd');
    await access.accounts.change(admin, (before) => ({ ...before, email: 'admin@example.com' }));
    expect(await access.accounts.findByLogin('admin')).toEqual({ ...admin, email: 'admin@example.com' });
  });

  it('keep roles, tokens and failed log-ins', async () => {
    const { documents } = await open();
    const { access, addUser, clock, tokenOf } = openAccessWorld({}, documents);
    const { id } = await access.roles.create({ displayName: 'New', description: null, permissions: [] });
    const amari = await addUser('amari', [id]);
    const token = await tokenOf('amari');
    expect(await access.authenticate(token)).toMatchObject({ roleIds: [6] });
    expect(await access.tokens.listActive(amari)).toHaveLength(1);
    await expect(access.logIn('amari', 'wrong')).rejects.toThrow('The login or the password is wrong');
    const found = await access.tokens.find(token);
    if (found) await access.tokens.revoke(found);
    expect(await access.authenticate(token)).toBe('token-revoked');
    clock.time += 48 * 3600_000;
    await pruneAttempts(documents, clock.time);
    expect(await pruneTokens(documents, clock.time)).toBe(1);
    expect(await documents.list('access-attempts', '', 10)).toEqual([]);
  });
});
