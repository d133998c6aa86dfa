import { AccessRefused } from '../../../access/accounts/access-control.ts';
import type { AccessService } from '../../../access/accounts/access-service.ts';
import type { Account } from '../../../access/accounts/account.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { FIELD, optionalField, readJsonFields } from '../../exchange/json-fields.ts';
import { createRoute } from '../../route.ts';
import {
  type AccessApi,
  demandPermission,
  demandPower,
  demandSubject,
  sendCreated,
  sendNothing,
  uuidIn,
} from './access-endpoint.ts';
import { describeGroup } from './describe-account.ts';
import { changeRoles, demandRoles, noteChange, readIdFilter } from './users.ts';

const GROUPS = '/rbac-api/v1/groups';

/** `GET v1/groups`: all groups of a directory, or those of `?id=a,b`. */
export const getGroups = createRoute<AccessApi>('GET', GROUPS, async (context, api) => {
  await demandSubject(context, api);
  const wanted = readIdFilter(context);
  const groups = (await api.access.accounts.list()).filter(({ isGroup }) => isGroup);
  return sendJson(context, groups.filter(({ id }) => wanted?.has(id) ?? true).map(describeGroup));
});

/** `GET v1/groups/<id>` */
export const getGroup = createRoute<AccessApi>('GET', `${GROUPS}/:id`, async (context, api) => {
  await demandSubject(context, api);
  return sendJson(context, describeGroup(await findGroup(api.access, uuidIn(context, 'id'))));
});

/** `POST v1/groups`: a group of a directory, with roles for its users. */
export const postGroups = createRoute<AccessApi>('POST', GROUPS, async (context, api) => {
  const subject = await demandSubject(context, api);
  const { access } = api;
  await demandPermission(access, subject, 'user_groups', 'import', '*');
  const body = await readJsonFields(context, {
    login: FIELD.text,
    role_ids: FIELD.integers,
    display_name: optionalField(FIELD.text),
  });
  await demandRoles(access, subject, { all: body.role_ids, added: body.role_ids });
  const { id, login } = await access.accounts.create({
    login: body.login,
    email: '',
    displayName: body.display_name ?? body.login,
    isGroup: true,
    roleIds: [...new Set(body.role_ids)],
    password: null,
  });
  noteChange(access, subject, `group created: ${login}`);
  return sendCreated(`${GROUPS}/${id}`);
});

/** `PUT v1/groups/<id>`: other roles and another name for a group. */
export const putGroup = createRoute<AccessApi>('PUT', `${GROUPS}/:id`, async (context, api) => {
  const subject = await demandSubject(context, api);
  const { access } = api;
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
  if (body.id.toLowerCase() !== group.id) {
    const details = { 'url-id': group.id, 'body-id': body.id };
    throw new AccessRefused('inconsistent-id', 'The id in the body is not that of the address', details);
  }
  await changeRoles(access, subject, group, () => body.role_ids);
  const changed = await access.accounts.change(group, (before) => ({ ...before, displayName: body.display_name }));
  noteChange(access, subject, `group changed: ${group.login}`);
  return sendJson(context, describeGroup(changed));
});

/** `DELETE v1/groups/<id>` */
export const deleteGroup = createRoute<AccessApi>('DELETE', `${GROUPS}/:id`, async (context, api) => {
  const subject = await demandSubject(context, api);
  await demandPermission(api.access, subject, 'user_groups', 'import', '*');
  const group = await findGroup(api.access, uuidIn(context, 'id'));
  await demandPower(api.access, subject, group);
  await api.access.accounts.delete(group);
  noteChange(api.access, subject, `group deleted: ${group.login}`);
  return sendNothing();
});

async function findGroup(access: AccessService, id: string): Promise<Account> {
  const account = await access.accounts.getById(id);
  if (account.isGroup) return account;
  throw new AccessRefused('not-found', `There is no group with the id ${id}`);
}
