import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Variables } from './site.ts';

export const ROOT = join(import.meta.dirname, '../..');
/** Longest wait for anything, and the pause between two looks, in milliseconds. */
const PATIENCE_MS = 600_000;
const PAUSE_MS = 1000;

/** Runs a command of ours; returns its output. Rejects with its message. */
export async function understudy(variables: Variables, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', NO_COLOR: '1', ...variables };
  const command = [join(ROOT, 'functions/cli.ts'), ...args];
  const options = { env, timeout: PATIENCE_MS, maxBuffer: 1 << 26 };
  return (await promisify(execFile)(process.execPath, command, options)).stdout;
}

/** Looks until it is there. Throws after ten minutes. */
export async function waitFor(what: string, look: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (!(await look())) {
    if (Date.now() > until) throw new Error(`${what} was waited for in vain`);
    await sleep(PAUSE_MS);
  }
}
