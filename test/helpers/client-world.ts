import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { addAgentsCommands } from '../../shared/cli/commands/orchestrator/agents-commands.ts';
import { addAppCommand } from '../../shared/cli/commands/orchestrator/app-command.ts';
import { addJobCommands } from '../../shared/cli/commands/orchestrator/job-commands.ts';
import { addPlanCommands } from '../../shared/cli/commands/orchestrator/plan-commands.ts';
import { addTaskCommands } from '../../shared/cli/commands/orchestrator/task-commands.ts';
import { type EdgeServer, startEdgeServer } from '../../shared/http/listener/edge-server.ts';
import { ManualClock, MemoryDocuments } from './memory-stores.ts';
import { ScriptedOrchestrator } from './scripted-orchestrator.ts';
import { ScriptedTerminal } from './scripted-terminal.ts';

/** Commands of a person with a kept token and a configuration, and a scripted orchestrator. */
export class ClientWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'understudy-jobs-'));
  readonly folders = { home: join(this.folder, 'home'), global: join(this.folder, 'client-tools') };
  orchestrator = new ScriptedOrchestrator();
  terminal = new ScriptedTerminal();
  warnings: string[] = [];
  exitCode: number | null = null;
  interrupt: () => void = () => {};
  #server: EdgeServer | null = null;

  async open(): Promise<void> {
    const clock = new ManualClock();
    const authority = await CertificateAuthority.open(new MemoryDocuments(), clock, {
      name: 'localhost',
      autosign: false,
      keyType: 'ec',
    });
    this.#server = await startEdgeServer({
      app: { fetch: (request) => this.orchestrator.app.fetch(request) },
      credentials: await authority.serverCredentials('localhost', ['localhost']),
      trusted: authority.certificatePem,
      host: '127.0.0.1',
      port: 0,
      clock,
      mostConnections: 10,
      reportFailure: () => undefined,
    });
    mkdirSync(join(this.folders.home, '.puppetlabs'), { recursive: true });
    mkdirSync(this.folders.global);
    writeFileSync(join(this.folder, 'ca.pem'), authority.certificatePem);
  }

  reset(): void {
    this.orchestrator = new ScriptedOrchestrator();
    this.terminal = new ScriptedTerminal();
    [this.warnings, this.exitCode] = [[], null];
    writeFileSync(join(this.folders.home, '.puppetlabs/token'), 'kept-token\n');
    this.configure({});
  }

  async close(): Promise<void> {
    await this.#server?.close(0);
    rmSync(this.folder, { recursive: true });
  }

  get serviceUrl(): string {
    return `https://localhost:${this.#server?.port}`;
  }

  /** Writes the machine's configuration. */
  configure(options: object): void {
    const usual = { 'service-url': this.serviceUrl, cacert: join(this.folder, 'ca.pem') };
    const text = JSON.stringify({ options: { ...usual, ...options } });
    writeFileSync(join(this.folders.global, 'orchestrator.conf'), text);
  }

  /** Runs a command, and returns what it printed. */
  async run(...args: readonly string[]): Promise<string> {
    const printed: string[] = [];
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    const context = {
      print: async (text: string) => void printed.push(text),
      warn: (line: string) => void this.warnings.push(line),
      exit: (code: number) => {
        this.exitCode = code;
      },
      sleep: async () => {},
      terminal: this.terminal,
      folders: this.folders,
      onInterrupt: (handle: () => void) => {
        this.interrupt = handle;
        return () => {};
      },
    };
    const additions = [addJobCommands, addTaskCommands, addPlanCommands, addAppCommand, addAgentsCommands];
    for (const add of additions) add(program, context);
    await program.parseAsync(args, { from: 'user' });
    return printed.join('');
  }
}
