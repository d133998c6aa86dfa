import { GroupRefused } from '../../../fleet/groups/group-refused.ts';
import { type GroupRule, readGroupRule } from '../../../fleet/groups/group-rule.ts';
import { type QueryFormat, translateRule } from '../../../fleet/groups/translate-rule.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import { CLASSIFIER, type ClassifierApi, readClassifierBody } from './classifier-endpoint.ts';
import { GroupPermissions } from './group-permissions.ts';
import { findGroup } from './groups.ts';

/** `GET groups/<id>/rules`: the rule, with those inherited, and as queries of PuppetDB. */
export const getGroupRules = createRoute<ClassifierApi>(
  'GET',
  `${CLASSIFIER}/groups/:id/rules`,
  async (context, api) => {
    const { group, hierarchy } = await findGroup(context, api);
    const inherited = hierarchy.inheritedRuleOf(group);
    return sendJson(context, {
      rule: group.rule,
      rule_with_inherited: inherited,
      translated: {
        nodes_query_format: translateIfPossible(inherited, 'nodes'),
        inventory_query_format: translateIfPossible(inherited, 'inventory'),
      },
    });
  },
);

/** `POST rules/translate[?format=inventory]`: the query of a rule. */
export const postTranslateRule = createRoute<ClassifierApi>(
  'POST',
  `${CLASSIFIER}/rules/translate`,
  async (context, api) => {
    await GroupPermissions.of(context, api);
    const format = context.req.query('format') ?? 'nodes';
    if (format !== 'nodes' && format !== 'inventory') {
      throw new GroupRefused('malformed-request', `The parameter 'format' must be nodes or inventory, not '${format}'`);
    }
    return sendJson(context, translateRule(readGroupRule(await readClassifierBody(context)), format));
  },
);

function translateIfPossible(rule: GroupRule | null, format: QueryFormat): readonly unknown[] | null {
  try {
    return rule && translateRule(rule, format);
  } catch (error) {
    if (error instanceof GroupRefused) return null;
    throw error;
  }
}
