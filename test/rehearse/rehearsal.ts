import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from './site.ts';

/** A part of a rehearsal. It may be done again after it was cut short. */
export interface Step {
  readonly name: string;
  readonly run: (kit: Kit) => Promise<void>;
}

/** What steps share. */
export interface Kit {
  readonly site: Site;
  /** The folder of the rehearsal's files. */
  readonly folder: string;
}

/** A step that was done, and the seconds that it took. */
export interface DoneStep {
  readonly name: string;
  readonly seconds: number;
}

interface RehearsalOptions {
  readonly now?: () => number;
  readonly say?: (line: string) => void;
}

/** The file of the steps that were done, in the rehearsal's folder. */
const DONE = 'done.json';

/** Thrown when a step fails. The steps before it are not done again. */
export class StepFailed extends Error {
  constructor(name: string, cause: unknown) {
    super(`the step '${name}' failed: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.name = 'StepFailed';
  }
}

/**
 * Does the steps in order, but for those that an earlier call did with the same folder. Returns all
 * of them. Throws StepFailed.
 */
export async function rehearse(
  steps: readonly Step[],
  kit: Kit,
  { now = Date.now, say = () => {} }: RehearsalOptions = {},
): Promise<readonly DoneStep[]> {
  mkdirSync(kit.folder, { recursive: true });
  const done = [...readDone(kit.folder)];
  for (const { name, run } of steps) {
    if (done.some((one) => one.name === name)) {
      say(`${name}: done before`);
      continue;
    }
    say(`${name} …`);
    const begun = now();
    await run(kit).catch((error: unknown) => {
      throw new StepFailed(name, error);
    });
    done.push({ name, seconds: Math.round((now() - begun) / 1000) });
    writeDone(kit.folder, done);
  }
  return done;
}

function readDone(folder: string): readonly DoneStep[] {
  const file = join(folder, DONE);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

function writeDone(folder: string, done: readonly DoneStep[]): void {
  const file = join(folder, DONE);
  writeFileSync(`${file}.new`, `${JSON.stringify(done, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** The steps as a table, with the time of all of them. */
export function printSteps(done: readonly DoneStep[]): string {
  const total = done.reduce((sum, { seconds }) => sum + seconds, 0);
  const lines = [...done, { name: 'all', seconds: total }];
  return lines.map(({ name, seconds }) => `${name.padEnd(24)} ${String(seconds).padStart(6)} s`).join('\n');
}
