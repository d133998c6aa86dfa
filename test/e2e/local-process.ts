import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface LocalProcessOptions {
  readonly data: string;
  /** Absent: none. */
  readonly controlRepo?: string;
  readonly port?: number;
  readonly workers?: number;
  readonly autosign?: boolean;
  readonly flags?: readonly string[];
  /** The root of the sources to run; these by default. */
  readonly root?: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TIMEOUT_MS = 300_000;

/** `npm start` as a process of its own, with what it prints. */
export class LocalProcess {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  #port = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    }
  }

  /** Starts it and waits until it listens. */
  static async start(options: LocalProcessOptions): Promise<LocalProcess> {
    const { data, controlRepo, port = 0, workers = 1, autosign = true, flags: more = [], root = ROOT } = options;
    const flags = [
      '--data',
      data,
      ...(controlRepo === undefined ? [] : ['--control-repo', controlRepo]),
      '--port',
      String(port),
      '--pcp-port',
      'off',
      '--access-port',
      'off',
      '--console-port',
      'off',
      '--workers',
      String(workers),
    ];
    const entry = join(root, 'functions/local.ts');
    const child = spawn(process.execPath, [entry, ...flags, ...more, ...(autosign ? ['--autosign'] : [])], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const local = new LocalProcess(child);
    const [line] = await local.waitFor(/listens on https:\/\/localhost:\d+/);
    local.#port = Number(/localhost:(\d+)/.exec(line ?? '')?.[1]);
    return local;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get port(): number {
    return this.#port;
  }

  /** The lines that match, as soon as there is one behind `from`. */
  async waitFor(pattern: RegExp, from = 0): Promise<readonly string[]> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const found = this.lines.slice(from).filter((line) => pattern.test(line));
      if (found.length > 0) return found;
      if (this.#child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`No line matches ${pattern}; it printed:\n${this.lines.join('\n')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Ends it with `signal`; answers its exit code (null when the signal killed it). */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    const [code] = await ended;
    return code;
  }
}
