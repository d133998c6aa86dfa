import type { ApiSchema } from '../../../api/described-answers.ts';

type GivenPermission = ApiSchema<'Session'>['permissions'][number];

/** The members of a role that count here. */
interface RightRole {
  readonly id: number;
  readonly display_name: string;
  readonly permissions: readonly GivenPermission[];
  readonly user_ids: readonly string[];
}

/** The members of a user that count here. */
interface RightUser {
  readonly id: string;
  readonly login: string;
}

/** Rights on one group: their name, words, and the actions on the group. */
export const GROUP_RIGHTS = [
  ['view', 'Look at it', ['view']],
  [
    'edit',
    'Change its classes, data and variables',
    ['view', 'edit_classification', 'edit_config_data', 'edit_params_and_vars'],
  ],
  [
    'manage',
    'Change it, its environment, and the groups below it',
    [
      ...['view', 'edit_classification', 'edit_config_data', 'edit_params_and_vars'],
      ...['set_environment', 'edit_child_rules', 'modify_children'],
    ],
  ],
] as const satisfies readonly (readonly [string, string, readonly string[]])[];

export type GroupRight = (typeof GROUP_RIGHTS)[number][0];

/** A role that is about one group alone, and the logins of its members. */
interface GroupRole {
  readonly role: RightRole;
  readonly logins: readonly string[];
}

/** The permissions of a right on a group, with that to open the console. */
export function permissionsOfRight(right: GroupRight, group: string): readonly GivenPermission[] {
  const [, , actions] = GROUP_RIGHTS.find(([name]) => name === right) ?? GROUP_RIGHTS[0];
  return [
    { object_type: 'console_page', action: 'view', instance: '*' },
    ...actions.map((action) => ({ object_type: 'node_groups', action, instance: group })),
  ];
}

/** The roles whose permissions for groups name this group and no other one. */
export function listGroupRoles(
  group: string,
  roles: readonly RightRole[],
  users: readonly RightUser[],
): readonly GroupRole[] {
  const logins = new Map(users.map(({ id, login }) => [id, login]));
  return roles
    .filter(({ permissions }) => {
      const instances = permissions.flatMap(({ object_type, instance }) =>
        object_type === 'node_groups' ? [instance] : [],
      );
      return instances.length > 0 && instances.every((instance) => instance === group);
    })
    .map((role) => ({ role, logins: role.user_ids.map((id) => logins.get(id) ?? id).toSorted() }));
}

/** The role that has exactly these permissions; null when there is none yet. */
export function findRoleWith(permissions: readonly GivenPermission[], roles: readonly RightRole[]): RightRole | null {
  const print = (all: readonly GivenPermission[]) =>
    all
      .map(({ object_type, action, instance }) => `${object_type}:${action}:${instance}`)
      .toSorted()
      .join(' ');
  return roles.find((role) => print(role.permissions) === print(permissions)) ?? null;
}
