import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CommandError, readJsonFile } from '../../cli/commands/node-files.ts';

interface PuppetCompile {
  readonly certname: string;
  readonly controlRepo: string;
  readonly environment: string;
  /** Path of a JSON file. */
  readonly facts: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The program to run, `puppet` by default. */
  readonly puppet: string;
  /** An external node classifier, with its arguments. */
  readonly enc?: string | undefined;
}

const run = promisify(execFile);
const MOST_OUTPUT = 256 * 1024 * 1024;
const LONGEST_MS = 10 * 60_000;

/**
 * Compiles a catalog with the installed Puppet (`puppet catalog compile`), in a temporary
 * configuration: facts from the file, no node classifier but `enc`, no PuppetDB. Throws
 * CommandError with Puppet's message when the compile fails.
 */
export async function compileWithPuppet(command: PuppetCompile): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'understudy-puppet-'));
  try {
    writeFacts(scratch, command);
    const { stdout } = await run(command.puppet, argumentsOf(scratch, command), {
      maxBuffer: MOST_OUTPUT,
      timeout: LONGEST_MS,
    });
    const start = stdout.indexOf('\n{"') + 1 || stdout.indexOf('{"');
    if (start < 0) throw new CommandError(`${command.puppet} printed no catalog: ${stdout}`);
    return stdout.slice(start);
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(reasonOf(command.puppet, error));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function writeFacts(scratch: string, { certname, facts }: PuppetCompile): void {
  const folder = join(scratch, 'var', 'yaml', 'facts');
  mkdirSync(folder, { recursive: true });
  const document = readJsonFile(facts, 'facts');
  const values = 'values' in document && 'name' in document ? document.values : document;
  // Puppet: without a certificate, this fact names the node of $trusted. Every agent sends it.
  const named = { clientcert: certname, ...Object(values) };
  // JSON is YAML: only a tag is missing to make it a file of Puppet's facts cache.
  const text = `--- !ruby/object:Puppet::Node::Facts\nname: ${JSON.stringify(certname)}\nvalues: ${JSON.stringify(named)}\n`;
  writeFileSync(join(folder, `${certname}.yaml`), text);
}

function argumentsOf(scratch: string, command: PuppetCompile): string[] {
  const code = resolve(command.controlRepo);
  const settings = Object.entries(command.settings).flatMap(([name, value]) => createFlag(name, value));
  return [
    ...['catalog', 'compile', command.certname, '--render-as', 'json', '--color', 'false', '--log_level', 'err'],
    ...['--confdir', join(scratch, 'conf'), '--vardir', join(scratch, 'var'), '--codedir', code],
    ...['--environmentpath', join(code, 'environments'), '--environment', command.environment],
    ...['--basemodulepath', join(code, 'modules'), '--hiera_config', join(code, 'hiera.yaml')],
    ...['--facts_terminus', 'yaml', ...nodeTerminus(command.enc)],
    ...settings,
  ];
}

/** Puppet wants the whole path of the classifier. */
function nodeTerminus(enc: string | undefined): readonly string[] {
  if (enc === undefined) return ['--node_terminus', 'plain'];
  const [program = '', ...rest] = enc.trim().split(/\s+/);
  return ['--node_terminus', 'exec', '--external_nodes', [resolve(program), ...rest].join(' ')];
}

function createFlag(name: string, value: string): string[] {
  if (value === 'true') return [`--${name}`];
  return value === 'false' ? [`--no-${name}`] : [`--${name}`, value];
}

function reasonOf(puppet: string, error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return `cannot run '${puppet}': there is no such program`;
  }
  const output = ['stderr', 'stdout'].map((name) => Reflect.get(Object(error), name));
  return output.find((text) => typeof text === 'string' && text.trim() !== '') ?? String(error);
}
