import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AccessService } from '../../../shared/access/accounts/access-service.ts';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { type LocalServer, startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';
import { openKeyFileVault } from '../../../shared/store/embedded/key-file-vault.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { systemSecrets } from '../../../shared/store/system-secrets.ts';
import { PxpAgent, type PxpCredentials } from '../../helpers/pxp-agent.ts';

type Body = Readonly<Record<string, unknown>>;

export interface PlanAnswer {
  readonly code: number | undefined;
  readonly body: Body;
}

/** A server that runs plans, whose agents are simulated. */
export class PlanSite {
  readonly folder = mkdtempSync(join(tmpdir(), 'understudy-plans-'));
  readonly #trusted: string;
  readonly #authority: CertificateAuthority;
  readonly access: AccessService;
  readonly stores: EmbeddedStores;
  readonly #tokens = new Map<string, string>();
  server: LocalServer | null = null;

  private constructor(stores: EmbeddedStores, authority: CertificateAuthority) {
    this.stores = stores;
    this.#authority = authority;
    this.#trusted = authority.certificatePem;
    this.access = new AccessService({ ...stores, secrets: systemSecrets });
  }

  /** A site with files of modules, by path. */
  static async open(files: Readonly<Record<string, string>>): Promise<PlanSite> {
    const data = mkdtempSync(join(tmpdir(), 'understudy-plan-data-'));
    const stores = openEmbeddedStores(data);
    const vault = openKeyFileVault(join(data, 'ca-key-file'), true);
    const naming = { name: 'localhost', autosign: true, keyBits: 2048, vault };
    const authority = await CertificateAuthority.open(stores.documents, stores.clock, naming);
    const site = new PlanSite(stores, authority);
    site.#data = data;
    for (const [path, content] of Object.entries({ ...files })) site.#write(`modules/${path}`, content);
    site.#write('manifests/site.pp', '');
    await site.addUser('admin');
    await site.start();
    return site;
  }

  #data = '';

  async start(): Promise<void> {
    const ports = ['--port', '0', '--pcp-port', '0', '--access-port', 'off', '--console-port', 'off'];
    const places = ['--control-repo', join(this.folder, 'control-repo'), '--data', this.#data];
    const options = readLocalOptions([...places, ...ports, '--orchestrator-port', '0'], { workers: 1 });
    this.server = await startLocalServer(options, {
      hostname: 'localhost',
      uid: process.getuid?.() ?? 0,
      workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
      planModule: new URL('../../../functions/local-plan-worker.ts', import.meta.url),
      print: () => {},
      onFailure: (error) => {
        throw error;
      },
      readLoad: () => 0,
    });
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = null;
  }

  async close(): Promise<void> {
    await this.stop();
    this.stores.close();
    for (const folder of [this.folder, this.#data]) rmSync(folder, { recursive: true });
  }

  /** Makes a token for a user that exists. */
  async addUser(login: string): Promise<void> {
    const user = await this.access.accounts.findByLogin(login);
    if (user === null) throw new Error(`no user ${login}`);
    this.#tokens.set(login, await this.access.tokens.create(user, { lifetimeMs: 3600_000 }));
  }

  /** Connects a node whose agent runs commands by `run`. */
  async connect(name: string, run: (command: string) => Body): Promise<PxpAgent> {
    const { certificate, key } = await this.#authority.generate(name, [], false);
    const credentials: PxpCredentials = { certificate, key, trusted: this.#trusted };
    const agent = await PxpAgent.open(this.server?.pcpPort ?? 0, credentials);
    agent.results['command run'] = ({ command }) => ({ exitcode: 0, ...run(String(command)) });
    return agent;
  }

  ask(method: string, path: string, body?: unknown, user = 'admin'): Promise<PlanAnswer> {
    return new Promise((resolve, reject) => {
      const headers = { 'X-Authentication': this.#tokens.get(user) ?? '', 'Content-Type': 'application/json' };
      const address = { host: 'localhost', port: this.server?.orchestratorPort, path: `/orchestrator/v1${path}` };
      const sent = request({ ...address, method, headers, ca: this.#trusted }, (response) => {
        text(response).then((answer) => resolve({ code: response.statusCode, body: JSON.parse(answer) }), reject);
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Runs a plan to its end; returns the plan job. */
  async runPlan(plan: string, params: Body = {}): Promise<Body> {
    const { code, body } = await this.ask('POST', '/command/plan_run', { plan_name: plan, params });
    if (code !== 202) throw new Error(`${code} ${JSON.stringify(body)}`);
    return this.waitFor(String(body.name));
  }

  async waitFor(name: string): Promise<Body> {
    for (;;) {
      const { body } = await this.ask('GET', `/plan_jobs/${name}`);
      if (body.state !== 'running') return body;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Events of a plan job, each as its type and its message. */
  async events(name: string): Promise<readonly string[]> {
    const { body } = await this.ask('GET', `/plan_jobs/${name}/events`);
    const items = body.items as readonly { readonly type: string; readonly message: string }[];
    return items.map(({ type, message }) => `${type}: ${message}`);
  }

  #write(path: string, content: string): void {
    const full = join(this.folder, 'control-repo/environments/production', path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
  }
}
