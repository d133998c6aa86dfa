import { contentOf } from '../../../shared/fleet/groups/change-group.ts';
import { GroupHierarchy } from '../../../shared/fleet/groups/group-hierarchy.ts';
import { GroupService } from '../../../shared/fleet/groups/group-service.ts';
import { printGroup, ROOT_ID } from '../../../shared/fleet/groups/node-group.ts';
import type { FetchApp } from '../../../shared/http/listener/node-listener.ts';
import { createAccessApp } from '../../../shared/http/operator/access-app.ts';
import { type AccessWorld, CountingSecrets, openAccessWorld } from '../access-world.ts';
import { listClasses, NO_FORMS, openUnlinkedStores } from '../classifier-door.ts';
import { MemoryBlobs, MemoryDocuments } from '../memory-stores.ts';
import { IdentityProvider } from '../saml/identity-provider.ts';
import { type Identity, type RouteRequest, requestOf, routesOf, type Surface } from './describe-surface.ts';
import { listUsers } from './user-identities.ts';

const NOBODY = '11111111-1111-4111-8111-111111111111';
const OWN = '22222222-2222-4222-8222-222222222222';
const CHILD = '33333333-3333-4333-8333-333333333333';
const ABOUT = ['node_groups', 'nodes:view_data', 'user_groups', 'user_roles', 'users'];
const RULE = ['=', ['fact', 'os'], 'linux'] as const;

/** Users, and those of them who ask. */
export interface UserWorld {
  readonly world: AccessWorld;
  readonly documents: MemoryDocuments;
  readonly listIdentities: typeof listUsers;
}

export function openUserWorld(listIdentities: typeof listUsers): UserWorld {
  const documents = new MemoryDocuments();
  return { documents, world: openAccessWorld({}, documents), listIdentities };
}

/** An API for users, and users who ask. */
export interface UserSurface extends Surface<string | null> {
  readonly app: FetchApp;
  readonly identities: readonly Identity<string | null>[];
}

/** Asks an app as users do. */
export function askAs(app: FetchApp) {
  return async (method: string, request: RouteRequest, token: string | null): Promise<number> => {
    const sent = requestOf(method, request);
    if (token !== null) sent.headers.set('X-Authentication', token);
    const answer = await app.fetch(sent, { peer: null });
    await answer.body?.cancel();
    return answer.status;
  };
}

/** The access API with the classifier's: each request is about a user, a role, or a node group. */
export async function openAccessSurface(given: UserWorld = openUserWorld(listUsers)): Promise<UserSurface> {
  const { world, documents, listIdentities } = given;
  const { access, clock } = world;
  const stores = openUnlinkedStores(clock);
  const blobs = new MemoryBlobs(clock);
  const classes = listClasses({ production: { web: ['port'] } });
  const groups = new GroupService({ ...stores, blobs, secrets: new CountingSecrets() }, classes);
  const permissions = [{ objectType: 'console_page', action: 'view', instance: '*' }];
  const role = await access.roles.create({ displayName: 'Target', description: null, permissions });
  const user = await world.addUser('target', [role.id]);
  const group = await access.accounts.create({ ...user, login: 'group', isGroup: true, roleIds: [], password: null });
  await groups.create({ id: OWN, name: 'Own', parent: ROOT_ID, classes: { web: { port: 80 } }, rule: RULE });
  await groups.create({ id: CHILD, name: 'Child', parent: OWN, classes: {} });
  await stores.nodes.markSeen('web01.example.com', 'production', 1);
  const own = { user_roles: String(role.id), users: user.id, node_groups: OWN };
  const identities = await listIdentities(world, { own, about: ABOUT });
  const directory = await access.directories.put({ ...LDAP, hostname: '127.0.0.1', port: 1 }, 'own');
  const token = await world.tokenOf('target');
  const provider = await IdentityProvider.open();
  await access.saml.put(provider.settings());
  const [before, kept] = [documents.copy(), (await groups.read()).hierarchy.groups];
  const services = { access, isRevoked: async () => false, clock, log: { logError: () => {} } };
  const classifier = { groups, forms: NO_FORMS, onChanged: () => {}, nodes: stores.nodes, blobs, clock };
  const app = createAccessApp({ ...services, classifier });
  return {
    app,
    identities,
    routes: routesOf(app),
    requests: {
      ...requestsOfAccess({ role: role.id, user: user.id, group: group.id, directory, token }),
      [`PUT ${SAML}`]: { path: SAML, body: provider.settings() },
      [`DELETE ${SAML}`]: { path: SAML },
      ...REQUESTS_OF_GROUPS,
    },
    ask: askAs(app),
    async renew() {
      documents.restore(before);
      await groups.replaceAll(kept.map(({ id, ...one }) => ({ id, ...contentOf(one) })));
    },
  };
}

/** Requests of routes that the console's door does not have. */
export const REQUESTS_OF_ACTIVITIES: Surface<null>['requests'] = {
  'GET /activity-api/v1/events': { path: '/activity-api/v1/events?service_id=rbac' },
  'GET /activity-api/v1/events.csv': { path: '/activity-api/v1/events.csv?service_id=rbac' },
};

const SAML = '/rbac-api/v1/saml';

/** Settings of a directory, which no request connects to. */
const LDAP = {
  ...{ display_name: 'Other', hostname: '192.0.2.1', port: 636, base_dn: 'dc=example,dc=com' },
  user_lookup_attr: 'uid',
};

interface Targets {
  readonly role: number;
  readonly user: string;
  readonly group: string;
  readonly directory: string;
  readonly token: string;
}

function requestsOfAccess({ role, user, group, directory, token }: Targets): Surface<null>['requests'] {
  const v1 = '/rbac-api/v1';
  const permissions = [{ object_type: 'console_page', action: 'view', instance: '*' }];
  const others = [{ object_type: 'orchestrator', action: 'view', instance: '*' }];
  const flags = { is_group: false, is_remote: false, is_superuser: false, is_revoked: false };
  const names = { email: 'target@example.com', display_name: 'Other' };
  const newRole = { display_name: 'New', description: null, permissions, user_ids: [], group_ids: [] };
  const command = (name: string, body: object) => ({
    [`POST ${v1}/command/${name}`]: { path: `${v1}/command/${name}`, body },
  });
  return {
    [`POST ${v1}/auth/token`]: { path: `${v1}/auth/token`, body: { login: 'target', password: 'Welc0me!' } },
    [`POST ${v1}/tokens`]: { path: `${v1}/tokens`, body: {} },
    'POST /rbac-api/v2/auth/token/authenticate': { path: '/rbac-api/v2/auth/token/authenticate', body: { token } },
    'DELETE /rbac-api/v2/tokens': { path: `/rbac-api/v2/tokens?revoke_tokens_by_usernames=target` },
    'DELETE /rbac-api/v2/tokens/:token': { path: `/rbac-api/v2/tokens/${token}` },
    [`GET ${v1}/users/:id/tokens`]: { path: `${v1}/users/${user}/tokens` },
    [`GET ${v1}/users/:id`]: { path: `${v1}/users/${user}` },
    [`POST ${v1}/users`]: { path: `${v1}/users`, body: { login: 'new', ...names, role_ids: [], password: 'Welc0me!' } },
    [`PUT ${v1}/users/:id`]: {
      path: `${v1}/users/${user}`,
      body: { id: user, login: 'target', ...names, role_ids: [role], ...flags, last_login: null },
    },
    [`POST ${v1}/users/:id/password/reset`]: { path: `${v1}/users/${user}/password/reset` },
    [`POST ${v1}/auth/reset`]: { path: `${v1}/auth/reset`, body: { token: 'unknown', password: 'Welc0me!' } },
    [`PUT ${v1}/users/current/password`]: {
      path: `${v1}/users/current/password`,
      body: { current_password: 'Welc0me!', password: 'Welc0me!' },
    },
    ...command('validate-password', { password: 'Welc0me!' }),
    ...command('validate-login', { login: 'new' }),
    [`DELETE ${v1}/users/:id`]: { path: `${v1}/users/${user}` },
    ...command('users/add-roles', { user_id: user, role_ids: [3] }),
    ...command('users/remove-roles', { user_id: user, role_ids: [role] }),
    ...command('users/revoke', { user_id: user }),
    ...command('users/reinstate', { user_id: user }),
    [`GET ${v1}/groups/:id`]: { path: `${v1}/groups/${group}` },
    [`POST ${v1}/groups`]: { path: `${v1}/groups`, body: { login: 'new', role_ids: [] } },
    'POST /rbac-api/v2/groups': { path: '/rbac-api/v2/groups', body: { login: 'new', role_ids: [] } },
    ...command('groups/create', { login: 'new', role_ids: [] }),
    [`PUT ${v1}/groups/:id`]: {
      path: `${v1}/groups/${group}`,
      body: { id: group, login: 'group', display_name: 'Other', role_ids: [], user_ids: [], ...flags, is_group: true },
    },
    [`DELETE ${v1}/groups/:id`]: { path: `${v1}/groups/${group}` },
    'GET /rbac-api/v2/ldap/:id': { path: `/rbac-api/v2/ldap/${directory}` },
    [`PUT ${v1}/ds`]: { path: `${v1}/ds`, body: {} },
    [`PUT ${v1}/ds/test`]: { path: `${v1}/ds/test`, body: {} },
    ...command('ldap/create', LDAP),
    ...command('ldap/update', { id: directory, ...LDAP }),
    ...command('ldap/delete', { id: directory }),
    ...command('ldap/test', {}),
    [`GET ${v1}/roles/:id`]: { path: `${v1}/roles/${role}` },
    [`POST ${v1}/roles`]: { path: `${v1}/roles`, body: newRole },
    [`PUT ${v1}/roles/:id`]: { path: `${v1}/roles/${role}`, body: { ...newRole, id: role, user_ids: [user] } },
    [`DELETE ${v1}/roles/:id`]: { path: `${v1}/roles/${role}` },
    ...command('roles/add-users', { role_id: 4, user_ids: [user] }),
    ...command('roles/remove-users', { role_id: role, user_ids: [user] }),
    ...command('roles/add-user-groups', { role_id: role, group_ids: [group] }),
    ...command('roles/add-groups', { role_id: role, group_ids: [group] }),
    ...command('roles/remove-groups', { role_id: role, group_ids: [group] }),
    ...command('roles/add-permissions', { role_id: role, permissions: others }),
    ...command('roles/remove-permissions', { role_id: role, permissions }),
    [`POST ${v1}/permitted`]: { path: `${v1}/permitted`, body: { token: user, permissions } },
    [`GET ${v1}/permitted/:type/:action`]: { path: `${v1}/permitted/console_page/view` },
    [`GET ${v1}/permitted/:type/:action/:id`]: { path: `${v1}/permitted/console_page/view/${user}` },
  };
}

const CLASSIFIER = '/classifier-api/v1';
const ON_GROUPS = `${CLASSIFIER}/groups`;
const CHANGED = { name: 'Own', parent: ROOT_ID, classes: { web: { port: 81 } }, rule: RULE };

const REQUESTS_OF_GROUPS: Surface<null>['requests'] = {
  [`GET ${ON_GROUPS}/:id`]: { path: `${ON_GROUPS}/${OWN}` },
  [`POST ${ON_GROUPS}`]: { path: ON_GROUPS, body: { name: 'New', parent: OWN, classes: {} } },
  [`PUT ${ON_GROUPS}/:id`]: { path: `${ON_GROUPS}/${OWN}`, body: CHANGED },
  [`POST ${ON_GROUPS}/:id`]: { path: `${ON_GROUPS}/${OWN}`, body: { variables: { a: 1 } } },
  [`DELETE ${ON_GROUPS}/:id`]: { path: `${ON_GROUPS}/${CHILD}` },
  [`POST ${CLASSIFIER}/validate/group`]: { path: `${CLASSIFIER}/validate/group`, body: { ...CHANGED, id: OWN } },
  [`GET ${CLASSIFIER}/group-children/:id`]: { path: `${CLASSIFIER}/group-children/${OWN}` },
  [`GET ${ON_GROUPS}/:id/nodes`]: { path: `${ON_GROUPS}/${OWN}/nodes` },
  [`GET ${ON_GROUPS}/:id/rules`]: { path: `${ON_GROUPS}/${OWN}/rules` },
  [`POST ${CLASSIFIER}/rules/translate`]: { path: `${CLASSIFIER}/rules/translate`, body: RULE },
  [`POST ${ON_GROUPS}/:id/pin`]: { path: `${ON_GROUPS}/${CHILD}/pin`, body: { nodes: ['web01.example.com'] } },
  [`POST ${ON_GROUPS}/:id/unpin`]: { path: `${ON_GROUPS}/${CHILD}/unpin`, body: { nodes: ['web01.example.com'] } },
  [`POST ${CLASSIFIER}/commands/unpin-from-all`]: {
    path: `${CLASSIFIER}/commands/unpin-from-all`,
    body: { nodes: ['web01.example.com'] },
  },
  [`GET ${CLASSIFIER}/environments/:name`]: { path: `${CLASSIFIER}/environments/production` },
  [`GET ${CLASSIFIER}/environments/:name/classes`]: { path: `${CLASSIFIER}/environments/production/classes` },
  [`GET ${CLASSIFIER}/environments/:name/classes/:class`]: {
    path: `${CLASSIFIER}/environments/production/classes/web`,
  },
  [`POST ${CLASSIFIER}/update-classes`]: { path: `${CLASSIFIER}/update-classes`, body: {} },
  [`POST ${CLASSIFIER}/import-hierarchy`]: {
    path: `${CLASSIFIER}/import-hierarchy`,
    body: [printGroup(GroupHierarchy.initial.root)],
  },
  'GET /understudy/v1/groups/classes': { path: '/understudy/v1/groups/classes?environment=production' },
  'GET /understudy/v1/groups/classes/:class': { path: '/understudy/v1/groups/classes/web?environment=production' },
  'POST /understudy/v1/groups/check': {
    path: '/understudy/v1/groups/check',
    body: { environment: 'production', classes: { web: { port: 81 } } },
  },
  'POST /understudy/v1/groups/preview': { path: '/understudy/v1/groups/preview?wait=1', body: { ...CHANGED, id: OWN } },
  [`POST ${CLASSIFIER}/classified/nodes/:name`]: { path: `${CLASSIFIER}/classified/nodes/${NOBODY}`, body: {} },
  'POST /classifier-api/v2/classified/nodes/:name': { path: `/classifier-api/v2/classified/nodes/${NOBODY}`, body: {} },
  [`POST ${CLASSIFIER}/classified/nodes/:name/explanation`]: {
    path: `${CLASSIFIER}/classified/nodes/${NOBODY}/explanation`,
    body: {},
  },
  [`GET ${CLASSIFIER}/nodes/:name`]: { path: `${CLASSIFIER}/nodes/web01.example.com` },
};
