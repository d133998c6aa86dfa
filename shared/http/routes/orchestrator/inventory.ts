import { checkBody, stringsOf } from '../../../orchestrator/jobs/request-body.ts';
import { readScope } from '../../../orchestrator/jobs/targets.ts';
import type { PxpConnection, PxpGateway } from '../../../orchestrator/pxp/pxp-gateway.ts';
import { allNodes } from '../../../store/all-nodes.ts';
import { answerWith, createOrchestratorRoute, type OrchestratorEndpoint } from './orchestrator-endpoint.ts';

/** A node, and whether its agent is connected. */
export function describeConnection(name: string, connection: PxpConnection | undefined, { broker }: PxpGateway) {
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
