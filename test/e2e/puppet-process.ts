import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface PuppetRun {
  /**
   * Of `--detailed-exitcodes`: 0 nothing to do, 2 changes were applied, 1, 4, 6 something failed.
   */
  readonly code: number;
  readonly output: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * A process that has loaded the installed Puppet and runs its commands in forks of itself. It ends
 * with the process that it was started by.
 */
class LoadedPuppet {
  readonly #child: ChildProcess;
  readonly #ended = new Map<number, (code: number) => void>();
  #asked = 0;

  constructor() {
    const script = join(import.meta.dirname, 'fork-puppet.rb');
    this.#child = spawn('ruby', [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const { id, code }: { id: number; code: number | null } = JSON.parse(line);
        this.#ended.get(id)?.(code ?? -1);
      });
    }
    this.#child.on('close', () => {
      for (const end of this.#ended.values()) end(-1);
    });
    this.#keepAlive(false);
  }

  /** Whether the process that started it waits for it before it ends. */
  #keepAlive(isAsked: boolean): void {
    // Pipes of a child are sockets.
    const { stdin, stdout } = this.#child as { stdin: Socket | null; stdout: Socket | null };
    for (const one of [this.#child, stdin, stdout]) isAsked ? one?.ref() : one?.unref();
  }

  async run(args: readonly string[], env: Variables): Promise<PuppetRun> {
    this.#asked += 1;
    this.#keepAlive(true);
    const id = this.#asked;
    const folder = mkdtempSync(join(tmpdir(), 'understudy-puppet-'));
    const output = join(folder, 'output');
    try {
      const code = await new Promise<number>((resolve) => {
        this.#ended.set(id, resolve);
        this.#child.stdin?.write(`${JSON.stringify({ id, args, env, output })}\n`);
      });
      return { code, output: readFileSync(output, 'utf8') };
    } finally {
      this.#ended.delete(id);
      this.#keepAlive(this.#ended.size > 0);
      rmSync(folder, { recursive: true });
    }
  }
}

let loaded: LoadedPuppet | undefined;

/**
 * What a command of the installed Puppet prints and ends with. It is started as a program of its
 * own when `variables` are for Ruby itself.
 */
export function runPuppet(args: readonly string[], variables: Variables): Promise<PuppetRun> {
  const env = { ...process.env, ...variables };
  if (variables.RUBYOPT !== undefined) return startProgram('puppet', args, env);
  loaded ??= new LoadedPuppet();
  return loaded.run(args, env);
}

/** Runs the commands of a checkout of Puppet or OpenVox with the machine's Ruby. */
export function createSourceRunner(checkout: string): typeof runPuppet {
  const code = "$PROGRAM_NAME = 'puppet'; require 'puppet/util/command_line'; Puppet::Util::CommandLine.new.execute";
  // OpenVox 9 is for a Ruby that has sets without asking.
  const ruby = ['-rset', '-I', join(checkout, 'lib'), '-e', code, '--'];
  return (args, variables) => startProgram('ruby', [...ruby, ...args], { ...process.env, ...variables });
}

function startProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<PuppetRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, output }));
  });
}
