import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { CONNECTIONS } from '../../shared/config/connections.ts';
import { type EdgeServer, startEdgeServer } from '../../shared/http/listener/edge-server.ts';
import { runClientCommand } from './client-commands.ts';
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
      connections: CONNECTIONS.access,
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
    return runClientCommand(args, {
      warn: (line) => void this.warnings.push(line),
      exit: (code) => {
        this.exitCode = code;
      },
      sleep: async () => {},
      terminal: this.terminal,
      folders: this.folders,
      onInterrupt: (handle) => {
        this.interrupt = handle;
        return () => {};
      },
    });
  }
}
