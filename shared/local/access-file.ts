import { closeSync, openSync, writeSync } from 'node:fs';
import { StoreRefused } from '../store/ports.ts';

export interface AccessFile {
  readonly write: (entry: object) => void;
  close(): void;
}

/**
 * Appends entries to a file, a line of JSON each; `null` writes nowhere. The file is readable by its owner alone. Rotate
 * it by copying and truncating. Throws StoreRefused when it cannot be written.
 */
export function openAccessFile(path: string | null): AccessFile {
  if (path === null) return { write: () => {}, close: () => {} };
  let descriptor: number;
  try {
    descriptor = openSync(path, 'a', 0o600);
  } catch (error) {
    throw new StoreRefused(`the access log '${path}' cannot be written`, error);
  }
  return {
    write: (entry) => void writeSync(descriptor, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(descriptor),
  };
}
