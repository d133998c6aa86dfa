import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { AccessService } from '../../shared/access/accounts/access-service.ts';
import { readPublicAuthority } from '../../shared/access/ca/authority-record.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';
import { DrivenAgent } from '../e2e/driven-agent.ts';
import { PuppetAgent } from '../e2e/puppet-agent.ts';
import type { ServerPorts } from './balancer.ts';

const LOOK_MS = 200;
const TOKEN_MS = 24 * 3600_000;
const ENDS = ['finished', 'failed', 'stopped'];

/** The certificate of the authority that servers and agents share. */
export async function readCertificates({ documents }: Pick<Stores, 'documents'>): Promise<string> {
  return (await readPublicAuthority(documents))?.chain ?? '';
}

/** The manifest of nodes of this kind, to be put before others. */
export const REAL_NODES = "$trusted['certname'] =~ /^real/";
export const REAL_MANIFEST = `file { "\${facts['e2e_root']}/release": content => lookup('release', default_value => 'none') }`;

/** A node with the installed Puppet and a PXP agent, which know only the balancer. */
export class RealAgent {
  readonly puppet: PuppetAgent;
  readonly pxp: DrivenAgent;
  readonly #ports: ServerPorts;

  private constructor(puppet: PuppetAgent, ports: ServerPorts) {
    this.puppet = puppet;
    this.pxp = new DrivenAgent(puppet, ports);
    this.#ports = ports;
  }

  /** Gets a certificate and a first catalog; then the PXP agent connects. Throws without either. */
  static async join(certname: string, ports: ServerPorts): Promise<RealAgent> {
    const agent = new RealAgent(new PuppetAgent(certname), ports);
    const { code, output } = await agent.run();
    if (code !== 2) throw new Error(`the first run of ${certname} ended with ${code}:\n${output}`);
    agent.pxp.start();
    while (!agent.pxp.isConnected) await pause(LOOK_MS);
    return agent;
  }

  /** One run of `puppet agent`. */
  run(): ReturnType<PuppetAgent['run']> {
    return this.puppet.run(this.#ports.port);
  }

  /**
   * Runs again and again until `signal` aborts; after each good run, `onRun` gets the milliseconds
   * since the one before.
   */
  async keepRunning(signal: AbortSignal, onRun: (sinceMs: number) => void): Promise<void> {
    let last = performance.now();
    while (!signal.aborted) {
      const { code } = await this.run();
      if (code !== 0 && code !== 2) continue;
      onRun(performance.now() - last);
      last = performance.now();
    }
  }
}

/** An operator of the orchestrator behind the balancer. */
export class Operator {
  readonly #port: number;
  readonly #ca: string;
  readonly #token: string;

  private constructor(port: number, ca: string, token: string) {
    [this.#port, this.#ca, this.#token] = [port, ca, token];
  }

  static async open(stores: Stores, { orchestratorPort }: ServerPorts, ca: string): Promise<Operator> {
    const access = new AccessService({ ...stores, secrets: systemSecrets });
    const admin = await access.accounts.findByLogin('admin');
    if (admin === null) throw new Error('there is no administrator');
    return new Operator(orchestratorPort, ca, await access.tokens.create(admin, { lifetimeMs: TOKEN_MS }));
  }

  /**
   * Runs a command on nodes once their agents are connected; returns its outputs by node, and the
   * whole result of one without. It asks until it is answered.
   */
  async runCommand(command: string, nodes: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    for (const node of nodes) while (!(await this.isConnected(node))) await pause(LOOK_MS);
    const job = { task: 'bolt_shim::command', params: { command }, scope: { nodes } };
    const made = await this.#insist('POST', '/command/task', job);
    const { name } = made.job as { readonly name: string };
    for (;;) {
      const { state } = await this.#insist('GET', `/jobs/${name}`);
      if (ENDS.includes(String(state))) break;
      await pause(LOOK_MS);
    }
    const { items } = await this.#insist('GET', `/jobs/${name}/nodes`);
    const results = items as readonly { readonly name: string; readonly result?: { readonly stdout?: unknown } }[];
    return Object.fromEntries(results.map((one) => [one.name, one.result?.stdout ?? one]));
  }

  /** Whether the agent of a node is connected, wherever. */
  async isConnected(node: string): Promise<boolean> {
    return (await this.#insist('GET', `/inventory/${node}`)).connected === true;
  }

  async #insist(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    for (;;) {
      const answer = await this.#ask(method, path, body).catch(() => null);
      if (answer !== null && answer.code < 300) return answer.body;
      if (answer !== null && answer.code < 500) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
      await pause(LOOK_MS);
    }
  }

  #ask(method: string, path: string, body?: object) {
    return new Promise<{ readonly code: number; readonly body: Readonly<Record<string, unknown>> }>(
      (resolve, reject) => {
        const headers = { 'X-Authentication': this.#token, 'Content-Type': 'application/json' };
        const address = { host: 'localhost', port: this.#port, path: `/orchestrator/v1${path}`, agent: false };
        const sent = request({ ...address, method, headers, ca: this.#ca }, (response) => {
          text(response).then((json) => resolve({ code: response.statusCode ?? 0, body: JSON.parse(json) }), reject);
        });
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      },
    );
  }
}
