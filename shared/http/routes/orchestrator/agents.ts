import { loadFacts } from '../../../fleet/facts/facts-blob.ts';
import { nodeState } from '../../../fleet/nodes/node-state.ts';
import { checkBody, invalidRequest, stringsOf } from '../../../orchestrator/jobs/request-body.ts';
import { readScope } from '../../../orchestrator/jobs/targets.ts';
import type { PxpConnection, PxpGateway } from '../../../orchestrator/pxp/pxp-gateway.ts';
import { toPlainJson } from '../../../puppet/serialization/json.ts';
import { allNodes } from '../../../store/list-pages.ts';
import type { NodeRecord } from '../../../store/ports/node-record.ts';
import { printTime } from './describe-job.ts';
import { answerWith, createOrchestratorRoute, type OrchestratorEndpoint } from './orchestrator-endpoint.ts';

/** A node, and whether its agent is connected. */
function describeConnection(name: string, connection: PxpConnection | undefined, { broker }: PxpGateway) {
  if (connection === undefined) return { name, connected: false };
  const { since } = connection;
  return { name, connected: true, broker, ...(since === null ? {} : { timestamp: new Date(since).toISOString() }) };
}

const getInventory = createOrchestratorRoute('GET', '/inventory', async (_, { gateway, stores }) => {
  const connections = new Map((await gateway.listConnected()).map((one) => [one.certname, one]));
  const names = new Set(connections.keys());
  for await (const page of allNodes(stores.nodes)) for (const { certname } of page) names.add(certname);
  const items = [...names].sort().map((name) => describeConnection(name, connections.get(name), gateway));
  return answerWith({ items });
});

const getInventoryOfNode = createOrchestratorRoute('GET', '/inventory/:node', async (request, { gateway }) => {
  const name = request.param('node');
  const [connection] = await gateway.listConnected([name]);
  return answerWith(describeConnection(name, connection, gateway));
});

/** An item for each asked node, in the order of the request; or for each that a query finds. */
const postInventory = createOrchestratorRoute(
  'POST',
  '/inventory',
  async ({ subject, readBody }, { gateway, jobs }) => {
    const body = checkBody(await readBody(), { nodes: 'strings', query: 'any' }, []);
    const isQuery = body.nodes === undefined && body.query !== undefined;
    if (!isQuery) checkBody(body, { nodes: 'strings' }, ['nodes']);
    const names = isQuery ? await jobs.find(subject, readScope({ query: body.query })) : stringsOf(body, 'nodes');
    const connections = new Map((await gateway.listConnected(names)).map((one) => [one.certname, one]));
    return answerWith({ items: names.map((name) => describeConnection(name, connections.get(name), gateway)) });
  },
);

export const inventoryEndpoints: readonly OrchestratorEndpoint[] = [getInventory, getInventoryOfNode, postInventory];

const MOST_PINGED = 1000;

/** Pings agents; returns an item for each, in the order of the request. */
const postPing = createOrchestratorRoute('POST', '/agents/ping', async ({ readBody }, { pinger }) => {
  const names = stringsOf(checkBody(await readBody(), { nodes: 'strings' }, ['nodes']), 'nodes');
  if (names.length > MOST_PINGED) throw invalidRequest(`nodes must have at most ${MOST_PINGED} names`);
  return answerWith({ items: await pinger.ping(names) });
});

/** Returns a node's connection and catalog, and its facts to users who may see them. */
const getAgent = createOrchestratorRoute('GET', '/agents/:node', async (request, { gateway, stores, permissions }) => {
  const name = request.param('node');
  const [connection] = await gateway.listConnected([name]);
  const node = await stores.nodes.get(name);
  const maySee = await permissions.permits(request.subject, 'nodes', 'view_data');
  const stored = maySee && node !== null ? await loadFacts(stores.blobs, node) : null;
  const facts = stored === null ? null : toPlainJson(stored.facts);
  return answerWith({
    ...describeConnection(name, connection, gateway),
    ...(node === null ? { known: false } : describeNode(node)),
    facts,
  });
});

function describeNode(node: NodeRecord) {
  const { environment, lastSeen, catalog, failure, facts } = node;
  return {
    known: true,
    environment,
    last_seen: printTime(lastSeen),
    catalog: {
      state: nodeState(node),
      compiled: printTime(catalog?.compiledAt ?? null),
      code_id: catalog?.codeId ?? null,
      failure: failure?.message ?? null,
    },
    facts_timestamp: printTime(facts?.at ?? null),
  };
}

export const agentEndpoints: readonly OrchestratorEndpoint[] = [postPing, getAgent];
