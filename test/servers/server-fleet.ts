import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaosWorld } from '../chaos/chaos-world.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import { findFreePort } from '../helpers/free-port.ts';
import type { Backend, ServerPorts } from './balancer.ts';

/** Shorter than a balancer's two checks take: some connections still come. */
const DRAIN_SECONDS = 3;

type Report = Pick<ChaosWorld, 'log' | 'report'>;

/** Ports that nothing listens on. */
export async function findServerPorts(): Promise<ServerPorts> {
  return { port: await findFreePort(), pcpPort: await findFreePort(), orchestratorPort: await findFreePort() };
}

/** Servers of one database, each with a folder and a port that it keeps. */
export class ServerFleet {
  readonly backends: readonly Backend[];
  readonly #folder: string;
  readonly #url: string;
  readonly #world: Report;
  readonly #running = new Map<string, LocalProcess>();

  private constructor(folder: string, url: string, world: Report, backends: readonly Backend[]) {
    [this.#folder, this.#url, this.#world, this.backends] = [folder, url, world, backends];
  }

  static async prepare(folder: string, url: string, servers: number, world: Report): Promise<ServerFleet> {
    const backends: Backend[] = [];
    for (let number = 1; number <= servers; number += 1) {
      backends.push({ name: `server${number}`, ...(await findServerPorts()) });
      mkdirSync(join(folder, `server${number}`));
    }
    for (const name of ['values-key', 'ca-key']) {
      writeFileSync(join(folder, name), randomBytes(32).toString('hex'), { mode: 0o600 });
    }
    return new ServerFleet(folder, url, world, backends);
  }

  get caKeyFile(): string {
    return join(this.#folder, 'ca-key');
  }

  /** Starts a server and waits until it listens. */
  async start({ name, port, pcpPort, orchestratorPort }: Backend): Promise<void> {
    const keys = ['--key-file', join(this.#folder, 'values-key'), '--ca-key-file', this.caKeyFile];
    const fast = ['--export-delay', '1', '--export-interval', '1', '--keep-history', '1', '--keep-code', '1'];
    const shared = ['--database', this.#url, '--server-name', 'puppet', '--drain-time', String(DRAIN_SECONDS)];
    const ports = ['--pcp-port', String(pcpPort), '--orchestrator-port', String(orchestratorPort)];
    const flags = [...shared, ...keys, ...fast, ...ports];
    const server = await LocalProcess.start({ data: join(this.#folder, name), port, flags });
    this.#world.log.note(`${name}: listens, process ${server.pid}`);
    this.#running.set(name, server);
  }

  async end({ name }: Backend, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const server = this.#running.get(name);
    this.#running.delete(name);
    this.#world.log.note(`${name}: ${signal}`);
    const code = await server?.end(signal);
    for (const line of server?.lines ?? []) this.#world.log.note(`${name}: ${line}`);
    if (signal === 'SIGTERM' && code !== 0) this.#world.report(`${name} ended with ${code} after SIGTERM`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.backends.map((backend) => this.end(backend, 'SIGKILL')));
  }
}
