import { readFileSync } from 'node:fs';

/** Maximum connections of a process's two listeners. */
interface ConnectionShares {
  readonly frontDoor: number;
  readonly broker: number;
}

/** Descriptors kept for the process, and for each compile worker: database, event loop, blobs. */
const RESERVED = { process: 100, worker: 40 } as const;
/** A front-door connection takes one descriptor, and a second one while it streams a file. */
const FILES_PER_CONNECTION = 2;
/** Minimum connections of a listener, even where descriptors may then run out. */
const LEAST = 16;

/**
 * The soft limit of open files of this process (`ulimit -n`, which Node raises to the hard limit at
 * its start); null where `file` cannot be read.
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
 * Divides `openFiles` descriptors between front door, broker, compile workers and stores, so that
 * clients with many connections leave enough for the last two. The front door gets at most `wanted`
 * connections. Without a known limit (null), the broker's are unbounded.
 */
export function shareConnections(wanted: number, openFiles: number | null, workers: number): ConnectionShares {
  if (openFiles === null) return { frontDoor: wanted, broker: Number.POSITIVE_INFINITY };
  const left = openFiles - RESERVED.process - workers * RESERVED.worker;
  const frontDoor = Math.max(LEAST, Math.min(wanted, Math.floor(left / (2 * FILES_PER_CONNECTION))));
  return { frontDoor, broker: Math.max(LEAST, left - FILES_PER_CONNECTION * frontDoor) };
}
