import { describe, expect, it } from 'vitest';
import { findAction } from '../../../../../shared/access/accounts/permission-types.ts';
import {
  findRoleWith,
  GROUP_RIGHTS,
  listGroupRoles,
  permissionsOfRight,
} from '../../../../../shared/console/client/data/group-rights.ts';

const permission = (action: string, instance: string) => ({ object_type: 'node_groups', action, instance });

function makeRole(id: number, permissions: ReturnType<typeof permissionsOfRight>, user_ids: readonly string[] = []) {
  return { id, display_name: `role ${id}`, permissions, user_ids };
}

describe.each(GROUP_RIGHTS)('the right %s', (right) => {
  it('has permissions that exist, of the group alone, and that to open the console', () => {
    const [console, ...ofGroup] = permissionsOfRight(right, 'g1');
    expect(console).toEqual({ object_type: 'console_page', action: 'view', instance: '*' });
    expect(ofGroup.length).toBeGreaterThan(0);
    for (const { object_type, action, instance } of ofGroup) {
      expect(findAction(object_type, action)?.hasInstances).toBe(true);
      expect(instance).toBe('g1');
    }
  });
});

it('finds the role of a right whatever the order of its permissions', () => {
  const wanted = permissionsOfRight('edit', 'g1');
  const roles = [makeRole(1, permissionsOfRight('edit', 'g2')), makeRole(2, wanted.toReversed())];
  expect(findRoleWith(wanted, roles)?.id).toBe(2);
  expect(findRoleWith(permissionsOfRight('view', 'g1'), roles)).toBeNull();
});

it('lists the roles that are about the group alone, with their members', () => {
  const roles = [
    makeRole(1, [permission('view', '*')], ['a']),
    makeRole(2, permissionsOfRight('view', 'g1'), ['b', 'a', 'gone']),
    makeRole(3, [permission('view', 'g1'), permission('view', 'g2')], ['a']),
    makeRole(4, [{ object_type: 'console_page', action: 'view', instance: '*' }], ['a']),
  ];
  const found = listGroupRoles('g1', roles, [
    { id: 'a', login: 'ann' },
    { id: 'b', login: 'bob' },
  ]);
  expect(found.map(({ role, logins }) => [role.id, logins])).toEqual([[2, ['ann', 'bob', 'gone']]]);
});
