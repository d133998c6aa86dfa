import type { Permission, Subject } from './access-control.ts';
import type { AccountStore } from './account-store.ts';
import { EVERYTHING } from './permission-types.ts';
import type { RoleStore } from './role-store.ts';

interface RightsStores {
  readonly accounts: Pick<AccountStore, 'findById'>;
  readonly roles: Pick<RoleStore, 'permissionsOf'>;
}

/**
 * All that a subject may do now: by its roles, and as a user of a directory by those of its groups.
 * Nothing when it is revoked.
 */
export async function permissionsOfSubject(
  subject: Subject,
  { accounts, roles }: RightsStores,
): Promise<readonly Permission[]> {
  if (subject.isRevoked) return [];
  if (subject.isSuperuser) return [EVERYTHING];
  const account = subject.isRemote && !subject.isGroup ? await accounts.findById(subject.id) : null;
  const groups = await Promise.all((account?.groupIds ?? []).map((id) => accounts.findById(id)));
  const inherited = groups.flatMap((one) => (one?.isGroup === true && !one.isRevoked ? one.roleIds : []));
  return roles.permissionsOf([...subject.roleIds, ...inherited]);
}
