import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../helpers/free-port.ts';
import { PORT_FLAGS, PORTS, type PortName } from '../helpers/local-site.ts';
import { type TaintedSite, waitUntil } from './tainted-site.ts';

const ENTRY = fileURLToPath(new URL('../../functions/start-server', import.meta.url));

/** The server of a site as the process that `npm start` makes, after its thread was halted. */
export class SecondLife {
  /** Its current folder, where Node would put reports and snapshots. */
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #lines: string[];

  private constructor(child: ChildProcess, folder: string, lines: string[]) {
    this.#child = child;
    this.folder = folder;
    this.#lines = lines;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => lines.push(String(text)));
  }

  static async start({ site, variables }: TaintedSite): Promise<SecondLife> {
    const ports = Object.fromEntries(
      await Promise.all(PORTS.map(async (name) => [name, await findFreePort()] as const)),
    );
    const flags = PORTS.flatMap((name) => [PORT_FLAGS[name], String(ports[name])]);
    const folder = join(dirname(site.data), 'current');
    mkdirSync(folder);
    const child = spawn(ENTRY, [...flags, '--workers', '1', ...site.settings], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...variables, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    });
    const life = new SecondLife(child, folder, site.lines);
    await life.waitFor(/listens on https:/);
    site.ports = ports as Record<PortName, number>;
    return life;
  }

  /** Waits until it prints what matches. */
  async waitFor(pattern: RegExp): Promise<void> {
    const { length } = this.#lines;
    await waitUntil(async () => {
      if (this.#child.exitCode !== null) throw new Error(`the server ended:\n${this.#lines.slice(-30).join('\n')}`);
      return pattern.test(this.#lines.slice(length).join(''));
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its end; returns the exit code, and what it left in its current folder. */
  async end(): Promise<readonly [code: number | null, left: readonly string[]]> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
    return [this.#child.exitCode, readdirSync(this.folder)];
  }
}
