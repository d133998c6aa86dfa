import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { type BrokerServer, startBrokerServer } from '../../../../shared/orchestrator/broker/broker-server.ts';
import { STANDARD_POLICY } from '../../../../shared/orchestrator/broker/standard-policy.ts';
import { makeMessageId } from '../../../../shared/orchestrator/pcp/message-id.ts';
import { type AddressedMessage, encodeData } from '../../../../shared/orchestrator/pcp/pcp-message.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { findFreePort } from '../../../helpers/free-port.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';
import { type RunnerCredentials, RunnerProcess } from './runner-process.ts';

const PREFIX = 'http://puppetlabs.com/';
/** So long anything is waited for. */
const PATIENCE_MS = 300_000;
export const CONTROLLER = 'pcp://localhost/orchestrator';

export type Values = Readonly<Record<string, unknown>>;

/** A message of an agent: its type without the prefix, and the id of what it answers. */
export interface Answer {
  readonly type: string;
  readonly data: Values & { readonly results?: Values; readonly description?: string };
  readonly inReplyTo: string | null;
}

/** A file as requests name it. */
export interface ServedFile {
  readonly filename: string;
  readonly uri: { readonly path: string; readonly params: Values };
  readonly sha256: string;
}

/** A broker with a controller, a server of files, and runners of nodes. */
export class RunnerWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'understudy-runner-'));
  readonly authority: CertificateAuthority;
  readonly stranger: CertificateAuthority;
  readonly brokers: BrokerServer[] = [];
  readonly answers: (Answer & { readonly from: string })[] = [];
  /** The requests for files: certname and path with its query. */
  readonly fetched: string[] = [];
  readonly #contents = new Map<string, Buffer>();
  readonly #runners: RunnerProcess[] = [];
  #files: Server | null = null;

  private constructor(authority: CertificateAuthority, stranger: CertificateAuthority) {
    this.authority = authority;
    this.stranger = stranger;
  }

  static async create(): Promise<RunnerWorld> {
    const open = (name: string) =>
      CertificateAuthority.open(new MemoryDocuments(), systemClock, { name, autosign: true, keyType: 'ec' });
    const world = new RunnerWorld(await open('ours'), await open('other'));
    await world.#serveFiles();
    return world;
  }

  /** Starts a broker; on a port of before, it is the same one again. */
  async startBroker(port?: number, by = this.authority, ...names: readonly string[]): Promise<BrokerServer> {
    const [name = 'localhost', ...others] = names;
    const server = await startBrokerServer({
      host: '127.0.0.1',
      port: port ?? (await findFreePort()),
      credentials: { ...(await by.serverCredentials(name, others)), trusted: this.authority.certificatePem },
      readRevocations: async () => (await this.authority.revocationLists()).pem,
      policy: STANDARD_POLICY,
      clock: systemClock,
      reportFailure: () => {},
    });
    await server.broker.attach({ uri: CONTROLLER, receive: (message) => this.#receive(message) });
    this.brokers.push(server);
    return server;
  }

  async credentials(certname: string): Promise<RunnerCredentials> {
    const { certificate, key } = await this.authority.generate(certname, [], false);
    return { certificate, key, trusted: this.authority.certificatePem, revocations: await this.revocations() };
  }

  async revocations(): Promise<string> {
    return (await this.authority.revocationLists()).pem;
  }

  /** A runner that knows these brokers. */
  async addRunner(
    certname: string,
    brokers: readonly BrokerServer[],
    settings: Values = {},
    credentials?: RunnerCredentials,
  ): Promise<RunnerProcess> {
    const runner = new RunnerProcess(join(this.folder, certname), credentials ?? (await this.credentials(certname)), {
      'broker-ws-uris': brokers.map(({ port }) => `wss://localhost:${port}/pcp2/`),
      'primary-uris': [`https://localhost:${this.filePort}`],
      ...settings,
    });
    // A message goes nowhere while a broker still has the connection of before.
    runner.waitUntilForgotten = () =>
      waitUntil(`the end of ${certname}`, async () => !(await this.isConnected(certname)));
    this.#runners.push(runner);
    return runner;
  }

  get filePort(): number {
    const address = this.#files?.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Serves a file; the request may name another digest. */
  serve(filename: string, content: string | Buffer, sha256?: string): ServedFile {
    const path = `/files/${filename}`;
    this.#contents.set(path, Buffer.from(content));
    const params = { environment: 'production' };
    return { filename, uri: { path, params }, sha256: sha256 ?? createHash('sha256').update(content).digest('hex') };
  }

  /** Whether a node is connected to one of the brokers. */
  async isConnected(certname: string, brokers: readonly BrokerServer[] = this.brokers): Promise<boolean> {
    const found = await Promise.all(brokers.map(({ broker }) => broker.findClients([`pcp://${certname}/agent`])));
    return found.some((clients) => clients.length > 0);
  }

  async waitFor(certname: string, brokers?: readonly BrokerServer[]): Promise<void> {
    await waitUntil(`the connection of ${certname}`, () => this.isConnected(certname, brokers));
  }

  /** Sends any message to a node; returns its id. */
  async send(certname: string, type: string, data: unknown, sender = CONTROLLER): Promise<string> {
    const id = makeMessageId(() => systemClock.random());
    const message = { id, type: PREFIX + type, sender, target: `pcp://${certname}/agent`, inReplyTo: null };
    const sent = this.brokers.map(({ broker }) =>
      broker.send({ ...message, data: data === undefined ? null : encodeData(data), isMulticast: false }),
    );
    await Promise.all(sent);
    return id;
  }

  /** Sends a non-blocking request; returns its transaction. */
  async begin(certname: string, what: string, params: Values, transaction_id: string = randomUUID()): Promise<string> {
    const [module, action] = what.split(' ');
    const data = { transaction_id, module, action, params, notify_outcome: true };
    await this.send(certname, 'rpc_non_blocking_request', data);
    return transaction_id;
  }

  /** Sends a blocking request and waits for its answer. */
  async ask(certname: string, what: string, params: Values = {}): Promise<Answer> {
    const transaction_id = randomUUID();
    const [module, action] = what.split(' ');
    await this.send(certname, 'rpc_blocking_request', { transaction_id, module, action, params });
    return this.answerOf(transaction_id);
  }

  /** Runs to the end; the provisional answer comes first. */
  async run(certname: string, what: string, params: Values): Promise<Answer> {
    return this.answerOf(await this.begin(certname, what, params));
  }

  /** The next answer about a transaction that is no provisional one. */
  async answerOf(transaction: string, isWanted = (type: string) => type !== 'rpc_provisional_response') {
    let found: Answer | undefined;
    await waitUntil(`the answer about ${transaction}`, async () => {
      found = this.answers.find(({ type, data }) => data.transaction_id === transaction && isWanted(type));
      return found !== undefined;
    });
    if (found === undefined) throw new Error('invariant: there is an answer');
    return found;
  }

  countAnswers(transaction: string, type: string): number {
    return this.answers.filter((one) => one.data.transaction_id === transaction && one.type === type).length;
  }

  status(certname: string, transaction_id: string): Promise<Values> {
    return this.ask(certname, 'status query', { transaction_id }).then(({ data }) => data.results ?? {});
  }

  /** A program in the folder of the world. */
  program(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  async close(): Promise<void> {
    await Promise.all(this.#runners.map((runner) => runner.end('SIGKILL')));
    await Promise.all(this.brokers.map((broker) => broker.stop(0)));
    this.#files?.closeAllConnections();
    this.#files?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #receive({ type, sender, data, inReplyTo }: AddressedMessage): void {
    const parsed: Values = data === null ? {} : Object(JSON.parse(Buffer.from(data).toString()));
    this.answers.push({ type: type.replace(PREFIX, ''), data: parsed, inReplyTo, from: sender });
  }

  async #serveFiles(): Promise<void> {
    const { certificate: cert, key } = await this.authority.serverCredentials('localhost', []);
    const tls = { cert, key, ca: this.authority.certificatePem, requestCert: true, rejectUnauthorized: true };
    this.#files = createServer(tls, (request, response) => {
      const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
      this.fetched.push(`${CN} ${request.url}`);
      const content = this.#contents.get(decodeURIComponent((request.url ?? '').split('?')[0] ?? ''));
      response.writeHead(content === undefined ? 404 : 200).end(content ?? 'there is no such file');
    });
    this.#files.listen(0, '127.0.0.1');
    await once(this.#files, 'listening');
  }
}

async function waitUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited for ${what} in vain`);
    await setTimeout(10);
  }
}
