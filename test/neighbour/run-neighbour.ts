import { fork } from 'node:child_process';
import { LocalSite } from '../helpers/local-site.ts';
import { HOSTILE_KINDS } from './hostile-clients.ts';
import type { HostileOrder } from './hostile-process.ts';

export interface NeighbourOptions {
  /** How long the polite node is measured each time. */
  readonly seconds: number;
  /** Names of kinds; all without any. */
  readonly kinds: readonly string[];
  readonly onResult: (result: NeighbourResult) => void;
}

/** How long requests of the polite node take, in milliseconds. */
export interface Latency {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
}

export interface NeighbourResult {
  readonly kind: string;
  readonly quiet: Latency;
  readonly disturbed: Latency;
  /** Requests of the hostile client that were answered meanwhile. */
  readonly hostileAnswers: number;
  /** Requests of the polite node that were not answered with 200. */
  readonly failures: readonly string[];
}

const [POLITE, HOSTILE] = ['polite.example.com', 'hostile.example.com'] as const;
const FILES = 60;
/** The hostile client is at work by then. */
const WARM_UP_MS = 1500;
const PAUSE_MS = 20;

const MANIFEST = `node default {
  file { '/etc/motd': content => "\${facts['networking']}", }
  Integer[1, 200].each |$number| { notify { "note \${number}": } }
}`;

/** Measures a polite node while one hostile client of each kind is at work, and before. */
export async function runNeighbour({ seconds, kinds, onResult }: NeighbourOptions): Promise<void> {
  const files: Record<string, string> = { 'manifests/site.pp': MANIFEST };
  for (let file = 0; file < FILES; file += 1) files[`modules/m/lib/facter/f${file}.rb`] = `# ${file}\n`;
  for (let file = 0; file < FILES; file += 1) files[`modules/m/files/f${file}.txt`] = `${file}\n`;
  const site = await LocalSite.open([POLITE, HOSTILE], files);
  try {
    const node = new PoliteNode(site);
    await node.run();
    for (const { name } of HOSTILE_KINDS.filter((one) => kinds.length === 0 || kinds.includes(one.name))) {
      const quiet = await node.measure(seconds);
      const hostile = startHostile(site, name);
      await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
      const before = hostile.count();
      const disturbed = await node.measure(seconds);
      const hostileAnswers = hostile.count() - before;
      await hostile.stop();
      onResult({ kind: name, quiet, disturbed, hostileAnswers, failures: node.takeFailures() });
    }
  } finally {
    await site.stop();
  }
}

function startHostile(site: LocalSite, kind: string) {
  const child = fork(new URL('./hostile-process.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { ca, cert, key } = site.credentialsOf(HOSTILE);
  const credentials = { ca: String(ca), cert: String(cert), key: String(key) };
  const order: HostileOrder = { kind, certname: HOSTILE, ports: site.ports, token: site.token, credentials };
  let answers = 0;
  child.on('message', () => {
    answers += 1;
  });
  child.send(order);
  return {
    count: () => answers,
    stop: () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

/** A node that does what an agent does in a run, one request after another. */
class PoliteNode {
  readonly #site: LocalSite;
  #failures: string[] = [];

  constructor(site: LocalSite) {
    this.#site = site;
  }

  takeFailures(): readonly string[] {
    const failures = this.#failures;
    this.#failures = [];
    return failures;
  }

  /** Runs for so long. */
  async measure(seconds: number): Promise<Latency> {
    const times: number[] = [];
    const end = performance.now() + 1000 * seconds;
    while (performance.now() < end) times.push(...(await this.run()));
    times.sort((one, other) => one - other);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
    return { requests: times.length, p50: at(0.5), p99: at(0.99) };
  }

  /** One run; the milliseconds of each request. */
  async run(): Promise<readonly number[]> {
    const times: number[] = [];
    for (const [method, path, type, body] of REQUESTS) {
      const began = performance.now();
      const headers = [
        ['Content-Type', type],
        ['Accept', '*/*'],
      ] as const;
      const answer = await this.#site
        .ask({ port: 'frontDoor', method, path, headers, who: POLITE, ...(body === undefined ? {} : { body }) })
        .catch((error: unknown) => ({ status: 0, body: String(error) }));
      times.push(performance.now() - began);
      if (answer.status !== 200) this.#failures.push(`${method} ${path} ${answer.status} ${answer.body.slice(0, 100)}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return times;
  }
}

const FACTS = JSON.stringify({ name: POLITE, values: { networking: 'net', kernel: 'Linux' } });
const FORM = `facts_format=application%2Fjson&facts=${encodeURIComponent(encodeURIComponent(FACTS))}`;
const REPORT = JSON.stringify({ host: POLITE, status: 'unchanged', metrics: {}, logs: [], resource_statuses: {} });
const JSON_TYPE = 'application/json';

const REQUESTS: readonly (readonly [string, string, string, string?])[] = [
  ['GET', `node/${POLITE}`, JSON_TYPE],
  ['GET', 'file_metadatas/plugins', JSON_TYPE],
  ['POST', `catalog/${POLITE}`, 'application/x-www-form-urlencoded', FORM],
  ['GET', 'file_metadata/modules/m/f1.txt', JSON_TYPE],
  ['GET', 'file_content/modules/m/f2.txt', JSON_TYPE],
  ['PUT', `report/${POLITE}`, JSON_TYPE, REPORT],
].map(([method = '', path = '', type = '', body]) => {
  const whole = `/puppet/v3/${path}?environment=production${path.includes('metadatas') ? '&recurse=true' : ''}`;
  return body === undefined ? [method, whole, type] : [method, whole, type, body];
});
