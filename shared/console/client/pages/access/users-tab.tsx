import { useState } from 'preact/hooks';
import type { RoleRow, UserRow } from '../../data/access-shapes.ts';
import { callApi } from '../../data/api-client.ts';
import { createUserCommand, userCommand } from '../../data/commands/cli-commands.ts';
import { usePermission } from '../../data/session.ts';
import { useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import type { ConfirmedAction } from '../../parts/confirm-dialog.tsx';
import { DataTable, sortRows, type TableColumn } from '../../parts/data-table.tsx';
import { CheckField, TextField } from '../../parts/fields.tsx';
import { Pager, readPageNumber } from '../../parts/pager.tsx';
import { type RowAction, RowMenu } from '../../parts/row-menu.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { showCut } from '../../parts/show-cut.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { useParameters } from '../../routing/location.ts';

const PAGE_SIZE = 50;
const USERS = '/rbac-api/v1/users';

/** The users with their roles; who may creates, revokes and reinstates them. */
export function UsersTab() {
  const users = useAnswer<readonly UserRow[]>(USERS);
  const roles = useAnswer<readonly RoleRow[]>('/rbac-api/v1/roles');
  const mayCreate = usePermission('users', 'create');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <div class="filters">
        <SearchBox label="Find a user" name="find" placeholder="alice" />
        {mayCreate && (
          <button type="button" class="button button-primary" onClick={() => setCreating(true)}>
            New user
          </button>
        )}
      </div>
      <AnswerView answer={users} what="the users" lines={8}>
        {(rows) => <UserTable users={rows} roles={roles.data ?? []} onDone={users.reload} />}
      </AnswerView>
      {isCreating && (
        <UserDialog user={null} roles={roles.data ?? []} onClose={() => setCreating(false)} onDone={users.reload} />
      )}
    </>
  );
}

interface UserTableProps {
  readonly users: readonly UserRow[];
  readonly roles: readonly RoleRow[];
  readonly onDone: () => void;
}

function UserTable({ users, roles, onDone }: UserTableProps) {
  const [query] = useParameters();
  const wanted = (query.get('find') ?? '').toLowerCase();
  const found = users.filter((user) =>
    `${user.login} ${user.display_name} ${user.email}`.toLowerCase().includes(wanted),
  );
  const sorted = sortRows(found, query.get('sort') ?? 'login', (user, id) =>
    id === 'login' ? user.login : user.last_login,
  );
  const offset = (readPageNumber(query) - 1) * PAGE_SIZE;
  const rows = sorted.slice(offset, offset + PAGE_SIZE);
  const nameOf = (id: number) => roles.find((role) => role.id === id)?.display_name ?? String(id);
  const columns: readonly TableColumn<UserRow>[] = [
    { id: 'login', title: 'Login', isSortable: true, show: ({ login }) => login },
    { id: 'name', title: 'Name', show: ({ display_name }) => showCut(display_name) },
    { id: 'email', title: 'E-mail', show: ({ email }) => showCut(email) },
    {
      id: 'roles',
      title: 'Roles',
      isWide: true,
      show: ({ role_ids, is_superuser }) =>
        showCut(is_superuser ? 'may do everything' : role_ids.map(nameOf).join(', ')),
    },
    { id: 'state', title: 'State', show: ({ is_revoked }) => <StateBadge state={is_revoked ? 'revoked' : 'active'} /> },
    {
      id: 'last_login',
      title: 'Last log-in',
      isSortable: true,
      show: ({ last_login }) => <RelativeTime at={last_login} />,
    },
    { id: 'actions', title: 'Actions', show: (user) => <UserActions user={user} roles={roles} onDone={onDone} /> },
  ];
  if (rows.length === 0) return <EmptyState title="No user matches." />;
  return (
    <div class="one-line-rows">
      <DataTable label="Users" columns={columns} rows={rows} keyOf={({ id }) => id} defaultSort="login" />
      <Pager shown={rows.length} total={found.length} offset={offset} pageSize={PAGE_SIZE} />
    </div>
  );
}

interface UserActionsProps {
  readonly user: UserRow;
  readonly roles: readonly RoleRow[];
  readonly onDone: () => void;
}

function UserActions({ user, roles, onDone }: UserActionsProps) {
  const mayEdit = usePermission('users', 'edit', user.id);
  const mayDisable = usePermission('users', 'disable', user.id);
  const [isEditing, setEditing] = useState(false);
  if (user.is_superuser) return null;
  const actions: readonly RowAction[] = [
    ...(mayEdit ? [{ label: 'Edit', onChoose: () => setEditing(true) }] : []),
    ...(mayDisable ? [user.is_revoked ? reinstatementOf(user, onDone) : revocationOf(user, onDone)] : []),
  ];
  return (
    <>
      <RowMenu of={user.login} actions={actions} />
      {isEditing && <UserDialog user={user} roles={roles} onClose={() => setEditing(false)} onDone={onDone} />}
    </>
  );
}

function revocationOf({ id, login }: UserRow, onDone: () => void): ConfirmedAction {
  return {
    label: 'Revoke',
    question: `Revoke ${login}?`,
    done: `${login} is revoked.`,
    tone: 'danger',
    command: userCommand('revoke', login),
    perform: () => commandUser('revoke', id, onDone),
    children:
      'The user can no longer log in, and all tokens of the user end. Roles, jobs and what the log says of the user ' +
      'stay: the user can be reinstated.',
  };
}

function reinstatementOf({ id, login }: UserRow, onDone: () => void): ConfirmedAction {
  return {
    label: 'Reinstate',
    question: `Reinstate ${login}?`,
    done: `${login} is reinstated.`,
    command: userCommand('reinstate', login),
    perform: () => commandUser('reinstate', id, onDone),
    children: 'The user can log in again, with the roles of before. Tokens that ended stay so.',
  };
}

async function commandUser(command: 'revoke' | 'reinstate', id: string, onDone: () => void): Promise<void> {
  await callApi(`/rbac-api/v1/command/users/${command}`, { method: 'POST', body: { user_id: id } });
  onDone();
}

interface UserDialogProps extends Omit<UserActionsProps, 'user'> {
  /** Null for a new user. */
  readonly user: UserRow | null;
  readonly onClose: () => void;
}

function UserDialog({ user, roles, onClose, onDone }: UserDialogProps) {
  const [login, setLogin] = useState(user?.login ?? '');
  const [name, setName] = useState(user?.display_name ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [password, setPassword] = useState('');
  const [chosen, setChosen] = useState<readonly number[]>(user?.role_ids ?? []);
  const save = useAction(async () => {
    const body = { login, email, display_name: name, role_ids: chosen };
    if (user === null) await callApi(USERS, { method: 'POST', body: { ...body, password } });
    else await callApi(`${USERS}/${user.id}`, { method: 'PUT', body: { ...user, ...body } });
    announce(`The user ${login} is saved.`);
    onClose();
    onDone();
  });
  const chosenNames = roles.filter(({ id }) => chosen.includes(id)).map(({ display_name }) => display_name);
  const isComplete = login !== '' && (user !== null || password !== '');
  return (
    <ActionDialog
      title={user === null ? 'New user' : `Edit ${user.login}`}
      action={save}
      label="Save"
      isIncomplete={!isComplete}
      command={user === null && login !== '' ? createUserCommand({ login, email, name, roles: chosenNames }) : null}
      commandPlace="On the server; it asks for the password"
      onClose={onClose}
    >
      {user === null && <TextField label="Login" value={login} onChange={setLogin} isRequired />}
      <TextField label="Name" value={name} onChange={setName} />
      <TextField label="E-mail" value={email} onChange={setEmail} />
      {user === null && (
        <TextField
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          isRequired
        />
      )}
      <fieldset class="fieldset">
        <legend>Roles</legend>
        {roles.map(({ id, display_name }) => (
          <div key={id}>
            <CheckField
              label={display_name}
              isChecked={chosen.includes(id)}
              onChange={(isChosen) => setChosen(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id))}
            />
          </div>
        ))}
      </fieldset>
    </ActionDialog>
  );
}
