import { hasToken, type TokenReader } from '../tokens/deploy-tokens.ts';
import type { Permission } from './access-control.ts';
import type { Author } from './account.ts';
import { AccountStore } from './account-store.ts';
import { findLacking } from './permission-types.ts';
import { permissionsOfSubject } from './permissions-of.ts';
import { RoleStore } from './role-store.ts';

/**
 * Why what a user or a deploy token set may not run now, such as `the user amari no longer has the
 * permission …`; null when it may, and when neither set it.
 */
export async function describeLostRight(
  ports: TokenReader,
  author: Author | null | undefined,
  permission: Permission,
): Promise<string | null> {
  if (!author) return null;
  if (author.isToken) return (await hasToken(ports, author.id)) ? null : `the deploy token of ${author.login} is gone`;
  const { documents } = ports;
  const [accounts, roles] = [new AccountStore(documents), new RoleStore(documents)];
  const account = await accounts.findById(author.id);
  if (account === null || account.isRevoked) return `the user ${author.login} is gone or revoked`;
  if (findLacking(await permissionsOfSubject(account, { accounts, roles }), [permission]) === null) return null;
  const { objectType, action, instance } = permission;
  return `the user ${author.login} no longer has the permission ${objectType}:${action}:${instance}`;
}
