import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A start takes a minute of CPU, and a busy machine gives a process a tenth of a core. */
const START_MS = 1_200_000;
/** Milliseconds between two lines that say what a start waits for. */
const SAY_MS = 30_000;
/** Milliseconds that a process has to end by itself. */
const END_MS = 30_000;
/** The lines of a log that an error has. */
const LOG_LINES = 30;

/** A process that starts. */
export interface Start {
  readonly name: string;
  readonly child: ChildProcess;
  /** The file with what it prints. */
  readonly log: string;
  isUp(): Promise<boolean>;
  say(line: string): void;
}

/**
 * Waits until a process answers. Throws, with the end of its log, when it ends or takes too long.
 */
export async function waitForStart({ name, child, log, isUp, say }: Start): Promise<void> {
  const began = performance.now();
  let said = began;
  while (!(await isUp())) {
    const now = performance.now();
    const outcome = child.exitCode ?? child.signalCode;
    if (outcome !== null) throw new Error(`${name} ended with ${outcome} before it answered\n${readEnd(log)}`);
    const most = START_MS / 1000;
    if (now > began + START_MS) throw new Error(`${name} did not answer within ${most} s\n${readEnd(log)}`);
    if (now > said + SAY_MS) {
      say(`waits for ${name}: ${Math.round((now - began) / 1000)} of at most ${most} s`);
      said = now;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function readEnd(log: string): string {
  const lines = readFile(log).trimEnd().split('\n').slice(-LOG_LINES);
  return [`the end of ${log}:`, ...lines].join('\n');
}

/** Asks a process to end, and kills it when it does not. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(timer);
}

/** A process and its descendants. */
export function listFamily(id: number): readonly number[] {
  const children = readFile(`/proc/${id}/task/${id}/children`).split(' ').filter(Boolean).map(Number);
  return [id, ...children.flatMap(listFamily)];
}

/** The milliseconds of CPU that a process took, in steps of ten. */
export function readCpuTime(id: number): number {
  const fields = readFile(`/proc/${id}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

export function readResident(id: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFile(`/proc/${id}/status`))?.[1] ?? 0);
}

/** Its share of memory: what processes have in common counts once among them all. */
export function readShare(id: number): number {
  return 1024 * Number(/^Pss:\s+(\d+)/m.exec(readFile(`/proc/${id}/smaps_rollup`))?.[1] ?? 0);
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
