import { useState } from 'preact/hooks';
import type { PermissionTypeRow, RoleRow } from '../../data/access-shapes.ts';
import { callApi } from '../../data/api-client.ts';
import { type SessionPermission, usePermission } from '../../data/session.ts';
import { useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { AnswerView } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { CheckField, TextField } from '../../parts/fields.tsx';
import { announce } from '../../parts/toasts.tsx';

const ROLES = '/rbac-api/v1/roles';

/** The roles with their members and permissions; who may creates and changes them. */
export function RolesTab() {
  const roles = useAnswer<readonly RoleRow[]>(ROLES);
  const types = useAnswer<readonly PermissionTypeRow[]>('/rbac-api/v1/types');
  const [mayCreate, mayEdit] = [usePermission('user_roles', 'create'), usePermission('user_roles', 'edit')];
  const [edited, setEdited] = useState<RoleRow | 'new' | null>(null);
  const columns: readonly TableColumn<RoleRow>[] = [
    { id: 'name', title: 'Role', show: ({ display_name }) => display_name },
    { id: 'description', title: 'For', isWide: true, show: ({ description }) => description },
    { id: 'members', title: 'Members', isNumeric: true, show: ({ user_ids }) => user_ids.length },
    {
      id: 'permissions',
      title: 'Permissions',
      isWide: true,
      show: ({ permissions }) => <Permissions permissions={permissions} />,
    },
    {
      id: 'actions',
      title: 'Actions',
      show: (role) =>
        mayEdit && !isAdministrators(role) ? (
          <button
            type="button"
            class="button button-small"
            aria-label={`Edit ${role.display_name}`}
            onClick={() => setEdited(role)}
          >
            Edit
          </button>
        ) : null,
    },
  ];
  return (
    <>
      {mayCreate && (
        <div class="filters">
          <button type="button" class="button button-primary" onClick={() => setEdited('new')}>
            New role
          </button>
        </div>
      )}
      <AnswerView answer={roles} what="the roles" lines={8}>
        {(rows) => <DataTable label="Roles" columns={columns} rows={rows} keyOf={({ id }) => String(id)} />}
      </AnswerView>
      {edited !== null && (
        <RoleDialog
          role={edited === 'new' ? null : edited}
          types={types.data ?? []}
          onClose={() => setEdited(null)}
          onDone={roles.reload}
        />
      )}
    </>
  );
}

function isAdministrators({ permissions }: RoleRow): boolean {
  return permissions.some(({ object_type, action }) => object_type === '*' && action === '*');
}

function printPermission({ object_type, action, instance }: SessionPermission): string {
  return object_type === '*' ? 'everything' : `${object_type}:${action}${instance === '*' ? '' : `:${instance}`}`;
}

function Permissions({ permissions }: { readonly permissions: readonly SessionPermission[] }) {
  return <code>{permissions.map(printPermission).join(', ')}</code>;
}

interface RoleDialogProps {
  /** Null for a new role. */
  readonly role: RoleRow | null;
  readonly types: readonly PermissionTypeRow[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function RoleDialog({ role, types, onClose, onDone }: RoleDialogProps) {
  const [name, setName] = useState(role?.display_name ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [permissions, setPermissions] = useState<readonly SessionPermission[]>(role?.permissions ?? []);
  const save = useAction(async () => {
    const common = { display_name: name, description, permissions, group_ids: role?.group_ids ?? [] };
    if (role === null) await callApi(ROLES, { method: 'POST', body: { ...common, user_ids: [] } });
    else await callApi(`${ROLES}/${role.id}`, { method: 'PUT', body: { ...role, ...common } });
    announce(`The role ${name} is saved.`);
    onClose();
    onDone();
  });
  const isHeld = (type: string, action: string) =>
    permissions.some((one) => one.object_type === type && one.action === action && one.instance === '*');
  const toggle = (type: string, action: string) =>
    setPermissions(
      isHeld(type, action)
        ? permissions.filter((one) => one.object_type !== type || one.action !== action || one.instance !== '*')
        : [...permissions, { object_type: type, action, instance: '*' }],
    );
  return (
    <ActionDialog
      title={role === null ? 'New role' : `Edit ${role.display_name}`}
      action={save}
      label="Save"
      isIncomplete={name === ''}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired />
      <TextField label="Description" value={description} onChange={setDescription} />
      <p class="muted">Permissions for single instances stay as they are.</p>
      {types.map((type) => (
        <fieldset key={type.object_type} class="fieldset">
          <legend>{type.display_name}</legend>
          {type.actions.map((action) => (
            <div key={action.name}>
              <CheckField
                label={action.display_name}
                isChecked={isHeld(type.object_type, action.name)}
                onChange={() => toggle(type.object_type, action.name)}
              />
            </div>
          ))}
        </fieldset>
      ))}
    </ActionDialog>
  );
}
