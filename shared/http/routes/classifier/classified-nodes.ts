import { loadFacts } from '../../../fleet/facts/facts-blob.ts';
import { classifyByGroups, type GroupClassification } from '../../../fleet/groups/classify-by-groups.ts';
import type { GroupHierarchy } from '../../../fleet/groups/group-hierarchy.ts';
import { GroupRefused, groupNotFound } from '../../../fleet/groups/group-refused.ts';
import { type RuleSubject, valuesOf } from '../../../fleet/groups/match-rule.ts';
import type { GroupValues } from '../../../fleet/groups/node-group.ts';
import { describeConflicts, printConflicts, printExplanation } from '../../../fleet/groups/print-classification.ts';
import { printJson } from '../../../puppet/serialization/json.ts';
import type { NodeRecord } from '../../../store/ports/node-record.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { HttpContext } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import {
  CLASSIFIER,
  type ClassifierApi,
  readClassifierObject,
  readWholeParameter,
  schemaViolation,
} from './classifier-endpoint.ts';
import { GroupPermissions } from './group-permissions.ts';

/**
 * `POST v1/classified/nodes/<name>`: the groups, classes and variables of a node with these facts.
 */
export const postClassified = createRoute<ClassifierApi>(
  'POST',
  `${CLASSIFIER}/classified/nodes/:name`,
  async (context, api) => {
    const { subject, classification } = await classify(context, api);
    const final = requireFinal(subject.name, classification);
    return sendJson(context, {
      name: subject.name,
      groups: classification.matching.map(({ id }) => id),
      environment: final.environment,
      classes: final.classes,
      parameters: final.variables,
    });
  },
);

/** `POST v2/classified/nodes/<name>`: with the names of groups, and the parameters apart. */
export const postClassifiedV2 = createRoute<ClassifierApi>(
  'POST',
  '/classifier-api/v2/classified/nodes/:name',
  async (context, api) => {
    const { subject, classification } = await classify(context, api);
    const { environment, classes } = requireFinal(subject.name, classification);
    const groups = classification.matching.map(({ id, name }) => ({ id, name }));
    const set = Object.entries(classes).filter(([, parameters]) => Object.keys(parameters).length > 0);
    return sendJson(context, {
      groups: groups.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      environment,
      classes: Object.keys(classes),
      parameters: Object.fromEntries(set),
    });
  },
);

/** `POST v1/classified/nodes/<name>/explanation`: all steps to the answer. */
export const postExplanation = createRoute<ClassifierApi>(
  'POST',
  `${CLASSIFIER}/classified/nodes/:name/explanation`,
  async (context, api) => {
    const { subject, classification, hierarchy } = await classify(context, api);
    return sendJson(context, printExplanation(subject, classification, hierarchy));
  },
);

const NODES_A_PAGE = 100;

/** `GET nodes`: the last check-in of each node, with the explanation of its classification. */
export const getCheckedNodes = createRoute<ClassifierApi>('GET', `${CLASSIFIER}/nodes`, async (context, api) => {
  await demandCheckIns(context, api);
  const limit = Math.min(readWholeParameter(context, 'limit') ?? NODES_A_PAGE, 10 * NODES_A_PAGE);
  const offset = readWholeParameter(context, 'offset') ?? 0;
  const { hierarchy } = await api.groups.read();
  const nodes = await listNodes(api, offset, limit);
  const shown: GroupValues[] = [];
  for (const node of nodes) shown.push(await describeCheckIn(node, hierarchy, api));
  return sendJson(context, shown);
});

/** `GET nodes/<name>` */
export const getCheckedNode = createRoute<ClassifierApi>('GET', `${CLASSIFIER}/nodes/:name`, async (context, api) => {
  await demandCheckIns(context, api);
  const node = await api.nodes.get(context.req.param('name') ?? '');
  if (node === null) throw groupNotFound(context.req.path);
  const { hierarchy } = await api.groups.read();
  return sendJson(context, await describeCheckIn(node, hierarchy, api));
});

/** An explanation has the facts that rules ask for. */
async function demandCheckIns(context: HttpContext, api: ClassifierApi): Promise<void> {
  const permissions = await GroupPermissions.of(context, api);
  permissions.demandForAll('view');
  permissions.demandNodeData();
}

async function classify(context: HttpContext, api: ClassifierApi) {
  (await GroupPermissions.of(context, api)).demandForAll('view');
  const subject = await readSubject(context);
  const { hierarchy } = await api.groups.read();
  return { subject, hierarchy, classification: classifyByGroups(hierarchy, valuesOf(subject)) };
}

async function readSubject(context: HttpContext): Promise<RuleSubject> {
  const name = context.req.param('name') ?? '';
  const body = await readClassifierObject(context, BODIES.facts);
  const { fact = {}, trusted = {} } = body;
  if (!isJsonObject(fact)) throw schemaViolation("'fact' must be an object", fact);
  if (!isJsonObject(trusted)) throw schemaViolation("'trusted' must be an object", trusted);
  return { name, fact, trusted };
}

function requireFinal(name: string, { final, conflicts, leaves }: GroupClassification) {
  if (final !== null) return final;
  const lines = conflicts === null ? [] : describeConflicts(conflicts);
  const groups = leaves.map(({ group }) => `'${group.name}'`).join(', ');
  const message = `The groups ${groups} of the node ${name} have conflicting values: ${lines.join('; ')}`;
  throw new GroupRefused('classification-conflict', message, conflicts && printConflicts(conflicts));
}

async function listNodes({ nodes }: ClassifierApi, offset: number, limit: number): Promise<readonly NodeRecord[]> {
  const found: NodeRecord[] = [];
  let after: string | null = null;
  for (let seen = 0; found.length < limit; ) {
    const page: readonly NodeRecord[] = await nodes.list(after, NODES_A_PAGE);
    found.push(...page.slice(Math.max(0, offset - seen)));
    seen += page.length;
    after = page.at(-1)?.certname ?? null;
    if (page.length < NODES_A_PAGE) break;
  }
  return found.slice(0, limit);
}

async function describeCheckIn(
  node: NodeRecord,
  hierarchy: GroupHierarchy,
  { blobs }: ClassifierApi,
): Promise<GroupValues> {
  const { certname, lastSeen } = node;
  const stored = await loadFacts(blobs, node);
  if (stored === null) return { name: certname, check_ins: [] };
  const plain = { fact: JSON.parse(printJson(stored.facts)), trusted: JSON.parse(printJson(stored.trusted)) };
  const subject = { name: certname, ...plain };
  const explanation = printExplanation(subject, classifyByGroups(hierarchy, valuesOf(subject)), hierarchy);
  return { name: certname, check_ins: [{ time: new Date(lastSeen).toISOString(), explanation }] };
}
