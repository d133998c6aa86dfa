/**
 * A broker for the benchmark, in a process of its own: `node pcp-server.ts tls|plain`. It says
 * where it listens, and its figures when asked.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Authorization } from '../../shared/access/authorization/authorization.ts';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { Broker } from '../../shared/orchestrator/broker/broker.ts';
import { DEFAULT_BROKER_LIMITS, startBrokerServer } from '../../shared/orchestrator/broker/broker-server.ts';
import { MessagePolicy } from '../../shared/orchestrator/broker/message-policy.ts';
import { WebSocketDoor } from '../../shared/orchestrator/broker/web-socket-door.ts';
import { systemClock } from '../../shared/store/system-clock.ts';
import { makeRequest } from '../helpers/certificate-request.ts';
import { MemoryDocuments } from '../helpers/memory-stores.ts';

export interface ServerStart {
  readonly port: number;
  /** For the clients; null without TLS. */
  readonly credentials: { readonly cert: string; readonly key: string; readonly ca: string } | null;
}

export interface ServerFigures {
  readonly connections: number;
  readonly rss: number;
  readonly cpuSeconds: number;
}

/** Of the CA and of agents: Puppet's own is 4096. */
const KEY_BITS = Number(process.argv[3] ?? 2048);
const CERTNAME = 'bench.example.com';
const RULES = `authorization: { version: 1, rules: [
  { name: requests, sort-order: 1, match-request: { path: "/pcp-broker/send", type: path, query-params: { message_type: "http://puppetlabs.com/inventory_request" } }, allow: ctl.example.com }
  { name: all, sort-order: 9, match-request: { path: "/pcp-broker/send", type: path }, allow: "*" }
] }`;
const policy = new MessagePolicy(Authorization.read(RULES, 'policy'));

async function startTls(): Promise<{ readonly broker: Broker; readonly start: ServerStart }> {
  const authority = await CertificateAuthority.open(new MemoryDocuments(), systemClock, {
    name: 'bench',
    autosign: true,
    keyBits: KEY_BITS,
  });
  const { broker, port } = await startBrokerServer({
    host: '127.0.0.1',
    port: 0,
    credentials: { ...(await authority.serverCredentials('localhost', [])), trusted: authority.certificatePem },
    readRevocations: async () => (await authority.revocationLists()).pem,
    policy,
    clock: systemClock,
    acceptRate: { perSecond: 100_000, burst: 100_000, mostPending: 100_000 },
    reportFailure: console.error,
  });
  // Agents have RSA keys.
  const { request, key } = await makeRequest(CERTNAME, { rsaBits: KEY_BITS });
  await authority.submit(CERTNAME, request);
  const cert = await authority.findCertificate(CERTNAME);
  if (cert === null) throw new Error('invariant: the request is signed at once');
  return { broker, start: { port, credentials: { cert, key, ca: authority.certificatePem } } };
}

/** As behind a proxy that ends TLS. */
async function startPlain(): Promise<{ readonly broker: Broker; readonly start: ServerStart }> {
  const broker = new Broker({ ...DEFAULT_BROKER_LIMITS, policy, clock: systemClock });
  const door = new WebSocketDoor({ ...DEFAULT_BROKER_LIMITS, broker });
  const identity = { certname: CERTNAME, extensions: new Map<string, string>() };
  const server = createServer().on('upgrade', (request, socket, head) => {
    door.open(request, socket, head, { identity, serial: null });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { broker, start: { port: (server.address() as AddressInfo).port, credentials: null } };
}

const { broker, start } = process.argv[2] === 'tls' ? await startTls() : await startPlain();
process.on('message', async () => {
  // Twice, with a pause: handshakes leave memory that is freed by finalizers.
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc?.();
    await systemClock.sleep(200);
  }
  const { user, system } = process.cpuUsage();
  process.send?.({
    connections: broker.connections,
    rss: process.memoryUsage().rss,
    cpuSeconds: (user + system) / 1e6,
  } satisfies ServerFigures);
});
process.on('disconnect', () => process.exit());
process.send?.(start);
