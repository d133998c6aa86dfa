import type { SamlUser } from '../saml/saml-provider.ts';
import { AccessRefused } from './access-control.ts';
import type { Account } from './account.ts';
import { type AccountStore, isLogin } from './account-store.ts';

/**
 * The account of a user of the identity provider, as the provider has him now; it is made at the
 * first log-in. Rejects with AccessRefused: `conflict` for a login that somebody else has, who is a
 * local user, a group or a user of a directory; `user-revoked`; `schema-violation` for no login.
 */
export async function keepSamlAccount(accounts: AccountStore, user: SamlUser, now: number): Promise<Account> {
  const { login, email, displayName } = user;
  if (!isLogin(login)) throw new AccessRefused('schema-violation', 'The provider sends no login that may be one here');
  const all = await accounts.list();
  const groupIds = idsOfGroups(all, user.groups);
  const account = findOwn(all, login) ?? (await createAccount(accounts, user));
  if (account.isRevoked) throw new AccessRefused('user-revoked', `The user ${login} is revoked`);
  return accounts.change(account, (before) => ({ ...before, email, displayName, groupIds, lastLogin: now }));
}

/** The account of a login; null when nobody has it, or one that only looks different. */
function findOwn(all: readonly Account[], login: string): Account | null {
  const alike = all.filter((one) => foldLogin(one.login) === foldLogin(login));
  const own = alike.find((one) => one.login === login && isOfProvider(one)) ?? null;
  if (alike.every((one) => one === own)) return own;
  throw new AccessRefused('conflict', 'Somebody else has the login of this user of the provider');
}

async function createAccount(accounts: AccountStore, { login, email, displayName }: SamlUser): Promise<Account> {
  const origin = { isGroup: false, isRemote: true, isSaml: true, password: null } as const;
  try {
    return await accounts.create({ login, email, displayName, ...origin, roleIds: [] });
  } catch (error) {
    // Another log-in of the same user may have been first.
    const made = error instanceof AccessRefused ? await accounts.findByLogin(login) : null;
    if (made !== null && isOfProvider(made)) return made;
    throw error;
  }
}

function isOfProvider({ isSaml, isGroup }: Account): boolean {
  return isSaml === true && !isGroup;
}

/** Groups count by their exact names: a provider may have some that only look alike. */
function idsOfGroups(accounts: readonly Account[], groups: readonly string[]): readonly string[] {
  const names = new Set(groups);
  return accounts.filter(({ isGroup, login }) => isGroup && names.has(login)).map(({ id }) => id);
}

function foldLogin(login: string): string {
  return login.normalize('NFKC').toLowerCase();
}
