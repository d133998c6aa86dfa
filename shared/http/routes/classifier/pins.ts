import type { GroupValues } from '../../../fleet/groups/node-group.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import { sendNothing } from '../access/access-endpoint.ts';
import {
  CLASSIFIER,
  type ClassifierApi,
  type ClassifierEndpoint,
  readJsonKeys,
  schemaViolation,
} from './classifier-endpoint.ts';
import { GroupPermissions } from './group-permissions.ts';
import { findGroup, noteGroupChange } from './groups.ts';

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
    if (changed) noteGroupChange(api, permissions, `node group ${name}: ${group.name}`);
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
    if (found.size > 0) noteGroupChange(api, permissions, `nodes unpinned: ${[...found.keys()].join(', ')}`);
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
