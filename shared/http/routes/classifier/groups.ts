import type { ActivityAction } from '../../../access/accounts/activity-log.ts';
import { applyDelta, contentOf } from '../../../fleet/groups/change-group.ts';
import { printDeleted } from '../../../fleet/groups/check-referents.ts';
import type { GroupHierarchy } from '../../../fleet/groups/group-hierarchy.ts';
import { type ChangedGroup, type GroupService, requireGroup } from '../../../fleet/groups/group-service.ts';
import {
  type ClassValues,
  type GroupValues,
  type NodeGroup,
  printGroup,
  readGroupBody,
} from '../../../fleet/groups/node-group.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import { sendNothing } from '../access/access-endpoint.ts';
import {
  CLASSIFIER,
  type ClassifierApi,
  type ClassifierEndpoint,
  groupIdIn,
  pageOf,
  readClassifierBody,
  readJsonKeys,
  readWholeParameter,
  schemaViolation,
} from './classifier-endpoint.ts';
import { GroupPermissions } from './group-permissions.ts';

const GROUPS = `${CLASSIFIER}/groups`;

/** `GET groups[?inherited=1]`: the groups that the user may see. */
export const getNodeGroups = createRoute<ClassifierApi>('GET', GROUPS, async (context, api) => {
  const permissions = await GroupPermissions.of(context, api);
  const { hierarchy } = await api.groups.read();
  const inherited = context.req.query('inherited') ?? 'false';
  const isInherited = inherited !== '0' && inherited !== 'false';
  const seen = hierarchy.groups.filter((group) => permissions.mayView(group, hierarchy));
  const shown = pageOf(context, seen).map((group) => (isInherited ? withInherited(group, hierarchy) : group));
  return sendJson(context, await Promise.all(shown.map((group) => describeNodeGroup(group, api.groups))));
});

/** `GET groups/<id>` */
export const getNodeGroup = createRoute<ClassifierApi>('GET', `${GROUPS}/:id`, async (context, api) => {
  const { group } = await findGroup(context, api);
  return sendJson(context, await describeNodeGroup(group, api.groups));
});

/** `POST groups`: creates a group; 303 with its address. */
export const postNodeGroups = createRoute<ClassifierApi>('POST', GROUPS, async (context, api) => {
  const permissions = await GroupPermissions.of(context, api);
  const delta = readGroupBody(await readClassifierBody(context), false);
  const { hierarchy } = await api.groups.read();
  permissions.demandChange(null, { ...hierarchy.root, ...contentOf(delta), id: '' }, hierarchy);
  const { group } = await api.groups.create(delta);
  await noteGroupChange(api, permissions, { action: 'create', groups: [group] }, `node group created: ${group.name}`);
  return new Response(null, { status: 303, headers: { Location: `${GROUPS}/${group.id}` } });
});

/** `PUT groups/<id>`: creates the group or replaces its content; 200 when it was the same. */
export const putNodeGroup = createRoute<ClassifierApi>('PUT', `${GROUPS}/:id`, async (context, api) => {
  const permissions = await GroupPermissions.of(context, api);
  const id = groupIdIn(context);
  const delta = readGroupBody(await readClassifierBody(context), false);
  const { hierarchy } = await api.groups.read();
  const before = hierarchy.get(id);
  const root = before?.id === hierarchy.root.id ? { rule: before.rule, parent: before.parent } : {};
  const content = contentOf({ ...root, ...delta });
  permissions.demandChange(before, { ...hierarchy.root, ...content, id }, hierarchy);
  const { group, changed } = await api.groups.put(id, delta);
  if (changed) await noteEdit(api, permissions, group, 'changed');
  return sendGroup(context, api, group, changed ? 201 : 200);
});

/** `POST groups/<id>`: changes the given members; 409 with an old serial number. */
export const postNodeGroup = createRoute<ClassifierApi>('POST', `${GROUPS}/:id`, async (context, api) => {
  const { group: before, hierarchy, permissions } = await findGroup(context, api);
  const delta = readGroupBody(await readClassifierBody(context), true);
  permissions.demandChange(before, applyDelta(before, delta), hierarchy);
  const { group, changed } = await api.groups.edit(before.id, delta);
  if (changed) await noteEdit(api, permissions, group, 'changed');
  return sendGroup(context, api, group, 200);
});

/** `DELETE groups/<id>` */
export const deleteNodeGroup = createRoute<ClassifierApi>('DELETE', `${GROUPS}/:id`, async (context, api) => {
  const { group, hierarchy, permissions } = await findGroup(context, api);
  permissions.demandChange(group, null, hierarchy);
  await api.groups.delete(group.id);
  await noteGroupChange(api, permissions, { action: 'delete', groups: [group] }, `node group deleted: ${group.name}`);
  return sendNothing();
});

/** `POST validate/group`: the group as it would be, or the errors of creating or changing it. */
export const postValidateGroup = createRoute<ClassifierApi>(
  'POST',
  `${CLASSIFIER}/validate/group`,
  async (context, api) => {
    const permissions = await GroupPermissions.of(context, api);
    const delta = readGroupBody(await readClassifierBody(context), false);
    const { hierarchy } = await api.groups.read();
    const known = delta.id === undefined ? null : hierarchy.get(delta.id);
    // The answer has the members of a known group that the body leaves out.
    if (known !== null) permissions.demand('view', known, hierarchy);
    const { group } = await api.groups.plan(delta, known?.id ?? null);
    return sendJson(context, await describeNodeGroup(group, api.groups));
  },
);

/** `GET group-children/<id>[?depth=]`: a group with those below it, as a tree. */
export const getGroupChildren = createRoute<ClassifierApi>(
  'GET',
  `${CLASSIFIER}/group-children/:id`,
  async (context, api) => {
    const { group, hierarchy, permissions } = await findGroup(context, api);
    const levels = readWholeParameter(context, 'depth') ?? Number.POSITIVE_INFINITY;
    const tree = async (one: NodeGroup, left: number): Promise<GroupValues> => {
      const seen =
        left > 0 ? hierarchy.childrenOf(one.id).filter((child) => permissions.mayView(child, hierarchy)) : [];
      const children = await Promise.all(seen.map((child) => tree(child, left - 1)));
      return { ...(await describeNodeGroup(one, api.groups)), children };
    };
    return sendJson(context, [await tree(group, levels)]);
  },
);

/** The group that the path names, for a user who may see it. Throws GroupRefused, AccessRefused. */
export async function findGroup(context: HttpContext, api: ClassifierApi) {
  const permissions = await GroupPermissions.of(context, api);
  const { hierarchy } = await api.groups.read();
  const group = requireGroup(hierarchy, groupIdIn(context));
  permissions.demand('view', group, hierarchy);
  return { group, hierarchy, permissions };
}

/** A group as the API writes it, with marks of what the code no longer has. */
async function describeNodeGroup(group: NodeGroup, groups: GroupService): Promise<GroupValues> {
  const hasClasses = Object.keys(group.classes).length > 0;
  const known = hasClasses ? await groups.classes.find(group.environment) : null;
  const deleted = printDeleted(group.classes, known ?? undefined);
  return { ...printGroup(group), ...(deleted === null ? {} : { deleted }) };
}

/** Notes a change, and has the nodes invalidated. */
export async function noteGroupChange(
  { onChanged }: ClassifierApi,
  permissions: GroupPermissions,
  { action, groups }: { readonly action: ActivityAction; readonly groups: readonly Pick<NodeGroup, 'id' | 'name'>[] },
  summary: string,
): Promise<void> {
  // The nodes first: they have to be invalidated even when the activity cannot be stored.
  onChanged({ summary, user: permissions.login });
  await permissions.note(action, groups, summary);
}

function noteEdit(
  api: ClassifierApi,
  permissions: GroupPermissions,
  group: Pick<NodeGroup, 'id' | 'name'>,
  done: string,
): Promise<void> {
  return noteGroupChange(api, permissions, { action: 'edit', groups: [group] }, `node group ${done}: ${group.name}`);
}

async function sendGroup(
  context: HttpContext,
  { groups }: ClassifierApi,
  group: ChangedGroup['group'],
  status: 200 | 201,
): Promise<Response> {
  const answer = await sendJson(context, await describeNodeGroup(group, groups));
  return status === 200 ? answer : new Response(answer.body, { status, headers: answer.headers });
}

/** A group with the classes, parameters, data and variables of those above it merged in. */
function withInherited(group: NodeGroup, hierarchy: GroupHierarchy): NodeGroup {
  let { classes, configData, variables } = group;
  for (const above of hierarchy.ancestorsOf(group)) {
    classes = mergeInherited(above.classes, classes);
    configData = mergeInherited(above.configData, configData);
    variables = { ...above.variables, ...variables };
  }
  return { ...group, classes, configData, variables };
}

function mergeInherited(above: ClassValues, own: ClassValues): ClassValues {
  const merged = Object.entries(own).map(([name, values]) => [name, { ...above[name], ...values }] as const);
  return { ...above, ...Object.fromEntries(merged) };
}

/** `POST groups/<id>/pin`: `{"nodes": …}` or `?nodes=a,b`. */
export const postPin: ClassifierEndpoint = pinEndpoint('pin', true);
/** `POST groups/<id>/unpin` */
export const postUnpin: ClassifierEndpoint = pinEndpoint('unpin', false);

function pinEndpoint(name: string, isPinned: boolean): ClassifierEndpoint {
  return createRoute('POST', `${CLASSIFIER}/groups/:id/${name}`, async (context, api) => {
    const { group, hierarchy, permissions } = await findGroup(context, api);
    const nodes = await readNodes(context);
    permissions.demand('edit_child_rules', group, hierarchy);
    const changed = await api.groups.pin(group.id, nodes, isPinned);
    if (changed) await noteEdit(api, permissions, group, name);
    return sendNothing();
  });
}

/** `POST commands/unpin-from-all`: `{"nodes": […]}`. */
export const postUnpinFromAll = createRoute<ClassifierApi>(
  'POST',
  `${CLASSIFIER}/commands/unpin-from-all`,
  async (context, api) => {
    const permissions = await GroupPermissions.of(context, api);
    const nodes = await readNodes(context);
    const found = await api.groups.unpinFromAll(nodes, async (group, hierarchy) =>
      permissions.may('edit_child_rules', group, hierarchy),
    );
    const left = new Map([...found.values()].flat().map((group) => [group.id, group] as const));
    if (left.size > 0) {
      const summary = `nodes unpinned: ${[...found.keys()].join(', ')}`;
      await noteGroupChange(api, permissions, { action: 'edit', groups: [...left.values()] }, summary);
    }
    const shown = [...found].map(([name, groups]): GroupValues => {
      return { name, groups: groups.map(({ id, name: group, environment }) => ({ id, name: group, environment })) };
    });
    return sendJson(context, { nodes: shown });
  },
);

/** The nodes of the parameter or of the body. Throws GroupRefused when there are none. */
async function readNodes(context: HttpContext): Promise<readonly string[]> {
  const parameter = context.req.query('nodes');
  const { nodes } = await readJsonKeys(context, ['nodes']);
  const given = nodes ?? parameter?.split(',') ?? [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const names = list.flatMap((name) => (typeof name === 'string' && name.trim() !== '' ? [name.trim()] : []));
  if (names.length > 0 && names.length === list.length) return names;
  throw schemaViolation("'nodes' must be the name of a node, or a list of names that is not empty", { nodes: given });
}
