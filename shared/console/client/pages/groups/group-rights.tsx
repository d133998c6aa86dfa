import { useState } from 'preact/hooks';
import type { RoleRow, UserRow } from '../../data/access-shapes.ts';
import { callApi } from '../../data/api-client.ts';
import { ApiFault } from '../../data/api-fault.ts';
import {
  findRoleWith,
  GROUP_RIGHTS,
  type GroupRight,
  listGroupRoles,
  permissionsOfRight,
} from '../../data/group-rights.ts';
import type { GroupSummary } from '../../data/group-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { SelectField } from '../../parts/fields.tsx';
import { SuggestField } from '../../parts/suggest-field.tsx';
import { announce } from '../../parts/toasts.tsx';

const ROLES = '/rbac-api/v1/roles';

/** A button for whoever manages roles: it gives a user rights on this group alone. */
export function GroupRightsButton({ group }: { readonly group: GroupSummary }) {
  const mayCreate = usePermission('user_roles', 'create');
  const [isOpen, setOpen] = useState(false);
  if (!mayCreate) return null;
  return (
    <>
      <button type="button" class="button button-small" onClick={() => setOpen(true)}>
        Rights
      </button>
      {isOpen && <RightsDialog group={group} onClose={() => setOpen(false)} />}
    </>
  );
}

function RightsDialog({ group, onClose }: { readonly group: GroupSummary; readonly onClose: () => void }) {
  const users = useAnswer<readonly UserRow[]>('/rbac-api/v1/users');
  const roles = useAnswer<readonly RoleRow[]>(ROLES);
  const [login, setLogin] = useState('');
  const [right, setRight] = useState<GroupRight>('edit');
  const user = users.data?.find((one) => one.login === login.trim() && !one.is_superuser);
  const give = useAction(async () => {
    if (user === undefined || roles.data === null) throw new ApiFault('refused', `There is no user ${login}.`);
    await giveRight(group, right, user, roles.data);
    announce(`${user.login} has rights on ${group.name}.`);
    onClose();
  });
  const holders = listGroupRoles(group.id, roles.data ?? [], users.data ?? []);
  return (
    <ActionDialog
      title={`Rights on ${group.name}`}
      action={give}
      label="Give"
      isIncomplete={user === undefined || roles.data === null}
      onClose={onClose}
    >
      <p>The user gets a role for this group alone: other groups stay out of sight, unless another role shows them.</p>
      <SuggestField
        label="User"
        value={login}
        onChange={setLogin}
        suggestions={(users.data ?? [])
          .filter(({ is_superuser, is_group }) => !is_superuser && !is_group)
          .map((one) => [one.login, one.display_name])}
        placeholder="alice"
        hint={login.trim() !== '' && user === undefined ? 'There is no such user.' : 'The login'}
      />
      <SelectField
        label="May"
        value={right}
        onChange={(value) => setRight(GROUP_RIGHTS.find(([name]) => name === value)?.[0] ?? 'view')}
        options={GROUP_RIGHTS.map(([name, words]) => [name, words])}
      />
      {holders.length > 0 && (
        <>
          <h3>Roles for this group alone</h3>
          <ul class="readers">
            {holders.map(({ role, logins }) => (
              <li key={role.id}>
                {role.display_name}: {logins.length === 0 ? 'nobody' : logins.join(', ')}
              </li>
            ))}
          </ul>
        </>
      )}
    </ActionDialog>
  );
}

/** Adds the user to the role that has the right, which is created for the first one. */
async function giveRight(
  group: GroupSummary,
  right: GroupRight,
  user: UserRow,
  roles: readonly RoleRow[],
): Promise<void> {
  const permissions = permissionsOfRight(right, group.id);
  const known = findRoleWith(permissions, roles);
  if (known !== null) {
    const body = { role_id: known.id, user_ids: [user.id] };
    await callApi('/rbac-api/v1/command/roles/add-users', { method: 'POST', body });
    return;
  }
  const words = { view: 'look', edit: 'change', manage: 'manage' }[right];
  const common = {
    display_name: `Group ${group.name}: ${words}`,
    description: `Rights on the group ${group.name} alone.`,
  };
  await callApi(ROLES, { method: 'POST', body: { ...common, permissions, user_ids: [user.id], group_ids: [] } });
}
