import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { RunnerProcess } from '../shared/orchestrator/runner/runner-process.ts';
import type { AgentServers, NodeAgent } from './node-agent.ts';
import type { PuppetAgent } from './puppet-agent.ts';

/** `puppet` of the node: it has the process of the tests run Puppet, which is loaded there. */
const PUPPET = `#!/usr/bin/ruby --disable=gems
require 'socket'
require 'json'
socket = UNIXSocket.new(File.join(__dir__, 'puppet.sock'))
socket.write(JSON.generate(ARGV))
socket.close_write
code, output = JSON.parse(socket.read)
print output
exit code
`;

/** The runner of a node, as a process of its own, with a real Puppet. */
export class RunnerAgent implements NodeAgent {
  readonly #puppet: PuppetAgent;
  readonly #servers: AgentServers;
  readonly #runner: RunnerProcess;
  readonly #door: Server;
  readonly #jobs: unknown[] = [];
  gate: Promise<unknown> = Promise.resolve();
  facts: Readonly<Record<string, string>> = {};

  constructor(puppet: PuppetAgent, servers: AgentServers) {
    this.#puppet = puppet;
    this.#servers = servers;
    const ssl = (...path: string[]) => join(puppet.folder, 'ssldir', ...path);
    const program = join(puppet.folder, 'puppet');
    this.#runner = new RunnerProcess(join(puppet.folder, 'runner'), null, {
      'broker-ws-uris': [`wss://localhost:${servers.pcpPort}/pcp2/`],
      'primary-uris': [`https://localhost:${servers.port}`],
      'ssl-key': ssl('private_keys', `${puppet.certname}.pem`),
      'ssl-cert': ssl('certs', `${puppet.certname}.pem`),
      'ssl-ca-cert': ssl('certs/ca.pem'),
      ...(existsSync(ssl('crl.pem')) ? { 'ssl-crl': ssl('crl.pem') } : {}),
      'puppet-bin': program,
      'task-cache-dir': join(puppet.folder, 'task-cache'),
    });
    mkdirSync(puppet.folder, { recursive: true });
    writeFileSync(program, PUPPET);
    chmodSync(program, 0o755);
    this.#door = this.#serve();
  }

  get certname(): string {
    return this.#puppet.certname;
  }

  get folder(): string {
    return this.#puppet.folder;
  }

  /** As the spool has it; the parameters are in no file. */
  get begun(): NodeAgent['begun'] {
    const names = existsSync(this.#runner.spool)
      ? readdirSync(this.#runner.spool).filter((name) => name[0] !== '.')
      : [];
    const found = names.filter((name) => existsSync(join(this.#runner.spool, name, 'metadata')));
    const metadata = found.map((name) => JSON.parse(this.#runner.readSpool(name, 'metadata')));
    const jobs = this.#jobs.values();
    return metadata
      .sort((a, b) => (a.start < b.start ? -1 : 1))
      .map(({ module, action }) => {
        const what = `${module} ${action}`;
        return module === 'pxp-module-puppet' ? { what, job: jobs.next().value } : { what };
      });
  }

  get ends(): readonly string[] {
    const lines = this.#runner.log.split('\n').filter((line) => line.includes('the next attempt is in'));
    return lines.map((line) => /closed the connection: (.*);/.exec(line)?.[1] ?? '1006');
  }

  get isConnected(): boolean {
    const noted = this.#runner.log.match(/ connected to |the next attempt is in|Ruby \d/g);
    return noted?.at(-1) === ' connected to ';
  }

  get isRunning(): boolean {
    const names = readdirSync(this.#runner.spool).filter((name) => name[0] !== '.');
    return names.some((name) => !existsSync(join(this.#runner.spool, name, 'exitcode')));
  }

  start(): void {
    this.#runner.start();
  }

  kill(): void {
    this.#runner.signal('SIGKILL');
  }

  async close(): Promise<void> {
    await this.#runner.end('SIGKILL');
    this.#door.close();
  }

  /** Runs the commands that the program `puppet` of the node gets. */
  #serve(): Server {
    const path = join(this.#puppet.folder, 'puppet.sock');
    rmSync(path, { force: true });
    const door = createServer({ allowHalfOpen: true }, (socket) => {
      void (async () => {
        const args: string[] = JSON.parse(await text(socket));
        const answer = args[0] === 'config' ? [0, this.#printSettings()] : await this.#run(args.slice(1));
        socket.end(JSON.stringify(answer));
      })();
    });
    return door.listen(path);
  }

  #printSettings(): string {
    const state = join(this.#puppet.folder, 'vardir/state');
    const files = { lastrunreport: 'last_run_report.yaml', agent_disabled_lockfile: 'agent_disabled.lock' };
    const settings = { ...files, agent_catalog_run_lockfile: 'agent_catalog_run.lock' };
    return Object.entries(settings)
      .map(([name, file]) => `${name} = ${join(state, file)}\n`)
      .join('');
  }

  /** Without detailed exit codes, a run that made changes ends with 0. */
  async #run(flags: readonly string[]): Promise<readonly [number, string]> {
    this.#jobs.push(flags[flags.indexOf('--job-id') + 1]);
    await this.gate;
    const { code, output } = await this.#puppet.run(this.#servers.port, this.facts, 0, flags);
    return [code === 1 ? 1 : 0, output];
  }
}

/** The last lines of a runner's log. */
export function readRunnerLog(folder: string): string {
  return readFileSync(join(folder, 'runner/runner.log'), 'utf8');
}
