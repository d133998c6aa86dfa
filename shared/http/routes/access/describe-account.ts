import type { Account } from '../../../access/accounts/account.ts';
import { formatIsoSeconds } from '../../../util/iso-seconds.ts';

/** A user as the API shows it. */
export function describeAccount({ id, login, email, displayName, roleIds, ...others }: Account) {
  const { isGroup, isRemote, isSuperuser, isRevoked, lastLogin } = others;
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
  };
}

/** A group as the API shows it. Without a directory service it has no users. */
export function describeGroup({ id, login, displayName, roleIds, isRevoked }: Account) {
  return {
    id,
    login,
    display_name: displayName,
    role_ids: roleIds,
    user_ids: [],
    is_group: true,
    is_remote: true,
    is_superuser: false,
    is_revoked: isRevoked,
  };
}
