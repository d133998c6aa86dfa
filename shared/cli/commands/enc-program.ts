import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import {
  type ExternalClassifier,
  ExternalClassifierFailed,
  readClassification,
} from '../../fleet/nodes/classification.ts';
import { printJson } from '../../puppet/serialization/json.ts';
import { parseYaml, RubySymbol } from '../../puppet/serialization/yaml.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { Classification } from '../../store/ports/node-record.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { endGroup } from '../../util/end-group.ts';
import { Semaphore } from '../../util/semaphore.ts';

/** Limits of the classifier program, and of caching its answers. */
export interface EncLimits {
  readonly timeMs: number;
  readonly outputBytes: number;
  /** Maximum processes at a time. */
  readonly atOnce: number;
  /** Lifetime of a cached answer: the requests of one agent run share it. */
  readonly keptMs: number;
}

export const DEFAULT_ENC_LIMITS: EncLimits = { timeMs: 30_000, outputBytes: 1024 * 1024, atOnce: 4, keptMs: 10_000 };

/** Maximum number of cached answers. */
const MOST_KEPT = 5000;
/** Characters of the program's standard error in a message. */
const LONGEST_STDERR = 2000;

interface KeptAnswer {
  readonly answer: Promise<Classification | null>;
  readonly until: number;
}

/**
 * An external node classifier: a program with its arguments, separated by spaces, that gets the
 * certname as its last argument and prints YAML. Throws StoreRefused when there is no such program.
 * Puppet: lib/puppet/indirector/node/exec.rb
 */
export function openEncProgram(
  command: string,
  clock: Pick<Clock, 'now'>,
  limits: EncLimits = DEFAULT_ENC_LIMITS,
): ExternalClassifier {
  const [given = '', ...rest] = command.trim().split(/\s+/);
  const program = isAbsolute(given) ? given : resolve(given);
  requireProgram(given, program);
  const kept = new BoundedCache<KeptAnswer>(MOST_KEPT);
  const places = new Semaphore(limits.atOnce);
  const ask = async (certname: string) => {
    const leave = await places.acquire();
    try {
      return readEncOutput(certname, await runProgram(program, [...rest, certname], certname, limits));
    } finally {
      leave();
    }
  };
  return {
    classify: (certname) => {
      const known = kept.get(certname);
      if (known && clock.now() < known.until) return known.answer;
      const answer = ask(certname);
      kept.set(certname, { answer, until: clock.now() + limits.keptMs });
      answer.catch(() => kept.delete(certname));
      return answer;
    },
  };
}

function requireProgram(given: string, program: string): void {
  if (!statSync(program, { throwIfNoEntry: false })?.isFile()) {
    throw new StoreRefused(`the external node classifier '${given}' does not exist`);
  }
  try {
    accessSync(program, constants.X_OK);
  } catch {
    throw new StoreRefused(`the external node classifier '${given}' is not executable`);
  }
}

/** Result of one execution of the program. */
interface EncRun {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when it exited with 0 within its limits. */
  readonly failure: string | null;
}

async function runProgram(
  program: string,
  args: readonly string[],
  certname: string,
  limits: EncLimits,
): Promise<string> {
  const { stdout, stderr, failure } = await runBounded(program, args, limits);
  if (failure === null) return stdout;
  const text = (stderr.trim() || stdout.trim()).slice(0, LONGEST_STDERR);
  const call = [program, ...args].join(' ');
  const message = `Failed to find ${certname} via exec: Execution of '${call}' ${failure}${text === '' ? '' : `: ${text}`}`;
  throw new ExternalClassifierFailed(message);
}

/** Runs a program in a process group of its own, which is killed when it exceeds a limit. */
function runBounded(program: string, args: readonly string[], { timeMs, outputBytes }: EncLimits): Promise<EncRun> {
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  let excess: string | null = null;
  const stop = (why: string) => {
    excess ??= why;
    if (child.pid !== undefined) endGroup(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      printed[name] = Buffer.concat([printed[name], chunk]);
      if (printed[name].length > outputBytes) stop(`printed more than ${outputBytes} bytes`);
    });
  }
  const timer = setTimeout(() => stop(`took more than ${timeMs / 1000} seconds`), timeMs);
  return new Promise((answer) => {
    const end = (failure: string | null) => {
      clearTimeout(timer);
      const isTooMuch = excess?.startsWith('printed') === true;
      const stdout = isTooMuch ? '' : printed.stdout.toString('utf8');
      answer({ stdout, stderr: printed.stderr.subarray(0, outputBytes).toString('utf8'), failure: excess ?? failure });
    };
    child.on('error', (error) => end(`failed (${error.message})`));
    child.on('close', (code, signal) => {
      if (code === 0) end(null);
      else end(code === null ? `failed (${signal})` : `returned ${code}`);
    });
  });
}

/**
 * Reads what the program printed: `classes`, `parameters` and `environment`, as texts or symbols;
 * other keys are ignored. Null for blank output. Throws ExternalClassifierFailed.
 */
export function readEncOutput(certname: string, output: string): Classification | null {
  if (output.trim() === '') return null;
  try {
    return readClassification(selectKeys(parseYaml(output, { file: 'the output', symbols: true })));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new ExternalClassifierFailed(`Could not load external node results for ${certname}: ${detail}`);
  }
}

const KEYS = ['classes', 'parameters', 'environment'];

function selectKeys(value: unknown): Readonly<Record<string, unknown>> {
  if (!(value instanceof PuppetHash)) throw new Error('the output is not a hash');
  const selected = new PuppetHash();
  for (const [key, member] of value.entries()) {
    if (typeof key !== 'string' && !(key instanceof RubySymbol)) throw new Error('a key is not a string or symbol');
    // Puppet: a value that is nil or false counts as absent.
    const name = key instanceof RubySymbol ? key.name : key;
    if (KEYS.includes(name) && member !== null && member !== false) selected.set(name, member);
  }
  return JSON.parse(printJson(selected));
}
