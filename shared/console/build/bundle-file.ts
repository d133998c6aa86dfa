import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file of the console's client, as the door serves it below `/console/`. */
export interface BundledAsset {
  /** The name below `/console/`, as `main-9f86d081884c7d659a2feaa0c55ad015.js`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The value of `Content-Type`. */
  readonly type: string;
  /** SHA-256 of the bytes in hexadecimal. */
  readonly hash: string;
  /** Whether the name changes with the content; false for `index.html`. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Describes a file by its name and content. */
export function describeAsset(path: string, bytes: Uint8Array, isImmutable: boolean): BundledAsset {
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return { path, bytes, type, hash: createHash('sha256').update(bytes).digest('hex'), isImmutable };
}

/** Reads the files that `writeBundle` wrote. Throws when there are none, or they cannot be read. */
export function readBundle(path: string): readonly BundledAsset[] {
  const files = JSON.parse(readFileSync(path, 'utf8')) as readonly (readonly [string, string, boolean])[];
  return files.map(([name, text, isImmutable]) => describeAsset(name, Buffer.from(text, 'base64'), isImmutable));
}

/** Writes the files of the client as one file, in one step. Throws when that fails. */
export function writeBundle(path: string, assets: readonly BundledAsset[]): void {
  const files = assets.map(({ path: name, bytes, isImmutable }) => [
    name,
    Buffer.from(bytes).toString('base64'),
    isImmutable,
  ]);
  const temporary = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(temporary, JSON.stringify(files));
  renameSync(temporary, path);
}
