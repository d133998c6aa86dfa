import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

const PREFIX = '/2018-06-01/runtime';

/** An error that a function, or its start, reported to the Runtime API. */
export class FunctionFailed extends Error {}

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Lambda's Runtime API for one execution environment, on the loopback interface: next invocation,
 * response, error of an invocation, error of the start. An environment processes one event at a
 * time.
 */
export class RuntimeApi {
  readonly #server: Server;
  readonly #deadlineMs: number;
  #asking: ServerResponse | null = null;
  #waiting: Invocation[] = [];
  #current: Invocation | null = null;
  #invocations = 0;

  private constructor(server: Server, deadlineMs: number) {
    this.#server = server;
    this.#deadlineMs = deadlineMs;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  /** `deadlineMs`: the time-out of the function. */
  static async start(deadlineMs: number): Promise<RuntimeApi> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RuntimeApi(server, deadlineMs);
  }

  /** The value of `AWS_LAMBDA_RUNTIME_API`. */
  get address(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the Runtime API has no address');
    return `127.0.0.1:${address.port}`;
  }

  /** Hands over an event; returns the function's answer. Throws FunctionFailed. */
  invoke(event: unknown): Promise<unknown> {
    this.#invocations += 1;
    const id = `invocation-${this.#invocations}`;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, event, resolve, reject });
      this.#handOver();
    });
  }

  /** Fails everything that was asked, because the process ended. */
  abandon(reason: string): void {
    const open = [...(this.#current ? [this.#current] : []), ...this.#waiting];
    this.#current = null;
    this.#waiting = [];
    this.#asking = null;
    for (const { reject } of open) reject(new FunctionFailed(reason));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').slice(PREFIX.length);
    if (request.method === 'GET' && path === '/invocation/next') {
      this.#asking = response;
      return this.#handOver();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString() || 'null');
    response.writeHead(202).end();
    if (path === '/init/error') return this.abandon(describeError(body));
    const [, id, what] = /^\/invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    const current = this.#current;
    if (current === null || current.id !== id) throw new Error(`nobody waits for ${path}`);
    this.#current = null;
    if (what === 'response') current.resolve(body);
    else current.reject(new FunctionFailed(describeError(body)));
  }

  #handOver(): void {
    if (this.#asking === null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#current = next;
    this.#asking.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': next.id,
      'Lambda-Runtime-Deadline-Ms': String(Date.now() + this.#deadlineMs),
      'Lambda-Runtime-Trace-Id': 'Root=1-00000000-000000000000000000000000;Sampled=0',
    });
    this.#asking.end(JSON.stringify(next.event));
    this.#asking = null;
  }
}

function describeError(body: unknown): string {
  const { errorType, errorMessage } = Object(body);
  return `${errorType}: ${errorMessage}`;
}
