/**
 * The file format of a booted Ruby: the state of the machine with the Ruby side loaded, and the
 * files of the standard library that code may still require. Behind its checksum, a file contains
 * the length of the head, the head as JSON, the memory, and the files.
 */
import { join } from 'node:path';
import { keepFile, readChecked, withChecksum } from './image-folder.ts';
import { keyOfOrigin, type RubyOrigin } from './ruby-origin.ts';
import type { MachineState } from './wasm-machine.ts';
import { CARD_BYTES, type Card } from './wasm-memory.ts';

export interface RubyImage {
  readonly state: MachineState;
  /** By path, without the Ruby side. */
  readonly library: ReadonlyMap<string, Uint8Array>;
}

interface Head {
  /** Origin of the image. Its digest is the key. */
  readonly origin: RubyOrigin;
  readonly memoryBytes: number;
  /**
   * Runs of memory cards that are not all zeros: the first card of each run, and the run's length
   * in bytes. All cards of a run but the last are full.
   */
  readonly runs: readonly (readonly [first: number, bytes: number])[];
  readonly globals: readonly number[];
  readonly files: readonly (readonly [path: string, length: number])[];
}

/** Bytes of the length of the head. */
const HEAD_START = 4;
const SUFFIX = '.image';

export function imageName(key: string): string {
  return `ruby-${key.slice(0, 16)}${SUFFIX}`;
}

/**
 * Reads the image in a file. Null when there is none, when it is damaged, or when what it states to
 * be made of is not what `key` is the digest of. Throws the system's error for an unreadable file.
 */
export function readImage(path: string, key: string): RubyImage | null {
  const bytes = readChecked(path);
  if (bytes === null) return null;
  const headEnd = HEAD_START + bytes.readUInt32LE(0);
  // The checksum matches, so the head is what `printImage` wrote.
  const head = JSON.parse(bytes.toString('utf8', HEAD_START, headEnd)) as Head;
  return keyOfOrigin(head.origin) === key ? imageOf(head, bytes.subarray(headEnd)) : null;
}

function imageOf({ memoryBytes, globals, ...head }: Head, body: Buffer): RubyImage {
  let at = 0;
  // Plain arrays are created faster than views of a Buffer.
  const take = (length: number) => {
    at += length;
    return new Uint8Array(body.buffer, body.byteOffset + at - length, length);
  };
  const cards = new Array<Card>(memoryBytes / CARD_BYTES).fill(undefined);
  for (const [first, bytes] of head.runs) {
    for (let done = 0; done < bytes; done += CARD_BYTES) {
      cards[first + done / CARD_BYTES] = take(Math.min(bytes - done, CARD_BYTES));
    }
  }
  const library = new Map(head.files.map(([path, length]) => [path, take(length)]));
  return { state: { memoryBytes, cards, globals }, library };
}

/** Writes an image to a folder. Throws when the folder is not writable. */
export function writeImage(folder: string, origin: RubyOrigin, image: RubyImage): void {
  keepFile(join(folder, imageName(keyOfOrigin(origin))), printImage(origin, image));
}

export function printImage(origin: RubyOrigin, { state, library }: RubyImage): Uint8Array {
  const head: Head = {
    origin,
    memoryBytes: state.memoryBytes,
    runs: runsOf(state.cards),
    globals: state.globals,
    files: [...library].map(([path, bytes]) => [path, bytes.length]),
  };
  const headBytes = Buffer.from(JSON.stringify(head), 'utf8');
  const memory = state.cards.filter((card) => card !== undefined);
  const length = Buffer.alloc(HEAD_START);
  length.writeUInt32LE(headBytes.length);
  return withChecksum(Buffer.concat([length, headBytes, ...memory, ...library.values()]));
}

function runsOf(cards: readonly Card[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const [index, card] of cards.entries()) {
    const last = runs.at(-1);
    if (card && last && last[0] + last[1] / CARD_BYTES === index) last[1] += card.length;
    else if (card) runs.push([index, card.length]);
  }
  return runs;
}
