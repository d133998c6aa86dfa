import { AccessRefused, type Permission, type Subject } from '../../../access/accounts/access-control.ts';
import type { AccessService } from '../../../access/accounts/access-service.ts';
import { type Account, API_USER } from '../../../access/accounts/account.ts';
import type { ActivityAction } from '../../../access/accounts/activity-log.ts';
import type { NewRole, Role } from '../../../access/accounts/role-store.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { checkJsonFields, FIELD, nullableField, readJsonFields } from '../../exchange/json-fields.ts';
import {
  type AccessEndpoint,
  checkUuid,
  createAccessRoute,
  demandGrantable,
  demandPermission,
  demandSameId,
  refuseGrant,
  sendCreated,
  sendNothing,
} from './access-endpoint.ts';
import { changeRoles } from './users.ts';

const ROLES = '/rbac-api/v1/roles';

const ROLE_FIELDS = {
  display_name: FIELD.text,
  description: nullableField(FIELD.text),
  permissions: FIELD.objects,
  user_ids: FIELD.texts,
  group_ids: FIELD.texts,
};

/** `GET v1/roles`: all roles with their members. */
export const getRoles = createAccessRoute('GET', ROLES, async (context, { access }) => {
  const [roles, accounts] = await Promise.all([access.roles.list(), access.accounts.list()]);
  return sendJson(
    context,
    roles.map((role) => describeRole(role, accounts)),
  );
});

/** `GET v1/roles/<id>` */
export const getRole = createAccessRoute('GET', `${ROLES}/:id`, async (context, { access }) => {
  const role = await access.roles.get(roleIdIn(context));
  return sendJson(context, describeRole(role, await access.accounts.list()));
});

/** `POST v1/roles` */
export const postRoles = createAccessRoute('POST', ROLES, async (context, { access, subject }) => {
  await demandPermission(access, subject, 'user_roles', 'create', '*');
  const body = await readJsonFields(context, ROLE_FIELDS);
  const members = await findMembers(access, [...body.user_ids, ...body.group_ids]);
  const permissions = readPermissions(body.permissions);
  await demandGrantable(access, subject, permissions);
  const { displayName, description } = { displayName: body.display_name, description: body.description };
  const { id } = await access.roles.create({ displayName, description, permissions });
  for (const member of members) await changeRoles(access, subject, member, (before) => [...before, id]);
  await noteRole(access, subject, { id, displayName }, 'create', `role created: ${displayName}`);
  return sendCreated(`${ROLES}/${id}`);
});

/** `PUT v1/roles/<id>`: the role as a whole, with its members. */
export const putRole = createAccessRoute('PUT', `${ROLES}/:id`, async (context, { access, subject }) => {
  const role = await access.roles.get(roleIdIn(context));
  const { id } = role;
  await demandPermission(access, subject, 'user_roles', 'edit', String(id));
  const body = await readJsonFields(context, { id: FIELD.integer, ...ROLE_FIELDS });
  demandSameId(id, body.id);
  const members = await findMembers(access, [...body.user_ids, ...body.group_ids]);
  const permissions = readPermissions(body.permissions);
  await changeRole(access, subject, id, () => ({
    displayName: body.display_name,
    description: body.description,
    permissions,
  }));
  await setMembers(access, subject, id, members);
  const displayName = body.display_name;
  await noteRole(access, subject, { id, displayName }, 'edit', `role changed: ${displayName}`);
  return sendJson(context, describeRole(await access.roles.get(id), await access.accounts.list()));
});

/** `DELETE v1/roles/<id>` */
export const deleteRole = createAccessRoute('DELETE', `${ROLES}/:id`, async (context, { access, subject }) => {
  const { id, displayName } = await access.roles.get(roleIdIn(context));
  await demandPermission(access, subject, 'user_roles', 'edit', String(id));
  await access.roles.delete(id);
  for (const member of (await access.accounts.list()).filter(({ roleIds }) => roleIds.includes(id))) {
    await access.accounts.change(member, (one) => ({ ...one, roleIds: one.roleIds.filter((other) => other !== id) }));
  }
  await noteRole(access, subject, { id, displayName }, 'delete', `role deleted: ${displayName}`);
  return sendNothing();
});

/** `POST v1/command/roles/…`: adds and removes members and permissions. */
export const roleCommandEndpoints: readonly AccessEndpoint[] = [
  memberCommand('add-users', 'user_ids', true),
  memberCommand('remove-users', 'user_ids', false),
  memberCommand('add-user-groups', 'group_ids', true),
  // The name that the documentation of newer releases and its client have.
  memberCommand('add-groups', 'group_ids', true),
  memberCommand('remove-groups', 'group_ids', false),
  permissionCommand('add-permissions', (had, given) => [...had.filter((one) => !isAmong(one, given)), ...given]),
  permissionCommand('remove-permissions', (had, given) => had.filter((one) => !isAmong(one, given))),
];

function memberCommand(command: string, key: 'user_ids' | 'group_ids', isAdded: boolean): AccessEndpoint {
  return createAccessRoute('POST', `/rbac-api/v1/command/roles/${command}`, async (context, { access, subject }) => {
    const body = await readJsonFields(context, { role_id: FIELD.integer, [key]: FIELD.texts });
    const { id, displayName } = await access.roles.get(Number(body.role_id));
    await demandPermission(access, subject, 'user_roles', 'edit_members', String(id));
    const ids = body[key];
    for (const member of await findMembers(access, Array.isArray(ids) ? ids : [])) {
      await changeRoles(access, subject, member, (before) => withRole(before, id, isAdded));
    }
    await noteRole(access, subject, { id, displayName }, 'edit', `${command}: ${displayName}`);
    return sendNothing();
  });
}

function noteRole(
  access: AccessService,
  subject: Subject,
  { id, displayName }: Pick<Role, 'id' | 'displayName'>,
  action: ActivityAction,
  message: string,
): Promise<void> {
  const objects = [{ type: 'roles', id: String(id), name: displayName } as const];
  return access.noteChange(subject, { service: 'rbac', action, objects, message });
}

type ChangePermissions = (had: readonly Permission[], given: readonly Permission[]) => readonly Permission[];

function permissionCommand(command: string, change: ChangePermissions): AccessEndpoint {
  return createAccessRoute('POST', `/rbac-api/v1/command/roles/${command}`, async (context, { access, subject }) => {
    const body = await readJsonFields(context, { role_id: FIELD.integer, permissions: FIELD.objects });
    const { id, displayName } = await access.roles.get(body.role_id);
    await demandPermission(access, subject, 'user_roles', 'edit', String(id));
    const given = readPermissions(body.permissions);
    await changeRole(access, subject, id, (before) => ({
      ...before,
      permissions: change(before.permissions, given),
    }));
    await noteRole(access, subject, { id, displayName }, 'edit', `${command}: ${displayName}`);
    return sendNothing();
  });
}

/** Changes a role. Rejects with AccessRefused when it gets a permission that `subject` lacks. */
async function changeRole(
  access: AccessService,
  subject: Subject,
  id: number,
  change: (before: Role) => NewRole,
): Promise<void> {
  const had = await access.permissionsOf(subject);
  await access.roles.change(id, (before) => {
    const after = change(before);
    refuseGrant(
      subject,
      had,
      after.permissions.filter((one) => !isAmong(one, before.permissions)),
    );
    return after;
  });
}

/** Makes exactly these accounts the members of a role. */
async function setMembers(access: AccessService, subject: Subject, id: number, members: readonly Account[]) {
  const wanted = new Set(members.map((member) => member.id));
  for (const account of await access.accounts.list()) {
    if (account.id === API_USER.id) continue;
    await changeRoles(access, subject, account, (before) => withRole(before, id, wanted.has(account.id)));
  }
}

function withRole(roleIds: readonly number[], id: number, isWanted: boolean): readonly number[] {
  const others = roleIds.filter((one) => one !== id);
  if (!isWanted) return others;
  return roleIds.includes(id) ? roleIds : [...others, id];
}

/** Rejects with AccessRefused `invalid-associated-id` when one of them does not exist. */
async function findMembers(access: AccessService, ids: readonly string[]): Promise<readonly Account[]> {
  const members: Account[] = [];
  for (const id of new Set(ids)) {
    const account = await access.accounts.findById(checkUuid(id));
    if (account === null) {
      throw new AccessRefused('invalid-associated-id', `There is no user or group with the id ${id}`, { id });
    }
    if (account.id !== API_USER.id) members.push(account);
  }
  return members;
}

/** Reads permissions as the API writes them. Throws AccessRefused. */
export function readPermissions(given: readonly Readonly<Record<string, unknown>>[]): readonly Permission[] {
  return given.map((one) => {
    const { object_type, action, instance } = checkJsonFields(one, PERMISSION_FIELDS);
    return { objectType: object_type, action, instance };
  });
}

const PERMISSION_FIELDS = { object_type: FIELD.text, action: FIELD.text, instance: FIELD.text };

function isAmong({ objectType, action, instance }: Permission, given: readonly Permission[]): boolean {
  return given.some((one) => one.objectType === objectType && one.action === action && one.instance === instance);
}

function describeRole({ id, displayName, description, permissions }: Role, accounts: readonly Account[]) {
  const members = accounts.filter(({ roleIds }) => roleIds.includes(id));
  const idsOf = (isGroup: boolean) => members.filter((one) => one.isGroup === isGroup).map((one) => one.id);
  return {
    id,
    display_name: displayName,
    description,
    permissions: permissions.map(({ objectType, action, instance }) => ({ object_type: objectType, action, instance })),
    user_ids: idsOf(false),
    group_ids: idsOf(true),
  };
}

function roleIdIn(context: HttpContext): number {
  const text = context.req.param('id') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AccessRefused('not-found', `There is no role with the id ${text}`);
}
