import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { FRONT_DOOR_VARIABLES } from '../../../shared/config/front-doors.ts';
import { findFreePort } from '../free-port.ts';
import type { Sandbox } from './sandbox.ts';

const START_MS = 60_000;

export interface EdgeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Another port of the container than that of its front door. */
  readonly port?: number;
}

export interface EdgeAnswer {
  readonly status: number;
  readonly text: string;
  /** The values of its `Set-Cookie` headers. */
  readonly cookies: readonly string[];
}

/** A container of the edge's image as a process. */
export class EdgeProcess {
  readonly lines: string[] = [];
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    }
  }

  /** Starts a container's command in `folder`; returns when it answers. */
  static async start(
    sandbox: Sandbox,
    folder: string,
    [, ...args]: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<EdgeProcess> {
    const port = await findFreePort();
    const child = sandbox.spawn(args, folder, {
      ...variables,
      NODE_ENV: 'production',
      [FRONT_DOOR_VARIABLES.edgePort]: String(port),
    });
    const edge = new EdgeProcess(child, port);
    const deadline = Date.now() + START_MS;
    while ((await edge.ask('/status/v1/simple').catch(() => null))?.text !== 'running') {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${args.at(-1)} did not start:\n${edge.lines.join('\n')}`);
      }
      await sleep(100);
    }
    return edge;
  }

  /** The id of its process. */
  get pid(): number {
    return this.#child.pid ?? fail('the container has ended');
  }

  /** One request without a client certificate. */
  ask(path: string, { method = 'GET', headers = {}, body, port = this.port }: EdgeRequest = {}): Promise<EdgeAnswer> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, method, headers, rejectUnauthorized: false };
      const outgoing = request(options, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, text, cookies: incoming.headers['set-cookie'] ?? [] });
        });
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }

  /** Tells the container to stop, as Fargate does; returns its exit code. */
  async stop(): Promise<number | null> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

function fail(message: string): never {
  throw new Error(message);
}
