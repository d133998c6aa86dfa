import { AccessRefused, type Subject } from '../../../access/accounts/access-control.ts';
import { type AccessService, describeAccountChange } from '../../../access/accounts/access-service.ts';
import { type Account, ADMINISTRATORS_ROLE, API_USER } from '../../../access/accounts/account.ts';
import { isAdmin } from '../../../access/accounts/account-store.ts';
import { isUuid } from '../../../util/uuid.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { FIELD, nullableField, optionalField, readJsonFields } from '../../exchange/json-fields.ts';
import {
  type AccessEndpoint,
  checkUuid,
  createAccessRoute,
  demandGrantable,
  demandPermission,
  demandPower,
  demandSameId,
  sendCreated,
  sendNothing,
  uuidIn,
} from './access-endpoint.ts';
import { describeAccount } from './describe-account.ts';
import { readResultPage, sortPage } from './result-page.ts';

const USERS = '/rbac-api/v1/users';
const OF_USER = `${USERS}/:id`;

/** `GET v1/users`: all users, or those of `?id=a,b`. */
export const getUsers = createAccessRoute('GET', USERS, async (context, { access }) => {
  const wanted = readIdFilter(context);
  const accounts = await access.accounts.list();
  const users = accounts.filter(({ id, isGroup }) => !isGroup && (wanted?.has(id) ?? true));
  return sendJson(
    context,
    users.map((user) => describeAccount(user, accounts)),
  );
});

const ORDERS = {
  id: 'id',
  login: 'login',
  email: 'email',
  display_name: 'display_name',
  last_login: 'last_login',
} as const;
const USUAL_LIMIT = 500;

/** `GET v2/users`: a page of the users whose login, e-mail or name has the text of `filter`. */
export const getUsersPage = createAccessRoute('GET', '/rbac-api/v2/users', async (context, { access }) => {
  const filter = context.req.query('filter') ?? '';
  const page = readResultPage<ReturnType<typeof describeAccount>>(context, ORDERS, 'id', USUAL_LIMIT);
  const wanted = filter.toLowerCase();
  const accounts = await access.accounts.list();
  const users = accounts
    .filter(({ isGroup }) => !isGroup)
    .filter((one) => [one.login, one.email, one.displayName].some((text) => text.toLowerCase().includes(wanted)))
    .map((user) => describeAccount(user, accounts));
  const { items, pagination } = sortPage(users, page);
  const roles = context.req.query('include_roles') === 'true' ? await describeRolesOf(access) : null;
  const shown = roles === null ? items : items.map((one) => ({ ...one, roles: roles(one.role_ids) }));
  return sendJson(context, { users: shown, pagination: { ...pagination, filter } });
});

/** Names the roles with these ids. */
async function describeRolesOf(access: AccessService) {
  const roles = await access.roles.list();
  return (ids: readonly number[]) =>
    roles
      .filter(({ id }) => ids.includes(id))
      .map(({ id, displayName, description }) => ({ id, display_name: displayName, description }));
}

/** `GET v1/users/current`: who asks. */
export const getCurrentUser = createAccessRoute(
  'GET',
  `${USERS}/current`,
  async (context, { access, subject: { id } }) =>
    sendJson(context, await describeUser(access, await access.accounts.getById(id))),
);

/** `GET v1/users/<id>` */
export const getUser = createAccessRoute('GET', OF_USER, async (context, { access }) =>
  sendJson(context, await describeUser(access, await findUser(access, uuidIn(context, 'id')))),
);

async function describeUser(access: AccessService, user: Account) {
  return describeAccount(user, user.isRemote ? await access.accounts.list() : []);
}

/** `POST v1/users`: a local user. */
export const postUsers = createAccessRoute('POST', USERS, async (context, { access, subject }) => {
  await demandPermission(access, subject, 'users', 'create', '*');
  const body = await readJsonFields(context, {
    login: FIELD.text,
    email: FIELD.text,
    display_name: FIELD.text,
    role_ids: FIELD.integers,
    password: optionalField(nullableField(FIELD.text)),
  });
  await demandRoles(access, subject, { all: body.role_ids, added: body.role_ids });
  const account = await access.accounts.create({
    login: body.login,
    email: body.email,
    displayName: body.display_name,
    isGroup: false,
    roleIds: unique(body.role_ids),
    password: typeof body.password === 'string' ? await access.hash(body.password) : null,
  });
  await access.noteChange(subject, describeAccountChange(account, 'create', `user created: ${account.login}`));
  return sendCreated(`${USERS}/${account.id}`);
});

/** `PUT v1/users/<id>`: the user as a whole; e-mail, name, roles and revocation can change. */
export const putUser = createAccessRoute('PUT', OF_USER, async (context, { access, subject }) => {
  const account = await findChangeable(access, subject, uuidIn(context, 'id'));
  await demandPermission(access, subject, 'users', 'edit', account.id);
  const body = await readJsonFields(context, {
    id: FIELD.text,
    login: FIELD.text,
    email: FIELD.text,
    display_name: FIELD.text,
    role_ids: FIELD.integers,
    is_group: FIELD.flag,
    is_remote: FIELD.flag,
    is_superuser: FIELD.flag,
    is_revoked: FIELD.flag,
    last_login: nullableField(FIELD.text),
  });
  checkIdentity(account, body);
  await changeRoles(access, subject, account, () => body.role_ids);
  await setRevoked(access, subject, account, body.is_revoked);
  const changed = await access.accounts.change(account, (before) => ({
    ...before,
    email: body.email,
    displayName: body.display_name,
  }));
  await access.noteChange(subject, describeAccountChange(account, 'edit', `user changed: ${account.login}`));
  return sendJson(context, await describeUser(access, changed));
});

/** `DELETE v1/users/<id>` */
export const deleteUser = createAccessRoute('DELETE', OF_USER, async (context, { access, subject }) => {
  const account = await findChangeable(access, subject, uuidIn(context, 'id'));
  if (isAdmin(account)) throw new AccessRefused('admin-user-immutable', 'The user admin cannot be deleted');
  await demandPermission(access, subject, 'users', 'disable', account.id);
  await access.accounts.delete(account);
  await access.noteChange(subject, describeAccountChange(account, 'delete', `user deleted: ${account.login}`));
  return sendNothing();
});

/** `POST v1/command/users/{add-roles,remove-roles}` and `{revoke,reinstate}`. */
export const userCommandEndpoints: readonly AccessEndpoint[] = [
  ...['add-roles', 'remove-roles'].map(
    (command): AccessEndpoint =>
      createAccessRoute('POST', `/rbac-api/v1/command/users/${command}`, async (context, { access, subject }) => {
        const body = await readJsonFields(context, { user_id: FIELD.text, role_ids: FIELD.integers });
        const account = await findChangeable(access, subject, checkUuid(body.user_id));
        await access.roles.demand(body.role_ids);
        await changeRoles(access, subject, account, (before) =>
          command === 'add-roles'
            ? unique([...before, ...body.role_ids])
            : before.filter((id) => !body.role_ids.includes(id)),
        );
        const message = `${command} ${body.role_ids.join(', ')}: ${account.login}`;
        await access.noteChange(subject, describeAccountChange(account, 'edit', message));
        return sendNothing();
      }),
  ),
  ...['revoke', 'reinstate'].map(
    (command): AccessEndpoint =>
      createAccessRoute('POST', `/rbac-api/v1/command/users/${command}`, async (context, { access, subject }) => {
        const { user_id: id } = await readJsonFields(context, { user_id: FIELD.text });
        const account = await findChangeable(access, subject, checkUuid(id));
        await demandPermission(access, subject, 'users', 'disable', account.id);
        if (command === 'revoke') await access.revoke(account);
        else await access.reinstate(account);
        await access.noteChange(subject, describeAccountChange(account, 'edit', `${command}: ${account.login}`));
        return sendNothing();
      }),
  ),
];

/** Gives an account other roles. Rejects with AccessRefused without permission for each. */
export async function changeRoles(
  access: AccessService,
  subject: Subject,
  account: Account,
  change: (before: readonly number[]) => readonly number[],
): Promise<void> {
  const after = change(account.roleIds);
  const added = after.filter((id) => !account.roleIds.includes(id));
  const removed = account.roleIds.filter((id) => !after.includes(id));
  if (added.length + removed.length === 0) return;
  await demandPower(access, subject, account);
  await demandRoles(access, subject, { all: after, added, removed });
  if (isAdmin(account) && !after.includes(ADMINISTRATORS_ROLE)) {
    throw new AccessRefused('admin-user-not-in-admin-role', 'The user admin keeps the role Administrators');
  }
  // Only what was checked: roles that came or went meanwhile stay as they are.
  await access.accounts.change(account, (before) => ({
    ...before,
    roleIds: unique([...before.roleIds.filter((id) => !removed.includes(id)), ...added]),
  }));
}

interface RoleChange {
  /** The roles that an account gets. */
  readonly all: readonly number[];
  readonly added: readonly number[];
  readonly removed?: readonly number[];
}

/**
 * Rejects with AccessRefused unless all roles exist, and `subject` may change who has those that
 * come and go, and may do all that the new ones permit.
 */
export async function demandRoles(
  access: AccessService,
  subject: Subject,
  { all, added, removed = [] }: RoleChange,
): Promise<void> {
  await access.roles.demand(all);
  for (const id of [...added, ...removed]) {
    await demandPermission(access, subject, 'user_roles', 'edit_members', String(id));
  }
  await demandGrantable(access, subject, await access.roles.permissionsOf(added));
}

async function setRevoked(access: AccessService, subject: Subject, account: Account, isRevoked: boolean) {
  if (account.isRevoked === isRevoked) return;
  await demandPermission(access, subject, 'users', 'disable', account.id);
  if (isRevoked) await access.revoke(account);
  else await access.reinstate(account);
}

interface Identity {
  readonly id: string;
  readonly login: string;
  readonly is_group: boolean;
  readonly is_remote: boolean;
  readonly is_superuser: boolean;
}

function checkIdentity(account: Account, body: Identity): void {
  demandSameId(account.id, body.id);
  const isSame =
    body.is_group === account.isGroup &&
    body.is_remote === account.isRemote &&
    body.is_superuser === account.isSuperuser;
  if (isAdmin(account) && !isSame) throw new AccessRefused('admin-user-immutable', 'The user admin stays a superuser');
  if (isSame && body.login === account.login) return;
  throw new AccessRefused('schema-violation', 'login, is_group, is_remote and is_superuser cannot be changed');
}

async function findUser(access: AccessService, id: string): Promise<Account> {
  const account = await access.accounts.getById(id);
  if (account.isGroup) throw new AccessRefused('not-found', `There is no user with the id ${id}`);
  return account;
}

/**
 * The user whom `subject` may change. Rejects with AccessRefused for groups, `api_user`, and for
 * administrators unless `subject` is one.
 */
export async function findChangeable(access: AccessService, subject: Subject, id: string): Promise<Account> {
  const account = await findUser(access, id);
  if (account.id === API_USER.id) throw new AccessRefused('permission-denied', 'The user api_user cannot be changed');
  await demandPower(access, subject, account);
  return account;
}

/** The ids of `?id=a,b`; null for all. Throws AccessRefused. */
export function readIdFilter({ req }: HttpContext): ReadonlySet<string> | null {
  const text = req.query('id');
  if (text === undefined) return null;
  const ids = text.split(',');
  if (ids.every(isUuid)) return new Set(ids.map((id) => id.toLowerCase()));
  throw new AccessRefused('invalid-id-filter', `'${text}' is not a list of UUIDs, separated by commas`);
}

function unique(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)];
}
