import { AccessRefused, type Subject } from '../../../access/accounts/access-control.ts';
import { type AccessService, describeAccountChange } from '../../../access/accounts/access-service.ts';
import type { Account } from '../../../access/accounts/account.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { FIELD, optionalField, readJsonFields } from '../../exchange/json-fields.ts';
import {
  createAccessRoute,
  demandPermission,
  demandPower,
  demandSameId,
  sendCreated,
  sendNothing,
  uuidIn,
} from './access-endpoint.ts';
import { describeGroup } from './describe-account.ts';
import { changeRoles, demandRoles, readIdFilter } from './users.ts';

const GROUPS = '/rbac-api/v1/groups';

/** `GET v1/groups`: all groups of a directory, or those of `?id=a,b`. */
export const getGroups = createAccessRoute('GET', GROUPS, async (context, { access }) => {
  const wanted = readIdFilter(context);
  const accounts = await access.accounts.list();
  const groups = accounts.filter(({ id, isGroup }) => isGroup && (wanted?.has(id) ?? true));
  return sendJson(
    context,
    groups.map((group) => describeGroup(group, accounts)),
  );
});

/** `GET v1/groups/<id>` */
export const getGroup = createAccessRoute('GET', `${GROUPS}/:id`, async (context, { access }) =>
  sendJson(context, describeGroup(await findGroup(access, uuidIn(context, 'id')), await access.accounts.list())),
);

/**
 * `POST v1/groups`, `v2/groups`, `v1/command/groups/create`: a group of a directory, with roles for
 * its users. Newer releases name the directory in `identity_provider_id`.
 */
export const groupCreationEndpoints = [GROUPS, '/rbac-api/v2/groups', '/rbac-api/v1/command/groups/create'].map(
  (path) => createAccessRoute('POST', path, createGroup),
);

async function createGroup(
  context: HttpContext,
  { access, subject }: { readonly access: AccessService; readonly subject: Subject },
): Promise<Response> {
  await demandPermission(access, subject, 'user_groups', 'import', '*');
  const body = await readJsonFields(context, {
    login: FIELD.text,
    role_ids: FIELD.integers,
    display_name: optionalField(FIELD.text),
    identity_provider_id: optionalField(FIELD.text),
    validate: optionalField(FIELD.flag),
  });
  await demandRoles(access, subject, { all: body.role_ids, added: body.role_ids });
  const group = await access.accounts.create({
    login: body.login,
    email: '',
    displayName: body.display_name ?? body.login,
    isGroup: true,
    roleIds: [...new Set(body.role_ids)],
    password: null,
  });
  await access.noteChange(subject, describeAccountChange(group, 'create', `group created: ${group.login}`));
  return sendCreated(`${GROUPS}/${group.id}`);
}

/** `PUT v1/groups/<id>`: other roles and another name for a group. */
export const putGroup = createAccessRoute('PUT', `${GROUPS}/:id`, async (context, { access, subject }) => {
  await demandPermission(access, subject, 'user_groups', 'import', '*');
  const group = await findGroup(access, uuidIn(context, 'id'));
  const body = await readJsonFields(context, {
    id: FIELD.text,
    login: FIELD.text,
    display_name: FIELD.text,
    role_ids: FIELD.integers,
    user_ids: FIELD.texts,
    is_group: FIELD.flag,
    is_remote: FIELD.flag,
    is_superuser: FIELD.flag,
    is_revoked: FIELD.flag,
  });
  demandSameId(group.id, body.id);
  await changeRoles(access, subject, group, () => body.role_ids);
  const changed = await access.accounts.change(group, (before) => ({ ...before, displayName: body.display_name }));
  await access.noteChange(subject, describeAccountChange(group, 'edit', `group changed: ${group.login}`));
  return sendJson(context, describeGroup(changed, await access.accounts.list()));
});

/** `DELETE v1/groups/<id>` */
export const deleteGroup = createAccessRoute('DELETE', `${GROUPS}/:id`, async (context, { access, subject }) => {
  await demandPermission(access, subject, 'user_groups', 'import', '*');
  const group = await findGroup(access, uuidIn(context, 'id'));
  await demandPower(access, subject, group);
  await access.accounts.delete(group);
  await access.noteChange(subject, describeAccountChange(group, 'delete', `group deleted: ${group.login}`));
  return sendNothing();
});

async function findGroup(access: AccessService, id: string): Promise<Account> {
  const account = await access.accounts.getById(id);
  if (account.isGroup) return account;
  throw new AccessRefused('not-found', `There is no group with the id ${id}`);
}
