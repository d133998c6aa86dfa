import type { AnswerOf } from '../../../api/described-answers.ts';
import { contentOf } from '../../../fleet/groups/change-group.ts';
import { GroupRefused } from '../../../fleet/groups/group-refused.ts';
import { type GroupRule, readGroupRule } from '../../../fleet/groups/group-rule.ts';
import { readGroupBody } from '../../../fleet/groups/node-group.ts';
import { type QueryFormat, translateRule } from '../../../fleet/groups/translate-rule.ts';
import { listGroupMembers } from '../../../fleet/nodes/grouped-nodes.ts';
import { type PreviewedNode, previewGroupEffect } from '../../../fleet/nodes/preview-groups.ts';
import { Semaphore } from '../../../util/semaphore.ts';
import { sendAccessError } from '../../access-fault.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter } from '../../exchange/list-parameters.ts';
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

/** `GET groups/<id>/nodes`: the names of the nodes that are in the group. */
export const getGroupNodes = createRoute<ClassifierApi>(
  'GET',
  `${CLASSIFIER}/groups/:id/nodes`,
  async (context, api) => {
    const { group, hierarchy } = await findGroup(context, api);
    const leave = places.tryAcquire();
    if (leave === null) return refuseBusy();
    try {
      return sendJson(context, { nodes: await listGroupMembers(group, hierarchy, api) });
    } finally {
      leave();
    }
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

/** All nodes are read for each preview, and for the nodes of a group. */
const PREVIEWS_AT_ONCE = 2;
const RETRY_SECONDS = 2;
/** People wait while they type; `wait` asks for more, as the console does next. */
const USUAL_MS = 50;
const LONGEST_MS = 10_000;
/** Nodes in each list of the answer. */
const MOST_NODES = 50;
const LONGEST_SUMMARY = 500;

const places = new Semaphore(PREVIEWS_AT_ONCE);

/**
 * `POST /understudy/v1/groups/preview`: the nodes that a group of the body would have, and what
 * saving it would change for nodes. `id` names the group that it replaces. It needs the permissions
 * that saving needs. Nothing is written. It takes `wait` milliseconds, 50 by default, and the time
 * of 25 nodes.
 */
export const postGroupPreview = createRoute<ClassifierApi>(
  'POST',
  '/understudy/v1/groups/preview',
  async (context, api) => {
    const begun = api.clock.now();
    const permissions = await GroupPermissions.of(context, api);
    const wait = countParameter(context, 'wait', USUAL_MS, LONGEST_MS);
    const { id, ...delta } = readGroupBody(await readClassifierBody(context), false);
    const { hierarchy } = await api.groups.read();
    const known = id === undefined ? null : hierarchy.get(id);
    if (known !== null) permissions.demand('view', known, hierarchy);
    const root = known?.id === hierarchy.root.id ? { rule: known.rule, parent: known.parent } : {};
    const content = contentOf({ ...root, ...delta });
    permissions.demandChange(known, { ...hierarchy.root, ...content, id: id ?? '' }, hierarchy);
    const plan = await api.groups.planPut(delta, id ?? null);
    const leave = places.tryAcquire();
    if (leave === null) return refuseBusy();
    try {
      const { signal } = context.req.raw;
      const limits = { most: MOST_NODES, isOver: () => signal.aborted || api.clock.now() > begun + wait };
      const { changes, ...effect } = await previewGroupEffect(plan, limits, api);
      const hasValues = permissions.mayView(hierarchy.root, hierarchy);
      const shown = changes.map((change) => describe(change, hasValues));
      return sendJson(context, { ...effect, changes: shown } satisfies AnswerOf<'previewGroup'>);
    } finally {
      leave();
    }
  },
);

function refuseBusy(): Response {
  return sendAccessError(503, 'overloaded', 'The nodes of other groups are being found', {}, RETRY_SECONDS);
}

/** Values may come from groups that the user may not see; then only their names are written. */
function describe({ certname, isPushed, joins, leaves, values }: PreviewedNode, hasValues: boolean) {
  const parts = [
    ...(isPushed ? ['classified by the operator, so that its catalog stays as it is'] : []),
    ...joins.map((name) => `joins ${name}`),
    ...leaves.map((name) => `leaves ${name}`),
    ...values.map(({ name, before, after }) => (hasValues ? `${name}: ${show(before)} to ${show(after)}` : name)),
  ];
  const text = parts.join('; ');
  const summary = text.length > LONGEST_SUMMARY ? `${text.slice(0, LONGEST_SUMMARY)}...` : text;
  return { certname, kind: kindOf(joins.length, leaves.length), summary };
}

function kindOf(joins: number, leaves: number): 'joins' | 'leaves' | 'changes' {
  if (joins > 0 && leaves === 0) return 'joins';
  return leaves > 0 && joins === 0 ? 'leaves' : 'changes';
}

function show(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}
