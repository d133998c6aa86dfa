import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { RuntimeApi } from './runtime-api.ts';
import type { Sandbox } from './sandbox.ts';

/** What the template says of a function, with the variables resolved. */
export interface FunctionSettings {
  readonly name: string;
  readonly handler: string;
  readonly memoryMegabytes: number;
  readonly timeoutMs: number;
  readonly variables: Readonly<Record<string, string>>;
}

/** One function in one execution environment, which is started by the first event. */
export class LambdaFunction {
  /** What its processes wrote, by line. */
  readonly lines: string[] = [];
  readonly folder: string;
  readonly #sandbox: Sandbox;
  #settings: FunctionSettings;
  readonly #runtime: string;
  #running: { readonly api: RuntimeApi; readonly child: ChildProcess } | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  /** `folder`: its code. `runtime`: the file of the runtime's process. */
  constructor(sandbox: Sandbox, folder: string, runtime: string, settings: FunctionSettings) {
    this.#sandbox = sandbox;
    this.folder = folder;
    this.#runtime = runtime;
    this.#settings = settings;
  }

  /** Processes the event after those before it. Throws FunctionFailed. */
  invoke(event: unknown): Promise<unknown> {
    const answer = this.#queue.then(() => this.#invokeNow(event));
    this.#queue = answer.catch(() => {});
    return answer;
  }

  /** Sets more variables, for processes that start from now on. */
  addVariables(more: Readonly<Record<string, string>>): void {
    this.#settings = { ...this.#settings, variables: { ...this.#settings.variables, ...more } };
  }

  /** Ends the process; the next event starts another one. */
  async end(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    const ended = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await ended;
  }

  async #invokeNow(event: unknown): Promise<unknown> {
    const { api, child } = this.#running ?? (await this.#start());
    const timer = setTimeout(() => {
      api.abandon(`${this.#settings.name} timed out after ${this.#settings.timeoutMs} ms`);
      child.kill('SIGKILL');
    }, this.#settings.timeoutMs);
    try {
      return await api.invoke(event);
    } finally {
      clearTimeout(timer);
    }
  }

  async #start() {
    const { handler, memoryMegabytes, name, timeoutMs, variables } = this.#settings;
    const api = await RuntimeApi.start(timeoutMs);
    const child = this.#sandbox.spawn([...memoryFlags(memoryMegabytes), this.#runtime], this.folder, {
      ...variables,
      _HANDLER: handler,
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      LAMBDA_TASK_ROOT: this.folder,
      LANG: 'en_US.UTF-8',
      PATH: '/var/lang/bin:/usr/local/bin:/usr/bin:/bin',
      TZ: ':UTC',
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    }
    const running = { api, child };
    child.once('exit', (code, signal) => {
      api.abandon(`${name} exited with ${code ?? signal}:\n${this.lines.slice(-20).join('\n')}`);
      api.close();
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}

/** Node's memory limits as Lambda's `bootstrap` of Node sets them. */
function memoryFlags(megabytes: number): readonly string[] {
  const newSpace = Math.floor(megabytes / 10);
  return [
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${Math.floor(newSpace / 2)}`,
    `--max-old-space-size=${megabytes - newSpace}`,
  ];
}
