import type { Account } from '../../../access/accounts/account.ts';
import { formatIsoSeconds } from '../../../util/iso-seconds.ts';

/** A user as the API shows it; of a directory's user, with the roles of his groups among `all`. */
export function describeAccount(account: Account, all: readonly Account[] = []) {
  const { id, login, email, displayName, roleIds, isGroup, isRemote, isSuperuser, isRevoked, lastLogin } = account;
  const groups = all.filter((one) => one.isGroup && account.groupIds.includes(one.id));
  const inherited = {
    inherited_role_ids: [...new Set(groups.flatMap((one) => one.roleIds))],
    group_ids: groups.map((one) => one.id),
  };
  return {
    id,
    login,
    email,
    display_name: displayName,
    role_ids: roleIds,
    is_group: isGroup,
    is_remote: isRemote,
    is_superuser: isSuperuser,
    is_revoked: isRevoked,
    last_login: lastLogin === null ? null : formatIsoSeconds(lastLogin),
    ...(isRemote ? inherited : {}),
  };
}

/** A group as the API shows it, with those of `all` who were in it at their last log-in. */
export function describeGroup({ id, login, displayName, roleIds, isRevoked }: Account, all: readonly Account[]) {
  return {
    id,
    login,
    display_name: displayName,
    role_ids: roleIds,
    user_ids: all.filter(({ groupIds }) => groupIds.includes(id)).map((one) => one.id),
    is_group: true,
    is_remote: true,
    is_superuser: false,
    is_revoked: isRevoked,
  };
}
