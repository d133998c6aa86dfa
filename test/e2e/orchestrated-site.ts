import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { AccessService } from '../../shared/access/accounts/access-service.ts';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';
import { runClientCommand } from '../helpers/client-commands.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { ScriptedTerminal } from '../helpers/scripted-terminal.ts';
import { EditableControlRepo } from './control-repo.ts';
import { DrivenAgent } from './driven-agent.ts';
import { LocalProcess } from './local-process.ts';
import type { AgentServers, NodeAgent } from './node-agent.ts';
import { PuppetAgent } from './puppet-agent.ts';

const STATES_OF_THE_END = ['finished', 'failed', 'stopped'];
const HOUR_MS = 3600_000;

interface Answer {
  readonly code: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Ports extends AgentServers {
  readonly orchestratorPort: number;
}

/** Makes the PXP agent of a node. */
export type MakeAgent = (puppet: PuppetAgent, servers: AgentServers) => NodeAgent;

/** A server with an orchestrator, whose process may be killed, and agents of nodes with Puppet. */
export class OrchestratedSite {
  readonly controlRepo: EditableControlRepo;
  readonly authority: CertificateAuthority;
  readonly access: AccessService;
  readonly #folder: string;
  readonly #stores: EmbeddedStores;
  readonly ports: Ports;
  readonly #agents: NodeAgent[] = [];
  readonly #makeAgent: MakeAgent;
  #server: LocalProcess | null = null;
  /** The exit code of the last command; null for none. */
  exitCode: number | null = null;

  private constructor(
    folder: string,
    stores: EmbeddedStores,
    authority: CertificateAuthority,
    ports: Ports,
    makeAgent: MakeAgent,
  ) {
    this.#makeAgent = makeAgent;
    this.#folder = folder;
    this.#stores = stores;
    this.ports = ports;
    this.authority = authority;
    this.access = new AccessService({ ...stores, secrets: systemSecrets });
    this.controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
  }

  /**
   * A site with files of the environment, without a server. Nodes have the agents of `makeAgent`.
   */
  static async create(
    files: Readonly<Record<string, string>>,
    makeAgent: MakeAgent = (puppet, servers) => new DrivenAgent(puppet, servers),
  ): Promise<OrchestratedSite> {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-orchestrated-'));
    const stores = openEmbeddedStores(join(folder, 'data'));
    const vault = openKeyFileVault(join(folder, 'data/ca-key-file'), true);
    const naming = { name: 'localhost', autosign: true, keyBits: 2048, vault };
    const authority = await CertificateAuthority.open(stores.documents, stores.clock, naming);
    const [port, pcpPort, orchestratorPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const site = new OrchestratedSite(folder, stores, authority, { port, pcpPort, orchestratorPort }, makeAgent);
    for (const [path, content] of Object.entries(files)) site.controlRepo.write(path, content);
    const client = { 'service-url': `https://localhost:${orchestratorPort}`, cacert: join(folder, 'ca.pem') };
    mkdirSync(join(folder, 'home/.puppetlabs'), { recursive: true });
    mkdirSync(join(folder, 'client-tools'));
    writeFileSync(join(folder, 'ca.pem'), authority.certificatePem);
    writeFileSync(join(folder, 'client-tools/orchestrator.conf'), JSON.stringify({ options: client }));
    site.useToken(await site.createToken('admin'));
    return site;
  }

  /** Starts the server, always on the same ports, with further flags. */
  async start(more: readonly string[] = [], autosign = true): Promise<void> {
    const { port, pcpPort, orchestratorPort } = this.ports;
    const flags = ['--pcp-port', String(pcpPort), '--orchestrator-port', String(orchestratorPort)];
    const exports = ['--export-delay', '0', '--export-interval', '0'];
    this.#server = await LocalProcess.start({
      data: join(this.#folder, 'data'),
      controlRepo: this.controlRepo.directory,
      port,
      autosign,
      flags: [...flags, ...exports, ...more],
    });
  }

  /** Kills the server. */
  async kill(): Promise<void> {
    await this.#server?.end('SIGKILL');
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.close()));
    await this.#server?.end('SIGTERM');
    this.#stores.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** A node that got its certificate and its first catalog, with an agent that is connected. */
  async addNode(certname: string): Promise<NodeAgent> {
    const puppet = new PuppetAgent(certname);
    await puppet.run(this.ports.port);
    return this.connectAgent(puppet);
  }

  /** An agent that has its certificate already. */
  async addSignedNode(certname: string): Promise<PuppetAgent> {
    const puppet = new PuppetAgent(certname);
    const { certificate, key } = await this.authority.generate(certname, [], false);
    const files = { certs: certificate, private_keys: key };
    for (const [folder, pem] of Object.entries(files)) {
      const directory = join(puppet.folder, 'ssldir', folder);
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, `${certname}.pem`), pem);
    }
    writeFileSync(join(puppet.folder, 'ssldir/certs/ca.pem'), this.authority.certificatePem);
    return puppet;
  }

  /** Connects the agent of a node that has its certificate. */
  async connectAgent(puppet: PuppetAgent): Promise<NodeAgent> {
    const agent = this.#makeAgent(puppet, this.ports);
    this.#agents.push(agent);
    agent.start();
    await waitUntil(() => agent.isConnected);
    return agent;
  }

  async createToken(login: string, lifetimeMs = HOUR_MS): Promise<string> {
    const account = await this.access.accounts.findByLogin(login);
    if (account === null) throw new Error(`there is no user ${login}`);
    return this.access.tokens.create(account, { lifetimeMs });
  }

  /** Keeps a token for the commands. */
  useToken(token: string): void {
    writeFileSync(join(this.#folder, 'home/.puppetlabs/token'), `${token}\n`);
  }

  /** Runs a command, and returns what it printed. */
  run(...args: readonly string[]): Promise<string> {
    this.exitCode = null;
    return runClientCommand(args, {
      warn: () => {},
      exit: (code) => {
        this.exitCode = code;
      },
      sleep: () => setTimeout(50),
      terminal: new ScriptedTerminal(),
      folders: { home: join(this.#folder, 'home'), global: join(this.#folder, 'client-tools') },
      onInterrupt: () => () => {},
    });
  }

  /** Asks the orchestrator's API, with the token given. */
  ask(method: string, path: string, token: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { orchestratorPort: port } = this.ports;
      const headers = { 'X-Authentication': token, 'Content-Type': 'application/json' };
      const options = { host: 'localhost', port, path: `/orchestrator/v1${path}`, method, headers, agent: false };
      const asked = request({ ...options, ca: this.authority.certificatePem }, (answer) => {
        text(answer).then((json) => resolve({ code: answer.statusCode, body: JSON.parse(json) }), reject);
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Waits for the end of a job; returns its nodes by name. */
  async waitForJob(job: string): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
    const token = await this.createToken('admin');
    for (;;) {
      const { body } = await this.ask('GET', `/jobs/${job}`, token);
      if (STATES_OF_THE_END.includes(String(body.state))) break;
      await setTimeout(50);
    }
    const { body } = await this.ask('GET', `/jobs/${job}/nodes`, token);
    const items = body.items as readonly { readonly name: string }[];
    return Object.fromEntries(items.map((item) => [item.name, item]));
  }

  /** Whether a text is in any file of the data directory. */
  hasStored(secret: string): boolean {
    const data = join(this.#folder, 'data');
    const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(secret));
  }
}

/** Waits for what must happen soon. */
export async function waitUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) await setTimeout(20);
}
