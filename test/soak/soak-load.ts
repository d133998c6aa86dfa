import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { ChaosClients } from '../chaos/chaos-world.ts';
import { type ClientCredentials, sendRequest } from '../chaos/tls-client.ts';
import type { VersionedRepo } from '../chaos/versioned-repo.ts';
import { malformedRequest } from '../fuzz/malformed-requests.ts';
import type { SeededChance } from '../fuzz/seeded-chance.ts';

export interface LoadTarget {
  readonly clients: ChaosClients;
  readonly port: number;
  readonly repo: VersionedRepo;
}

/** What the clients saw since the last reading. */
export class LoadCounts {
  readonly catalogMs: number[] = [];
  readonly byStatus = new Map<number, number>();
  requests = 0;

  note(status: number): void {
    this.requests += 1;
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
  }

  /** Returns the milliseconds of catalogs, ascending, and forgets them. */
  takeCatalogMs(): readonly number[] {
    return this.catalogMs.splice(0).sort((one, other) => one - other);
  }
}

type Act = (target: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) => Promise<void>;

/** What clients do, each with its share. */
const ACTS: readonly (readonly [share: number, act: Act])[] = [
  [30, (target, node, _, counts) => askCatalog(target, node, 'same', counts)],
  [14, (target, node, chance, counts) => askCatalog(target, node, `v${chance.below(1000)}`, counts)],
  [10, putFacts],
  [10, putReport],
  [10, getFile],
  [1, deployEdit],
  [12, sendMalformed],
  [3, putLargeFacts],
  [4, cutBody],
  [3, vanish],
  [2, sendGarbage],
  [1, staySilent],
];
const ALL_SHARES = ACTS.reduce((sum, [share]) => sum + share, 0);
const LARGE_FACTS = 20_000;
const SILENT_MS = 2000;
/** The load of agents, not the most that a client can send. */
const MOST_PAUSE_MS = 40;

/** Sends requests until `signal` aborts, good ones and hostile ones. */
export async function runClient(
  target: LoadTarget,
  chance: SeededChance,
  counts: LoadCounts,
  signal: AbortSignal,
): Promise<void> {
  const nodes = [...target.clients.nodes.values()];
  while (!signal.aborted) {
    await pickAct(chance)(target, chance.of(nodes), chance, counts);
    await pause(chance.below(MOST_PAUSE_MS));
  }
}

function pickAct(chance: SeededChance): Act {
  let left = chance.below(ALL_SHARES);
  for (const [share, act] of ACTS) {
    left -= share;
    if (left < 0) return act;
  }
  throw new Error('invariant: the shares cover all numbers');
}

async function askCatalog({ port }: LoadTarget, node: ClientCredentials, value: string, counts: LoadCounts) {
  const began = performance.now();
  const facts = JSON.stringify({ name: node.certname, values: { chaos_a: value, chaos_b: 'constant' } });
  const { status } = await sendRequest(node, port, {
    method: 'POST',
    path: `/puppet/v3/catalog/${node.certname}?environment=production`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Encoding': 'gzip' },
    body: `facts_format=application%2Fjson&facts=${encodeURIComponent(encodeURIComponent(facts))}`,
  });
  counts.note(status);
  counts.catalogMs.push(performance.now() - began);
}

async function putFacts({ port }: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) {
  await putValues(port, node, { chaos_a: `v${chance.below(1000)}`, chaos_b: 'constant' }, counts);
}

async function putLargeFacts({ port }: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) {
  const many = Object.fromEntries(Array.from({ length: LARGE_FACTS }, (_, index) => [`fact_${index}`, chance.next()]));
  await putValues(port, node, { ...many, chaos_a: 'large', chaos_b: 'constant' }, counts);
}

async function putValues(port: number, node: ClientCredentials, values: object, counts: LoadCounts): Promise<void> {
  const { status } = await sendRequest(node, port, {
    method: 'PUT',
    path: `/puppet/v3/facts/${node.certname}?environment=production`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: node.certname, values }),
  });
  counts.note(status);
}

async function putReport({ port }: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) {
  const { status } = await sendRequest(node, port, {
    method: 'PUT',
    path: `/puppet/v3/report/${node.certname}?environment=production`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      host: node.certname,
      time: '2026-01-01T00:00:00Z',
      configuration_version: 1,
      transaction_uuid: `00000000-0000-4000-8000-${String(chance.below(1e9)).padStart(12, '0')}`,
      report_format: 12,
      puppet_version: '8.10.0',
      status: 'changed',
      noop: false,
      environment: 'production',
      logs: [],
      metrics: {},
      resource_statuses: {},
    }),
  });
  counts.note(status);
}

async function getFile({ port }: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) {
  const path = chance.of([
    'file_metadatas/plugins?recurse=true&',
    'file_metadatas/pluginfacts?recurse=true&',
    'node/self?',
  ]);
  const { status } = await sendRequest(node, port, {
    method: 'GET',
    path: `/puppet/v3/${path.replace('self', node.certname)}environment=production`,
  });
  counts.note(status);
}

async function deployEdit(
  { port, repo, clients }: LoadTarget,
  _: ClientCredentials,
  chance: SeededChance,
  counts: LoadCounts,
) {
  repo.edit(chance.of(repo.files), chance.often(0.5));
  const { status } = await sendRequest(clients.administrator, port, {
    method: 'POST',
    path: '/code-manager/v1/deploys',
    headers: { 'Content-Type': 'application/json', 'X-Authentication': clients.token },
    body: JSON.stringify({ environments: ['production'], wait: true }),
  });
  counts.note(status);
}

async function sendMalformed({ port }: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) {
  const { method, url, headers, body } = malformedRequest(chance);
  // Node's client sends no other characters.
  if (/[^\x21-\x7e]/.test(url)) return;
  const text = body === null ? '' : Buffer.from(body).toString('latin1');
  const path = url.replaceAll('web01.example.com', node.certname);
  const { status } = await sendRequest(node, port, { method, path, headers: Object.fromEntries(headers), body: text });
  counts.note(status);
}

/** A request whose body ends before its announced length. */
async function cutBody({ port }: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) {
  const head = `PUT /puppet/v3/facts/${node.certname}?environment=production HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n`;
  await writeAndLeave(port, node, `${head}Content-Type: application/json\r\n\r\n{"name":`, chance.below(300));
  counts.note(0);
}

/** A client that asks for a catalog and does not wait for it. */
async function vanish({ port }: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) {
  const head = `GET /puppet/v3/catalog/${node.certname}?environment=production HTTP/1.1\r\nHost: x\r\n\r\n`;
  await writeAndLeave(port, node, head, chance.below(50));
  counts.note(0);
}

async function sendGarbage({ port }: LoadTarget, node: ClientCredentials, chance: SeededChance, counts: LoadCounts) {
  await writeAndLeave(port, node, String.fromCharCode(...chance.times(500, () => chance.below(256))), 100);
  counts.note(0);
}

function writeAndLeave(port: number, node: ClientCredentials, text: string, afterMs: number): Promise<void> {
  return new Promise((resolve) => {
    const { certificate: cert, key } = node;
    const socket = connectTls({ port, host: '127.0.0.1', cert, key, rejectUnauthorized: false });
    socket.once('error', () => resolve()).once('close', () => resolve());
    socket.once('secureConnect', () => {
      socket.write(Buffer.from(text, 'latin1'));
      setTimeout(() => socket.destroy(), afterMs);
    });
  });
}

/** A connection that says nothing, not even TLS. */
function staySilent({ port }: LoadTarget, _: ClientCredentials, __: SeededChance, counts: LoadCounts): Promise<void> {
  counts.note(0);
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve()).once('close', () => resolve());
    socket.once('connect', () => setTimeout(() => socket.destroy(), SILENT_MS));
  });
}
