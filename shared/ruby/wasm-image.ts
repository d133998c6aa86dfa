/**
 * A booted Ruby on disk: the machine's state with our side loaded, and the files of Ruby's standard library that code may still
 * require. One file: a SHA-256 of all that follows, the length of the head, the head as JSON, the memory, the files.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { MachineState } from './wasm-machine.ts';

export interface RubyImage {
  readonly state: MachineState;
  /** By path, without Ruby's side. */
  readonly library: ReadonlyMap<string, Uint8Array>;
}

interface Head {
  readonly key: string;
  readonly memoryBytes: number;
  readonly runs: readonly (readonly [at: number, length: number])[];
  readonly globals: readonly number[];
  readonly files: readonly (readonly [path: string, length: number])[];
}

const DIGEST_BYTES = 32;
const HEAD_START = DIGEST_BYTES + 4;
const SUFFIX = '.image';
/** Images of other versions that are left beside a new one. */
const KEPT = 3;

export function imageName(key: string): string {
  return `ruby-${key.slice(0, 16)}${SUFFIX}`;
}

/** The image in that file; null when there is none, or one that is damaged or of another Ruby. */
export function readImage(path: string, key: string): RubyImage | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return null;
  }
  if (bytes.length < HEAD_START || !digest(bytes.subarray(DIGEST_BYTES)).equals(bytes.subarray(0, DIGEST_BYTES))) {
    return null;
  }
  const headEnd = HEAD_START + bytes.readUInt32LE(DIGEST_BYTES);
  // The digest is right: it is what `printImage` wrote.
  const head = JSON.parse(bytes.toString('utf8', HEAD_START, headEnd)) as Head;
  return head.key === key ? imageOf(head, bytes.subarray(headEnd)) : null;
}

function imageOf({ memoryBytes, globals, ...head }: Head, body: Buffer): RubyImage {
  let at = 0;
  const take = (length: number) => {
    at += length;
    return body.subarray(at - length, at);
  };
  const runs = head.runs.map(([start, length]) => ({ at: start, bytes: take(length) }));
  const library = new Map(head.files.map(([path, length]) => [path, take(length)]));
  return { state: { memoryBytes, runs, globals }, library };
}

/**
 * Keeps an image in a folder. It is written to a file of its own first: who reads meanwhile sees the old one or none. Throws when the
 * folder can't be written.
 */
export function writeImage(folder: string, key: string, image: RubyImage): void {
  const path = join(folder, imageName(key));
  const draft = `${path}.${process.pid}.${threadId}`;
  writeFileSync(draft, printImage(key, image), { mode: 0o600 });
  renameSync(draft, path);
  removeOld(folder);
}

export function printImage(key: string, { state, library }: RubyImage): Buffer {
  const head: Head = {
    key,
    memoryBytes: state.memoryBytes,
    runs: state.runs.map(({ at, bytes }) => [at, bytes.length]),
    globals: state.globals,
    files: [...library].map(([path, bytes]) => [path, bytes.length]),
  };
  const headBytes = Buffer.from(JSON.stringify(head), 'utf8');
  const headLength = Buffer.alloc(4);
  headLength.writeUInt32LE(headBytes.length);
  const content = Buffer.concat([headLength, headBytes, ...state.runs.map(({ bytes }) => bytes), ...library.values()]);
  return Buffer.concat([digest(content), content]);
}

function removeOld(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  const aged = names
    .map((name) => ({ name, age: -statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => a.age - b.age);
  for (const { name } of aged.slice(KEPT)) rmSync(join(folder, name), { force: true });
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
