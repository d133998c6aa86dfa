/** Edits a WebAssembly module by section: limits its memory and exports its globals to the host. */
import { ByteReader, numberBytes, wideNumberBytes } from './wasm-bytes.ts';

export const HEADER_BYTES = 8;
export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  memory: 5,
  global: 6,
  export: 7,
  code: 10,
  data: 11,
  dataCount: 12,
} as const;

const GLOBAL_KIND = 3;
const PASSIVE = 1;
const I32_CONST = 0x41;

/** Initial bytes at an address in memory. */
export interface DataSegment {
  readonly at: number;
  readonly bytes: Uint8Array;
}

export interface WasmSection {
  readonly id: number;
  readonly all: Uint8Array;
  readonly body: Uint8Array;
}

/** Returns the export name of the global with that index. */
export function globalName(index: number): string {
  return `global ${index}`;
}

/**
 * Sets `pages` as the maximum of the module's only memory, and exports all globals by `globalName`.
 * Throws RangeError when the module needs more memory to start or has another form.
 */
export function limitModuleMemory(module: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [module.subarray(0, HEADER_BYTES)];
  const found = new Set<number>();
  let globals = 0;
  for (const { id, all, body } of readSections(module)) {
    found.add(id);
    if (id === SECTION.global) globals = countOf(body).count;
    if (id === SECTION.memory) parts.push(encodeSection(id, limitMemory(body, pages)));
    else if (id === SECTION.export) parts.push(encodeSection(id, withGlobals(body, globals)));
    else parts.push(all);
  }
  if (!found.has(SECTION.memory) || !found.has(SECTION.export)) {
    throw new RangeError('the module has no memory of its own');
  }
  return concatenateBytes(parts);
}

/**
 * Changes the memory limits of a module in place. Throws RangeError when the module needs more
 * memory to start.
 */
export function setBounds(module: Uint8Array, pages: number): void {
  const memory = [...readSections(module)].find(({ id }) => id === SECTION.memory);
  if (!memory) throw new RangeError('the module has no memory of its own');
  memory.body.set(limitMemory(memory.body, pages));
}

export function* readSections(module: Uint8Array): Iterable<WasmSection> {
  const reader = new ByteReader(module, HEADER_BYTES);
  while (reader.at < module.length) {
    const start = reader.at;
    const id = reader.readByte();
    const body = reader.readVector();
    yield { id, all: module.subarray(start, reader.at), body };
  }
}

/**
 * Returns the initial content of a module's memory. Throws RangeError when an address is not a
 * plain number.
 */
export function initialData(module: Uint8Array): DataSegment[] {
  const data = [...readSections(module)].find(({ id }) => id === SECTION.data);
  const reader = new ByteReader(data?.body ?? Uint8Array.of(0));
  const segments: DataSegment[] = [];
  for (let left = reader.readNumber(); left > 0; left -= 1) {
    const kind = reader.readNumber();
    if (kind > PASSIVE) throw new RangeError('the module has data for another memory');
    const at = kind === PASSIVE ? null : startOf(reader);
    const bytes = reader.readVector();
    // Passive segments are used only by instructions that `wasm-instructions.ts` does not support.
    if (at !== null) segments.push({ at, bytes });
  }
  return segments;
}

function startOf(reader: ByteReader): number {
  if (reader.readByte() !== I32_CONST) throw new RangeError('the module has data at a place that it does not know');
  const at = reader.readNumber();
  reader.skip(1);
  return at;
}

export function encodeSection(id: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([id, ...numberBytes(body.length)]), body]);
}

/** Returns the number of entries in a section, and their bytes. */
export function countOf(body: Uint8Array): { readonly count: number; readonly entries: Uint8Array } {
  const reader = new ByteReader(body);
  const count = reader.readNumber();
  return { count, entries: body.subarray(reader.at) };
}

/** Appends entries to the body of a section. */
export function appendEntries(body: Uint8Array, added: readonly (readonly number[])[]): Uint8Array {
  const { count, entries } = countOf(body);
  return Buffer.concat([Uint8Array.from(numberBytes(count + added.length)), entries, Uint8Array.from(added.flat())]);
}

export function concatenateBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

/**
 * Returns the initial memory size in pages. Throws RangeError when the module does not have exactly
 * one plain memory.
 */
export function memoryPages(body: Uint8Array): number {
  const reader = new ByteReader(body);
  const [count, flags] = [reader.readNumber(), reader.readNumber()];
  if (count !== 1 || flags > 1) throw new RangeError('the module has no plain memory');
  return reader.readNumber();
}

function limitMemory(body: Uint8Array, pages: number): Uint8Array {
  const minimum = memoryPages(body);
  if (minimum > pages) throw new RangeError(`Ruby needs ${minimum} pages of memory to start`);
  return Uint8Array.from([1, 1, ...numberBytes(minimum), ...wideNumberBytes(pages)]);
}

function withGlobals(body: Uint8Array, globals: number): Uint8Array {
  const entries = Array.from({ length: globals }, (_, index) => {
    const name = Buffer.from(globalName(index), 'utf8');
    return [...numberBytes(name.length), ...name, GLOBAL_KIND, ...numberBytes(index)];
  });
  return appendEntries(body, entries);
}
