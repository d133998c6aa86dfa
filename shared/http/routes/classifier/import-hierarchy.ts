import { readGroupBody } from '../../../fleet/groups/node-group.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { createRoute } from '../../route.ts';
import { sendNothing } from '../access/access-endpoint.ts';
import { CLASSIFIER, type ClassifierApi, readClassifierBody, schemaViolation } from './classifier-endpoint.ts';
import { type GroupAction, GroupPermissions } from './group-permissions.ts';
import { noteGroupChange } from './groups.ts';

/** An import may change everything. */
const NEEDED: readonly GroupAction[] = [
  'modify_children',
  'edit_child_rules',
  'edit_classification',
  'edit_config_data',
  'edit_params_and_vars',
  'set_environment',
];

/**
 * `POST import-hierarchy`: replaces all groups by those of the list, as `GET groups` writes them.
 */
export const postImportHierarchy = createRoute<ClassifierApi>(
  'POST',
  `${CLASSIFIER}/import-hierarchy`,
  async (context, api) => {
    const permissions = await GroupPermissions.of(context, api);
    for (const action of NEEDED) permissions.demandForAll(action);
    const body = await readClassifierBody(context, BODIES.certnames);
    if (!Array.isArray(body)) throw schemaViolation('The body must be a list of groups', body);
    const groups = body.map((one: unknown) => {
      const { id, ...delta } = readGroupBody(one, false);
      if (id === undefined) throw schemaViolation('A group of the list has no id', one);
      return { ...delta, id };
    });
    await api.groups.replaceAll(groups);
    const { root } = (await api.groups.read()).hierarchy;
    const summary = `node groups imported: ${groups.length}`;
    await noteGroupChange(api, permissions, { action: 'edit', groups: [root] }, summary);
    return sendNothing();
  },
);
