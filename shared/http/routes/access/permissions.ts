import { AccessRefused, type Subject } from '../../../access/accounts/access-control.ts';
import { findAction, PERMISSION_TYPES } from '../../../access/accounts/permission-types.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { FIELD, readJsonFields } from '../../exchange/json-fields.ts';
import { type AccessApi, checkUuid, createAccessRoute, uuidIn } from './access-endpoint.ts';
import { readPermissions } from './roles.ts';

/** `GET v1/types`: what there is to permit. */
export const getTypes = createAccessRoute('GET', '/rbac-api/v1/types', async (context) => {
  const types = PERMISSION_TYPES.map(({ objectType, displayName, description, actions }) => ({
    object_type: objectType,
    display_name: displayName,
    description,
    actions: actions.map((action) => ({
      name: action.name,
      display_name: action.displayName,
      description: action.description,
      has_instances: action.hasInstances,
    })),
  }));
  return sendJson(context, types);
});

/** `POST v1/permitted`: whether a user or group has permissions, one answer for each, in order. */
export const postPermitted = createAccessRoute('POST', '/rbac-api/v1/permitted', async (context, { access }) => {
  const body = await readJsonFields(context, { token: FIELD.text, permissions: FIELD.objects });
  const account = await access.accounts.getById(checkUuid(body.token));
  const answers: boolean[] = [];
  for (const permission of readPermissions(body.permissions)) {
    answers.push(await access.isPermitted(account, permission));
  }
  return sendJson(context, answers);
});

/** `GET v1/permitted/<type>/<action>`: the instances for which the asking user has a permission. */
export const getPermitted = createAccessRoute('GET', '/rbac-api/v1/permitted/:type/:action', async (context, api) => {
  const { subject } = api;

  const { type = '', action = '' } = context.req.param();
  return sendJson(context, await listInstances(api, subject, type, action));
});

/** `GET v1/permitted/<type>/<action>/<id>`: the same for another user. */
export const getPermittedOf = createAccessRoute(
  'GET',
  '/rbac-api/v1/permitted/:type/:action/:id',
  async (context, api) => {
    const { access } = api;

    const { type = '', action = '' } = context.req.param();
    const account = await access.accounts.getById(uuidIn(context, 'id'));
    return sendJson(context, await listInstances(api, account, type, action));
  },
);

async function listInstances({ access }: AccessApi, subject: Subject, type: string, action: string) {
  if (findAction(type, action) === null) {
    throw new AccessRefused('not-found', `There is no action '${action}' of object type '${type}'`);
  }
  const permissions = await access.permissionsOf(subject);
  const covers = (pattern: string, text: string) => pattern === '*' || pattern === text;
  const found = permissions.filter((had) => covers(had.objectType, type) && covers(had.action, action));
  return [...new Set(found.map(({ instance }) => instance))].sort();
}
