import type { SessionPermission } from './session.ts';

/** Answers of `/rbac-api`. Times are ISO 8601. */

export interface UserRow {
  readonly id: string;
  readonly login: string;
  readonly email: string;
  readonly display_name: string;
  readonly role_ids: readonly number[];
  readonly is_group: boolean;
  readonly is_remote: boolean;
  readonly is_superuser: boolean;
  readonly is_revoked: boolean;
  readonly last_login: string | null;
}

export interface RoleRow {
  readonly id: number;
  readonly display_name: string;
  readonly description: string;
  readonly permissions: readonly SessionPermission[];
  readonly user_ids: readonly string[];
  readonly group_ids?: readonly string[];
}

export interface TokenRow {
  readonly id: string;
  readonly creation_date: string;
  readonly expiration_date: string;
  readonly last_active_date: string;
  readonly client: string | null;
  readonly description: string | null;
  readonly label: string | null;
}

export interface PermissionTypeRow {
  readonly object_type: string;
  readonly display_name: string;
  readonly actions: readonly {
    readonly name: string;
    readonly display_name: string;
    readonly has_instances: boolean;
  }[];
}
