/** The functions of a WebAssembly module. */
import { ByteReader } from './wasm-bytes.ts';
import type { WasmSection } from './wasm-sections.ts';

/** Throws RangeError when there is no such section. */
export function bodyOf(all: ReadonlyMap<number, WasmSection>, id: number): Uint8Array {
  const found = all.get(id);
  if (!found) throw new RangeError(`the module has no section ${id}`);
  return found.body;
}

/**
 * Returns the number of functions in the section of imports: they have the first numbers. Throws
 * RangeError for imports of other things.
 */
export function createImportedFunctions(body: Uint8Array): number {
  const reader = new ByteReader(body);
  const count = reader.readNumber();
  for (let left = count; left > 0; left -= 1) {
    reader.readVector();
    reader.readVector();
    if (reader.readByte() !== 0) throw new RangeError('the module imports what is no function');
    reader.skipNumbers(1);
  }
  return count;
}

/** Numbers of the exported functions, by name. */
export function exportedFunctions(body: Uint8Array): ReadonlyMap<string, number> {
  const reader = new ByteReader(body);
  const found = new Map<string, number>();
  for (let left = reader.readNumber(); left > 0; left -= 1) {
    const name = Buffer.from(reader.readVector()).toString('utf8');
    const kind = reader.readByte();
    const number = reader.readNumber();
    if (kind === 0) found.set(name, number);
  }
  return found;
}

/** The bodies of a module's own functions, in order. */
export function* functionBodies(code: Uint8Array): Iterable<Uint8Array> {
  const reader = new ByteReader(code);
  for (let left = reader.readNumber(); left > 0; left -= 1) yield reader.readVector();
}

/** A reader at the first instruction of a function. */
export function instructionsOf(body: Uint8Array): ByteReader {
  const reader = new ByteReader(body);
  for (let left = reader.readNumber(); left > 0; left -= 1) {
    reader.skipNumbers(1);
    reader.skip(1);
  }
  return reader;
}
