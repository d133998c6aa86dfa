import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The age in milliseconds at which the holder of a lock counts as dead. */
const LOCK_MS = 180_000;

/**
 * Makes a folder that stays for later runs. Where several processes want it, one makes it and the
 * others wait. `make` fills the folder that it is given, whose parent exists.
 */
export async function makeOnce(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const lock = `${folder}.lock`;
  while (!existsSync(folder)) {
    if (!takeLock(lock)) {
      await sleep(200);
      continue;
    }
    try {
      if (!existsSync(folder)) await fill(folder, make);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

async function fill(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  await make(draft);
  renameSync(draft, folder);
}

function takeLock(lock: string): boolean {
  const held = statSync(lock, { throwIfNoEntry: false });
  if (held && Date.now() - held.mtimeMs > LOCK_MS) rmSync(lock, { recursive: true, force: true });
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
