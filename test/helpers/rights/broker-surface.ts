import type { Identity as Certificate } from '../../../shared/access/authorization/access-entry.ts';
import { STANDARD_POLICY } from '../../../shared/orchestrator/broker/standard-policy.ts';
import { BrokerWorld, PREFIX, type TestClient } from '../broker-world.ts';
import type { Identity, Surface } from './describe-surface.ts';

const TARGET = 'pcp://target.example.com/agent';
const SERVER = 'pcp:///server';
const DATA: Readonly<Record<string, object>> = {
  inventory_request: { query: ['pcp://*/agent'] },
};
const TYPES = ['agent', 'controller', 'server'];
const MESSAGES = [
  'associate_request',
  'inventory_request',
  'rpc_blocking_request',
  'rpc_non_blocking_request',
  'rpc_provisional_response',
  'rpc_blocking_response',
  'rpc_error_message',
  'other',
];

/** Who connects, and in whose name it sends. */
interface Client {
  readonly identity: Certificate | null;
  /** Another client's address, for messages. */
  readonly sender?: string;
}

/** The broker with its standard rules: who may connect as what, and who may send which message. */
export async function openBrokerSurface(): Promise<Surface<Client> & { identities: readonly Identity<Client>[] }> {
  const world = new BrokerWorld({ policy: STANDARD_POLICY });
  const target = world.connect('target.example.com');
  const certificate = (certname: string, extensions: readonly (readonly [string, string])[] = []): Certificate => ({
    certname,
    extensions: new Map(extensions),
  });
  const administrator = certificate('admin.example.com', [['pp_cli_auth', 'true']]);
  const node = certificate('web01.example.com');
  const connecting = TYPES.map((type) => `CONNECT ${type}`);
  const sending = MESSAGES.map((type) => `SEND ${type}`);
  return {
    identities: [
      ['none', { identity: null }],
      ['node', { identity: node }],
      ['node in the name of an administrator', { identity: node, sender: 'pcp://admin.example.com/agent' }],
      ['node in the name of the server', { identity: node, sender: SERVER }],
      ['administrator', { identity: administrator }],
      ['administrator in the name of a node', { identity: administrator, sender: 'pcp://web01.example.com/agent' }],
      ['extension without its value', { identity: certificate('web02.example.com', [['pp_cli_auth', 'false']]) }],
    ],
    routes: [...connecting, ...sending],
    requests: Object.fromEntries(
      [...connecting, ...sending].map((route) => [route, { path: route.split(' ')[1] ?? '' }]),
    ),
    async ask(method, { path }, { identity, sender = null }) {
      const client = world.connectAs(identity, method === 'CONNECT' ? path : 'agent');
      if (client.session === null || method === 'CONNECT') return client.end ?? 'connected';
      const isForServer = path === 'inventory_request' || path === 'associate_request';
      target.take();
      const type = path === 'other' ? 'test' : `${PREFIX}${path}`;
      const data = DATA[path] ?? {};
      client.write({ type, target: isForServer ? SERVER : TARGET, data, ...(sender === null ? {} : { sender }) });
      return outcomeOf(client, target.take());
    },
  };
}

/** `delivered` or `answered`, or why not. */
function outcomeOf(client: TestClient, delivered: readonly object[]): string {
  if (delivered.length > 0) return 'delivered';
  const [answer = {}] = client.take() as readonly { readonly type?: string; readonly data?: unknown }[];
  const isError = answer.type === `${PREFIX}error_message` || client.end !== null;
  return isError ? `refused (${describe(answer.data)})` : 'answered';
}

function describe(data: unknown): string {
  if (typeof data === 'string') return data;
  const { description, reason } = Object(data);
  return String(description ?? reason);
}
