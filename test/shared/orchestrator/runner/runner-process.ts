import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program that nodes get. */
export const RUNNER = fileURLToPath(
  new URL('../../../../shared/orchestrator/runner/understudy-runner.rb', import.meta.url),
);

/** Whether there is a Ruby for it; in CI it must be. */
export function hasRuby(): boolean {
  return process.env.CI === 'true' || spawnSync('ruby', ['--version']).status === 0;
}

/** PEM texts. */
export interface RunnerCredentials {
  readonly certificate: string;
  readonly key: string;
  readonly trusted: string;
  readonly revocations: string | null;
}

/** The runner of a node as a process of its own, with all of its files in one folder. */
export class RunnerProcess {
  readonly folder: string;
  readonly spool: string;
  readonly #log: string;
  #child: ChildProcess | null = null;
  /** Resolves when no broker has its connection any more. */
  waitUntilForgotten: () => Promise<void> = async () => {};
  #ended: Promise<unknown> = Promise.resolve();

  /**
   * `settings` are further keys of its configuration, null leaves one out. Without credentials,
   * they name the files of the certificates.
   */
  constructor(folder: string, credentials: RunnerCredentials | null, settings: Readonly<Record<string, unknown>>) {
    this.folder = folder;
    this.spool = join(folder, 'spool');
    this.#log = join(folder, 'runner.log');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = (name: string) => join(folder, name);
    if (credentials !== null) this.write(credentials);
    const configuration = {
      'ssl-key': file('key.pem'),
      'ssl-cert': file('cert.pem'),
      'ssl-ca-cert': file('ca.pem'),
      ...((credentials?.revocations ?? null) === null ? {} : { 'ssl-crl': file('crl.pem') }),
      'spool-dir': this.spool,
      'task-cache-dir': file('cache'),
      logfile: this.#log,
      loglevel: 'debug',
      ...settings,
    };
    const given = Object.entries(configuration).filter(([, value]) => value !== null);
    writeFileSync(file('runner.conf'), JSON.stringify(Object.fromEntries(given)));
  }

  /** Writes certificates, which the next connection reads. */
  write({ certificate, key, trusted, revocations }: RunnerCredentials): void {
    const files = { 'key.pem': key, 'cert.pem': certificate, 'ca.pem': trusted, 'crl.pem': revocations };
    for (const [name, pem] of Object.entries(files)) {
      if (pem !== null) writeFileSync(join(this.folder, name), pem, { mode: 0o600 });
    }
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get log(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8') : '';
  }

  start(env: NodeJS.ProcessEnv = {}): this {
    const args = ['--disable=gems', '-W1', RUNNER, '--config-file', join(this.folder, 'runner.conf')];
    this.#child = spawn('ruby', args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#ended = once(this.#child, 'exit');
    const errors = join(this.folder, 'stderr');
    this.#child.stderr?.on('data', (text: Buffer) => writeFileSync(errors, text, { flag: 'a' }));
    return this;
  }

  /** What it printed as its error. */
  get errors(): string {
    const path = join(this.folder, 'stderr');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /**
   * Ends it; what it began goes on. Resolves when the brokers have forgotten it, with its exit
   * code, null for a signal.
   */
  async end(name: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (child === null) return null;
    if (child.exitCode === null && child.signalCode === null) child.kill(name);
    await this.#ended;
    await this.waitUntilForgotten();
    return child.exitCode;
  }

  /** The exit code of a process that ends by itself. */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child?.exitCode ?? null;
  }

  readSpool(transaction: string, name: string): string {
    return readFileSync(join(this.spool, transaction, name), 'utf8');
  }
}
