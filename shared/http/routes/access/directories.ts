import { AccessRefused, type Subject } from '../../../access/accounts/access-control.ts';
import type { ActivityAction } from '../../../access/accounts/activity-log.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { FIELD, readJsonFields, readRequestObject } from '../../exchange/json-fields.ts';
import {
  type AccessApi,
  createAccessRoute,
  demandGrantable,
  demandPermission,
  sendNothing,
} from './access-endpoint.ts';

const V1 = '/rbac-api/v1';
const V2 = '/rbac-api/v2';
type Api = AccessApi & { readonly subject: Subject };

/** Rejects with AccessRefused (403) without `directory_service:edit`. */
export async function demandDirectoryEdit({ access, subject }: Api): Promise<void> {
  await demandPermission(access, subject, 'directory_service', 'edit', '*');
}

/**
 * Whoever changes a directory, or an identity provider, says who its users are: he needs all that
 * users and groups of directories may do.
 */
export async function demandDirectoryChange(api: Api): Promise<void> {
  await demandDirectoryEdit(api);
  const { access, subject } = api;
  const remote = (await access.accounts.list()).filter(({ isGroup, isRemote }) => isGroup || isRemote);
  for (const account of remote) {
    await demandGrantable(access, subject, await access.permissionsOf({ ...account, isRevoked: false }));
  }
}

function noteDirectory({ access, subject }: Api, action: ActivityAction, id: string, message: string): Promise<void> {
  const objects = [{ type: 'directory_server_settings', id, name: id } as const];
  return access.noteChange(subject, { service: 'rbac', action, objects, message });
}

/** `PUT v1/ds`: the first connection; `{}` deletes it. */
async function putFirst(context: HttpContext, api: Api): Promise<Response> {
  await demandDirectoryChange(api);
  const { directories } = api.access;
  const given = await readRequestObject(context);
  const [first] = await directories.list();
  if (Object.keys(given).length > 0) {
    const id = await directories.put(given, 'private', first?.id);
    await noteDirectory(api, 'edit', id, `directory changed: ${id}`);
    return sendJson(context, await directories.get(id));
  }
  if (first !== undefined) {
    await directories.delete(first.id);
    await noteDirectory(api, 'delete', first.id, `directory deleted: ${first.id}`);
  }
  return sendJson(context, {});
}

/** Connections to directories of users, by LDAP. No answer has a password. */
export const directoryEndpoints = [
  createAccessRoute('GET', `${V2}/ldap`, async (context, api) => {
    await demandDirectoryEdit(api);
    return sendJson(context, await api.access.directories.list());
  }),
  createAccessRoute('GET', `${V2}/ds`, async (context, api) => {
    await demandDirectoryEdit(api);
    return sendJson(context, await api.access.directories.list());
  }),
  createAccessRoute('GET', `${V2}/ldap/:id`, async (context, api) => {
    await demandDirectoryEdit(api);
    return sendJson(context, await api.access.directories.get(context.req.param('id') ?? ''));
  }),
  createAccessRoute('GET', `${V1}/ds`, async (context, api) => {
    await demandDirectoryEdit(api);
    return sendJson(context, (await api.access.directories.list())[0] ?? {});
  }),
  createAccessRoute('PUT', `${V1}/ds`, putFirst),
  createAccessRoute('GET', `${V1}/ds/test`, async (context, api) => {
    await demandDirectoryEdit(api);
    const [first] = await api.access.directories.list();
    if (first === undefined) throw new AccessRefused('not-found', 'There is no directory');
    return sendJson(context, { elapsed: await api.access.directories.test({ ...first }, 'private') });
  }),
  createAccessRoute('PUT', `${V1}/ds/test`, async (context, api) => {
    await demandDirectoryChange(api);
    return sendJson(context, {
      elapsed: await api.access.directories.test(await readRequestObject(context), 'private'),
    });
  }),
  createAccessRoute('POST', `${V1}/command/ldap/test`, async (context, api) => {
    await demandDirectoryChange(api);
    return sendJson(context, {
      elapsed: await api.access.directories.test(await readRequestObject(context), 'private'),
    });
  }),
  createAccessRoute('POST', `${V1}/command/ldap/create`, async (context, api) => {
    await demandDirectoryChange(api);
    const { id: _, ...given } = await readRequestObject(context);
    const id = await api.access.directories.put(given, 'private');
    await noteDirectory(api, 'create', id, `directory created: ${id}`);
    return sendJson(context, { id });
  }),
  createAccessRoute('POST', `${V1}/command/ldap/update`, async (context, api) => {
    await demandDirectoryChange(api);
    const given = await readRequestObject(context);
    if (typeof given.id !== 'string') throw new AccessRefused('schema-violation', "The key 'id' is missing");
    await api.access.directories.put(given, 'private', given.id);
    await noteDirectory(api, 'edit', given.id, `directory changed: ${given.id}`);
    return sendJson(context, await api.access.directories.get(given.id));
  }),
  createAccessRoute('POST', `${V1}/command/ldap/delete`, async (context, api) => {
    await demandDirectoryChange(api);
    const { id } = await readJsonFields(context, { id: FIELD.text });
    await api.access.directories.delete(id);
    await noteDirectory(api, 'delete', id, `directory deleted: ${id}`);
    return sendNothing();
  }),
];
