/** The bytes of a WebAssembly module, section by section: bounds its memory and opens its globals to the host. */

const HEADER_BYTES = 8;
const MEMORY = 5;
const GLOBAL = 6;
const EXPORT = 7;
const GLOBAL_KIND = 3;

/** The name under which the global with that number is exported. */
export function globalName(index: number): string {
  return `global ${index}`;
}

/**
 * The module with `pages` as the maximum of its only memory, and all its globals exported by `globalName`. Throws RangeError when it
 * needs more memory to start, or is no module of that kind.
 */
export function withinBounds(module: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [module.subarray(0, HEADER_BYTES)];
  const found = new Set<number>();
  let globals = 0;
  for (const { id, all, body } of sections(module)) {
    found.add(id);
    if (id === GLOBAL) globals = readNumber(body, 0).value;
    if (id === MEMORY) parts.push(section(MEMORY, limitedMemory(body, pages)));
    else if (id === EXPORT) parts.push(section(EXPORT, withGlobals(body, globals)));
    else parts.push(all);
  }
  if (!found.has(MEMORY) || !found.has(EXPORT)) throw new RangeError('the module has no memory of its own');
  return joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

interface Section {
  readonly id: number;
  readonly all: Uint8Array;
  readonly body: Uint8Array;
}

function* sections(module: Uint8Array): Iterable<Section> {
  let at = HEADER_BYTES;
  while (at < module.length) {
    const size = readNumber(module, at + 1);
    const end = size.end + size.value;
    yield { id: module[at] ?? 0, all: module.subarray(at, end), body: module.subarray(size.end, end) };
    at = end;
  }
}

function section(id: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([id, ...numberBytes(body.length)]), body]);
}

function limitedMemory(body: Uint8Array, pages: number): Uint8Array {
  const count = readNumber(body, 0);
  const flags = readNumber(body, count.end);
  const minimum = readNumber(body, flags.end);
  if (count.value !== 1 || flags.value > 1) throw new RangeError('the module has no plain memory');
  if (minimum.value > pages) throw new RangeError(`Ruby needs ${minimum.value} pages of memory to start`);
  return Uint8Array.from([1, 1, ...numberBytes(minimum.value), ...numberBytes(pages)]);
}

function withGlobals(body: Uint8Array, globals: number): Uint8Array {
  const count = readNumber(body, 0);
  const entries = Array.from({ length: globals }, (_, index) => {
    const name = Buffer.from(globalName(index), 'utf8');
    return [...numberBytes(name.length), ...name, GLOBAL_KIND, ...numberBytes(index)];
  });
  const head = Uint8Array.from(numberBytes(count.value + globals));
  return Buffer.concat([head, body.subarray(count.end), Uint8Array.from(entries.flat())]);
}

/** An unsigned LEB128 number. */
function readNumber(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let index = at, factor = 1; ; index += 1, factor *= 128) {
    const byte = bytes[index] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: index + 1 };
  }
}

function numberBytes(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...numberBytes(Math.floor(value / 128))];
}
