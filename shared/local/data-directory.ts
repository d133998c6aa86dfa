import { mkdirSync } from 'node:fs';

/** Makes a data directory that its owner alone can look into, when it is not there. */
export function makeDataDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
