import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

/**
 * Makes a folder that stays for later runs. Where several processes want it, one makes it and the
 * others wait, for as long as it runs. `make` fills the folder that it is given, whose parent
 * exists.
 */
export async function makeOnce(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const lock = `${folder}.pid`;
  while (!existsSync(folder)) {
    if (!takeLock(lock)) {
      await sleep(200);
      continue;
    }
    try {
      if (!existsSync(folder)) await fill(folder, make);
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

async function fill(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  await make(draft);
  renameSync(draft, folder);
}

/** Takes the lock, a file with the number of the process that holds it, unless one does. */
function takeLock(lock: string): boolean {
  const own = `${lock}.${process.pid}.${threadId}`;
  writeFileSync(own, String(process.pid));
  try {
    // A lock is never there without its number.
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  } finally {
    rmSync(own);
  }
}

function isAbandoned(lock: string): boolean {
  try {
    return !existsSync(`/proc/${readFileSync(lock, 'utf8')}`);
  } catch {
    // It has just been given back.
    return false;
  }
}
