import { readFileSync } from 'node:fs';

/** Maximum connections of the two listeners of a process. */
interface ConnectionShares {
  readonly frontDoor: number;
  readonly broker: number;
}

/** For the process itself, and for each compile worker: its database, event loop and blobs. */
const RESERVED = { process: 100, worker: 40 } as const;
/** A connection of the front door takes a descriptor, and another one while a file is streamed. */
const FILES_PER_CONNECTION = 2;
/** Below this a server is of no use; its descriptors then run out first. */
const LEAST = 16;

/**
 * The soft limit of open files of this process (`ulimit -n`, which Node raises to the hard limit at
 * its start); null where the system does not say.
 */
export function readOpenFileLimit(file = '/proc/self/limits'): number | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return null;
  }
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return soft === undefined ? null : Number(soft);
}

/**
 * Divides the open files between the front door, the broker and all else, so that a client who
 * opens connections takes no descriptor from compile workers and stores. The front door gets at
 * most `wanted`.
 */
export function shareConnections(wanted: number, openFiles: number | null, workers: number): ConnectionShares {
  if (openFiles === null) return { frontDoor: wanted, broker: Number.POSITIVE_INFINITY };
  const left = openFiles - RESERVED.process - workers * RESERVED.worker;
  const frontDoor = Math.max(LEAST, Math.min(wanted, Math.floor(left / (2 * FILES_PER_CONNECTION))));
  return { frontDoor, broker: Math.max(LEAST, left - FILES_PER_CONNECTION * frontDoor) };
}
