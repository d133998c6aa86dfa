import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

/** Larger files are read by the thread pool, so that the event loop goes on meanwhile. */
const MOST_BYTES_AT_ONCE = 128 * 1024;

/**
 * Reads a file of a control repo. Most are small and in the page cache: to read them synchronously
 * takes a fraction of the four round trips to the thread pool that `readFile` makes. The event loop
 * has its turn before each. Throws the errors of `node:fs`.
 */
export async function readSourceFile(path: string): Promise<Uint8Array> {
  if (statSync(path).size > MOST_BYTES_AT_ONCE) return readFile(path);
  await setImmediate();
  return readFileSync(path);
}
