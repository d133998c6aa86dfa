import { createHash } from 'node:crypto';
import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { ADMINISTRATOR } from '../helpers/local-site.ts';
import { PxpClient } from '../helpers/pxp-agent.ts';
import { type ClientSite, pxpCredentials } from './client-site.ts';

const ERRING = 'erring.example.com';
const DOUBLE = 'double.example.com';
const FETCHING = 'fetching.example.com';
const AGENT_TEXT = 'Message size: 70000096 exceeded max-message-size 67108864';

/** Nodes that need certificates, and whose agents connect here. */
export const PXP_NODES = [ERRING, DOUBLE, FETCHING];

/** An agent accepts a task, and answers the status query with an error. */
export async function playErringAgent(world: ClientSite): Promise<void> {
  const agent = await dial(world, ERRING);
  const job = await runTask(world, 'demo::quiet', ERRING);
  const { request: run, sender } = await nextRequest(agent, 'rpc_non_blocking_request');
  agent.send('rpc_provisional_response', sender, { transaction_id: run.transaction_id });
  // Its result was too large for a message; a question is answered by the same error.
  const { request: query, id } = await nextRequest(agent, 'rpc_blocking_request');
  expect(query).toMatchObject({ module: 'status', params: { transaction_id: run.transaction_id } });
  agent.send('rpc_error_message', sender, { transaction_id: query.transaction_id, id, description: AGENT_TEXT });
  const nodes = async () => JSON.parse((await world.orchestrate('GET', `jobs/${job}/nodes`)).body).items;
  await expect.poll(nodes).toMatchObject([{ name: ERRING, state: 'errored', result: { _error: { msg: AGENT_TEXT } } }]);
  agent.close();
}

/** A second agent connects with the certificate of a first one, while a controller watches. */
export async function playSupersededAgent(world: ClientSite): Promise<void> {
  const controller = await dial(world, ADMINISTRATOR, 'controller');
  controller.send('inventory_request', 'pcp:///server', { query: [`pcp://${DOUBLE}/*`], subscribe: true });
  expect(await controller.next()).toEqual(['inventory_response', { uris: [] }]);
  const client = `pcp://${DOUBLE}/agent`;
  const first = await dial(world, DOUBLE);
  expect(await controller.next()).toEqual(['inventory_update', { changes: [{ client, change: 1 }] }]);
  const second = await dial(world, DOUBLE);
  expect(await first.ended).toBe('1006');
  const changes = [-1, 1].map((change) => ({ client, change }));
  expect(await controller.next()).toEqual(['inventory_update', { changes }]);
  for (const one of [second, controller]) one.close();
}

/** An agent fetches the files of a task, whose URIs it joins from texts as they are. */
export async function playFetchingAgent(world: ClientSite): Promise<void> {
  const agent = await dial(world, FETCHING);
  await runTask(world, 'demo::files', FETCHING);
  const { request: run } = await nextRequest(agent, 'rpc_non_blocking_request');
  const { files } = run.params;
  expect(files).toHaveLength(3);
  for (const { filename, sha256, uri } of files) {
    const query = Object.entries(uri.params).map(([name, value]) => `${name}=${value}`);
    const bytes = await fetchRaw(world, `${uri.path}?${query.join('&')}`);
    expect([filename, createHash('sha256').update(bytes).digest('hex')]).toEqual([filename, sha256]);
  }
  agent.close();
}

function dial({ site }: ClientSite, node: string, type = 'agent'): Promise<PxpClient> {
  return PxpClient.connect(site.ports.broker, pxpCredentials(site, node), type);
}

/** Returns the job's name. */
async function runTask(world: ClientSite, task: string, node: string): Promise<string> {
  const body = { environment: 'production', task, params: {}, scope: { nodes: [node] } };
  return JSON.parse((await world.orchestrate('POST', 'command/task', body)).body).job.name;
}

/** The next message of that type, with its sender. */
async function nextRequest(agent: PxpClient, type: string) {
  for (;;) {
    const { message_type: found, data, sender, id } = await agent.nextMessage();
    if (found.endsWith(`/${type}`)) return { request: Object(data), sender: String(sender), id };
  }
}

async function fetchRaw({ site }: ClientSite, path: string): Promise<Buffer> {
  expect(path).toMatch(/^[!-~]+$/);
  const options = { host: 'localhost', port: site.ports.frontDoor, ...site.credentialsOf(FETCHING) };
  return new Promise((resolve, reject) => {
    const headers = { Accept: '*/*' };
    const sent = request({ ...options, agent: false, path, headers }, (answer) => {
      if (answer.statusCode === 200) buffer(answer).then(resolve, reject);
      else reject(new Error(`${path}: ${answer.statusCode}`));
    });
    sent.on('error', reject).end();
  });
}
