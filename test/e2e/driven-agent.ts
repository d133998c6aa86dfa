import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { AgentServers, NodeAgent } from './node-agent.ts';
import type { PuppetAgent } from './puppet-agent.ts';

const PREFIX = 'http://puppetlabs.com/';
const AGAIN_MS = 200;

type Results = Readonly<Record<string, unknown>>;

interface Request {
  readonly transaction_id: string;
  readonly module: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface TaskFile {
  readonly filename: string;
  readonly sha256: string;
  readonly uri: { readonly path: string; readonly params?: Readonly<Record<string, string>> };
}

/**
 * A PXP agent, version 2, in this process: its Puppet runs are those of `puppet agent`, and tasks
 * are downloaded and started as programs.
 */
export class DrivenAgent implements NodeAgent {
  readonly #puppet: PuppetAgent;
  readonly #servers: AgentServers;
  /** What began, by transaction; null while it runs. */
  readonly #spool = new Map<string, Results | null>();
  readonly begun: { readonly what: string; readonly job?: unknown }[] = [];
  readonly ends: string[] = [];
  gate: Promise<unknown> = Promise.resolve();
  facts: Readonly<Record<string, string>> = {};
  #socket: WebSocket | null = null;
  #isAlive = false;

  constructor(puppet: PuppetAgent, servers: AgentServers) {
    this.#puppet = puppet;
    this.#servers = servers;
  }

  get certname(): string {
    return this.#puppet.certname;
  }

  get folder(): string {
    return this.#puppet.folder;
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  get isRunning(): boolean {
    return [...this.#spool.values()].includes(null);
  }

  start(): void {
    this.#isAlive = true;
    void this.#live();
  }

  kill(): void {
    this.#isAlive = false;
    this.#socket?.terminate();
    this.#socket = null;
  }

  async close(): Promise<void> {
    this.kill();
  }

  async #live(): Promise<void> {
    while (this.#isAlive) {
      await new Promise<void>((resolve) => {
        const url = `wss://localhost:${this.#servers.pcpPort}/pcp2/agent`;
        const socket = new WebSocket(url, { ...this.#credentials(), perMessageDeflate: false });
        this.#socket = socket;
        socket.on('message', (bytes) => this.#receive(JSON.parse(String(bytes))));
        socket.on('error', () => {});
        socket.on('close', (code, reason) => {
          this.ends.push(`${code} ${reason}`.trim());
          resolve();
        });
      });
      await setTimeout(AGAIN_MS);
    }
  }

  #credentials() {
    const file = (...path: string[]) => readFileSync(join(this.#puppet.folder, 'ssldir', ...path));
    const name = `${this.certname}.pem`;
    return { cert: file('certs', name), key: file('private_keys', name), ca: file('certs', 'ca.pem') };
  }

  #send(type: string, target: string, data: unknown): void {
    if (!this.isConnected) return;
    this.#socket?.send(JSON.stringify({ id: crypto.randomUUID(), message_type: PREFIX + type, target, data }));
  }

  #receive(message: { readonly id: string; readonly message_type: string; readonly sender: string; data: Request }) {
    const { id, message_type: type, sender, data: request } = message;
    const { transaction_id, module, action } = request;
    if (type === `${PREFIX}rpc_blocking_request`) {
      if (module === 'status') {
        const results = this.#query(String(request.params.transaction_id));
        this.#send('rpc_blocking_response', sender, { transaction_id, results });
      } else this.#refuse(sender, request, id, `unknown module: ${module}`);
      return;
    }
    // A broker says so, too, when an answer reaches nobody.
    if (type !== `${PREFIX}rpc_non_blocking_request`) return;
    this.#send('rpc_provisional_response', sender, { transaction_id });
    if (this.#spool.has(transaction_id)) return;
    this.#spool.set(transaction_id, null);
    this.begun.push({ what: `${module} ${action}`, job: request.params.job });
    this.#run(request).then(
      (results) => {
        this.#spool.set(transaction_id, results);
        this.#send('rpc_non_blocking_response', sender, { transaction_id, results });
      },
      (error: unknown) => {
        this.#spool.set(transaction_id, { exitcode: 1, stdout: '', stderr: String(error) });
        this.#refuse(sender, request, id, String(error));
      },
    );
  }

  #refuse(target: string, { transaction_id }: Request, id: string, description: string): void {
    this.#send('rpc_error_message', target, { transaction_id, id, description });
  }

  #query(transaction_id: string): Results {
    const results = this.#spool.get(transaction_id);
    if (results === undefined) return { transaction_id, status: 'unknown' };
    if (results === null) return { transaction_id, status: 'running' };
    const exitcode = Number(results.exitcode);
    const stdout = typeof results.stdout === 'string' ? results.stdout : JSON.stringify(results);
    return { transaction_id, exitcode, status: exitcode === 0 ? 'success' : 'failure', stdout };
  }

  async #run({ module, action, params }: Request): Promise<Results> {
    await this.gate;
    if (module === 'pxp-module-puppet') return this.#runPuppet(params);
    if (module === 'task' && action === 'run') return this.#runTask(params);
    if (module === 'command' && action === 'run') return collect(spawn('/bin/sh', ['-c', String(params.command)]));
    throw new Error(`unknown module: ${module}`);
  }

  async #runPuppet({ flags }: Readonly<Record<string, unknown>>): Promise<Results> {
    const given = Array.isArray(flags) ? flags.map(String) : [];
    const { code, output } = await this.#puppet.run(this.#servers.port, this.facts, 0, given);
    const read = (path: string) => readFileSync(join(this.#puppet.folder, path), 'utf8');
    const report = read('vardir/state/last_run_report.yaml');
    const field = (name: string) => new RegExp(`^${name}: (?:'|")?(.*?)(?:'|")?$`, 'm').exec(report)?.[1] ?? 'unknown';
    const [, counts = ''] = /^resources:\n((?: {2}.*\n)*)/m.exec(read('publicdir/last_run_summary.yaml')) ?? [];
    const metrics = [...counts.matchAll(/^ {2}(\w+): (\d+)$/gm)].map(([, name, count]) => [name, Number(count)]);
    const isFailed = code === 1;
    return {
      ...{ time: field('time'), transaction_uuid: field('transaction_uuid'), environment: field('environment') },
      ...{ status: field('status'), metrics: Object.fromEntries(metrics), exitcode: isFailed ? 1 : 0, version: 1 },
      ...(isFailed ? { error_type: 'agent_exit_non_zero', error: output.slice(-500) } : {}),
    };
  }

  async #runTask({ task, input, files }: Readonly<Record<string, unknown>>): Promise<Results> {
    const [file] = files as readonly TaskFile[];
    if (file === undefined) throw new Error('a task without a file');
    const program = await this.#download(file);
    const child = spawn(program, [], { stdio: 'pipe' });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ ...(input as object), _task: task }));
    return collect(child);
  }

  async #download({ filename, sha256, uri: { path, params } }: TaskFile): Promise<string> {
    const folder = join(this.#puppet.folder, 'task-cache', sha256);
    const url = `https://localhost:${this.#servers.port}${path}?${new URLSearchParams(params)}`;
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const options = { ...this.#credentials(), agent: false, headers: { Accept: '*/*' } };
      get(url, options, (answer) => {
        if (answer.statusCode === 200) buffer(answer).then(resolve, reject);
        else reject(new Error(`Failed to download file with: ${answer.resume().statusCode}`));
      }).on('error', reject);
    });
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error(`${filename} has another digest`);
    const program = join(folder, basename(filename));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(program, bytes);
    chmodSync(program, 0o750);
    return program;
  }
}

/** The results of a program that was started. */
async function collect(child: ChildProcessWithoutNullStreams): Promise<Results> {
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code ?? -1));
  });
  const [stdout, stderr, exitcode] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
  return { exitcode, stdout: stdout.toString(), stderr: stderr.toString() };
}
