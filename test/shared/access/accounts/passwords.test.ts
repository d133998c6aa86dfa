import { expect, it } from 'vitest';
import { DEFAULT_COST, hashPassword, isPassword } from '../../../../shared/access/accounts/passwords.ts';
import { systemSecrets } from '../../../../shared/store/system-secrets.ts';
import { CHEAP_COST } from '../../../helpers/access-world.ts';

it('hashes with a salt, so that equal passwords differ', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => hashPassword('secret', systemSecrets, CHEAP_COST)));
  expect(one).toMatch(/^scrypt\$1\$1\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(other).not.toBe(one);
});

it('checks with the cost of the stored hash', async () => {
  const stored = await hashPassword('secret', systemSecrets, { ...CHEAP_COST, p: 2 });
  expect(await isPassword('secret', stored, CHEAP_COST)).toBe(true);
  expect(await isPassword('Secret', stored, CHEAP_COST)).toBe(false);
});

it.each([null, '', 'secret', 'scrypt$1$1$1$x', 'md5$x'])('matches nothing without a hash: %s', async (stored) => {
  expect(await isPassword('secret', stored, CHEAP_COST)).toBe(false);
});

it('has a usual cost that Node takes', async () => {
  expect(await isPassword('secret', await hashPassword('secret', systemSecrets), DEFAULT_COST)).toBe(true);
});
