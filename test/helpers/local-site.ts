import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { Agent, type AgentOptions, request as requestTls } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { AccessService } from '../../shared/access/accounts/access-service.ts';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { createToken } from '../../shared/access/tokens/deploy-tokens.ts';
import { cacheFolder } from '../../shared/puppet/ruby/wasm/image-folder.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';

export const PORTS = ['frontDoor', 'broker', 'access', 'orchestrator', 'inventory', 'inventoryTls', 'console'] as const;
export type PortName = (typeof PORTS)[number];

/** The option of each port. */
export const PORT_FLAGS: Readonly<Record<PortName, string>> = {
  frontDoor: '--port',
  broker: '--pcp-port',
  access: '--access-port',
  orchestrator: '--orchestrator-port',
  inventory: '--puppetdb-port',
  inventoryTls: '--puppetdb-tls-port',
  console: '--console-port',
};

const ANSWER_MS = 120_000;

export const ADMINISTRATOR = 'cli';

export interface SiteRequest {
  readonly port: PortName;
  readonly method?: string;
  readonly path: string;
  /** Names and values; a name may be there several times. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
  /** The certname that asks; absent: nobody. */
  readonly who?: string;
  /** Whether the body comes in chunks, without its length. */
  readonly isChunked?: boolean;
}

export interface SiteAnswer {
  readonly status: number;
  readonly type: string;
  /** How long the server keeps the connection. */
  readonly keepAlive: string;
  readonly body: string;
}

/** What a site has beyond the usual. */
export interface SiteOptions {
  readonly flags?: (folder: string) => readonly string[];
  /** Environment variables of the server. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Adds to the data directory before there are keys. */
  readonly prepare?: (data: string) => void;
}

/** A server of `npm start` with all its ports, in a thread, and clients of it. */
export class LocalSite {
  ports: Readonly<Record<PortName, number>>;
  /** The arguments of the server, with the data directory and without its ports. */
  readonly settings: readonly string[];
  /** The token of an administrator. */
  readonly token: string;
  /** A token that only deploys. */
  readonly deployToken: string;
  /** What the server printed. */
  readonly lines: string[] = [];
  readonly #worker: Worker;
  readonly #ended: Promise<unknown>;
  readonly #folder: string;
  readonly #agents: ReadonlyMap<string | undefined, Agent>;

  private constructor(
    worker: Worker,
    folder: string,
    ports: Record<PortName, number>,
    { settings, ...prepared }: Prepared & { readonly settings: readonly string[] },
  ) {
    this.#worker = worker;
    this.settings = settings;
    this.#ended = once(worker, 'exit');
    worker.on('message', ({ line }) => line !== undefined && this.lines.push(line));
    for (const stream of [worker.stdout, worker.stderr]) {
      stream.on('data', (text) => this.lines.push(String(text)));
    }
    this.#folder = folder;
    this.ports = ports;
    this.token = prepared.token;
    this.deployToken = prepared.deployToken;
    this.#agents = prepared.agents;
  }

  /**
   * Starts the server; these names get certificates, and `cli` one of an administrator. It compiles
   * when it has `files` of an environment; without, all compiles wait.
   */
  static async open(
    names: readonly string[],
    files?: Readonly<Record<string, string>>,
    { flags = () => [], variables = {}, prepare = () => {} }: SiteOptions = {},
  ): Promise<LocalSite> {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-site-'));
    const controlRepo = join(folder, 'control-repo');
    for (const [path, text] of Object.entries({ 'manifests/site.pp': '', ...files })) {
      const file = join(controlRepo, 'environments/production', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const data = join(folder, 'data');
    const prepared = await prepareData(data, names, prepare);
    const settings = ['--data', data, '--control-repo', controlRepo, ...flags(folder)];
    const worker = new Worker(new URL('./local-site-thread.ts', import.meta.url), {
      workerData: {
        variables,
        isCompiling: files !== undefined,
        flags: [...PORTS.flatMap((name) => [PORT_FLAGS[name], '0']), ...settings],
      },
      env: { ...process.env, NODE_COMPILE_CACHE: cacheFolder() ?? '', ...variables },
      stdout: true,
      stderr: true,
    });
    const ports = await new Promise<Record<PortName, number>>((resolve, reject) => {
      worker.on('error', reject);
      worker.on('message', (message) => message.ports && resolve(message.ports));
    });
    return new LocalSite(worker, folder, ports, { ...prepared, settings });
  }

  /** Sends a request and reads the whole answer. */
  async ask({
    port,
    method = 'GET',
    path,
    headers = [],
    body,
    who,
    isChunked = false,
  }: SiteRequest): Promise<SiteAnswer> {
    const host = `localhost:${this.ports[port]}`;
    const bytes = body === undefined ? null : Buffer.byteLength(body);
    const framing = isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(bytes)];
    const length = bytes === null ? [] : framing;
    const options = {
      ...{ host: 'localhost', port: this.ports[port], method, path, signal: AbortSignal.timeout(ANSWER_MS) },
      headers: ['Host', host, ...length, ...headers.flat()],
    };
    const agent = this.#agents.get(who);
    const sent = port === 'inventory' ? requestPlain(options) : requestTls({ ...options, ...(agent && { agent }) });
    sent.end(body);
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const type = String(response.headers['content-type'] ?? '');
    const keepAlive = String(response.headers['keep-alive'] ?? '');
    return { status: response.statusCode, type, keepAlive, body: Buffer.concat(chunks).toString() };
  }

  /** What a client of this name shows, and whom it trusts; PEM. */
  credentialsOf(who: string | undefined): Pick<AgentOptions, 'ca' | 'cert' | 'key'> {
    const { ca, cert, key } = this.#agents.get(who)?.options ?? {};
    return { ca, cert, key };
  }

  /** A connection on which a test writes bytes as they are. */
  async dial(port: PortName, who: string): Promise<Socket> {
    const { ca, cert, key } = this.credentialsOf(who);
    const address = { host: 'localhost', port: this.ports[port] };
    const socket = port === 'inventory' ? connectPlain(address) : connectTls({ ...address, ca, cert, key });
    await once(socket, port === 'inventory' ? 'connect' : 'secureConnect');
    return socket;
  }

  /** Processor time of the longest turn of the server's event loop since the last call. */
  async takeLongestTurnMs(): Promise<number> {
    this.#worker.postMessage('measure');
    for (;;) {
      const [message] = await once(this.#worker, 'message');
      if (message.longestTurnMs !== undefined) return message.longestTurnMs;
    }
  }

  /** The data directory. */
  get data(): string {
    return join(this.#folder, 'data');
  }

  /** The control repo that the server watches. */
  get controlRepo(): string {
    return join(this.#folder, 'control-repo');
  }

  /** Stops the server, and leaves its folder. */
  async halt(): Promise<void> {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#worker.postMessage('stop');
    await this.#ended;
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Prepared {
  readonly token: string;
  readonly deployToken: string;
  readonly agents: ReadonlyMap<string | undefined, Agent>;
}

/** Makes the authority, certificates and tokens before the server starts. */
async function prepareData(data: string, names: readonly string[], prepare: (data: string) => void): Promise<Prepared> {
  const stores = openEmbeddedStores(data);
  prepare(data);
  const vault = openKeyFileVault(join(data, 'ca-key-file'), true);
  const authority = await CertificateAuthority.open(stores.documents, stores.clock, {
    ...{ name: 'localhost', autosign: true, keyBits: 2048, vault },
  });
  const common = { keepAlive: true, maxSockets: 4, ca: authority.certificatePem };
  const agents = new Map<string | undefined, Agent>([[undefined, new Agent(common)]]);
  for (const name of [...names, ADMINISTRATOR]) {
    const { certificate: cert, key } = await authority.generate(name, [], name === ADMINISTRATOR);
    agents.set(name, new Agent({ ...common, cert, key }));
  }
  const access = new AccessService({ ...stores, secrets: systemSecrets });
  const admin = await access.accounts.findByLogin('admin');
  if (admin === null) throw new Error('there is no administrator');
  const token = await access.tokens.create(admin, { lifetimeMs: 3600_000 });
  const deployToken = 'd'.repeat(43);
  await createToken(stores, deployToken, 'a pipeline', null);
  stores.close();
  return { token, deployToken, agents };
}
