import { loadFacts } from '../../../fleet/facts/facts-blob.ts';
import { nodeState } from '../../../fleet/nodes/node-state.ts';
import { checkBody, invalidRequest, stringsOf } from '../../../orchestrator/jobs/request-body.ts';
import { toPlainJson } from '../../../puppet/serialization/json.ts';
import type { NodeRecord } from '../../../store/ports/node-record.ts';
import { printTime } from './describe-job.ts';
import { describeConnection } from './inventory.ts';
import { answerWith, createOrchestratorRoute, type OrchestratorEndpoint } from './orchestrator-endpoint.ts';

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
