/** Ruby's module, compiled once a process for each bound of its memory. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const PAGE_BYTES = 65_536;
const MEMORY_SECTION = 5;
const MODULE_HEADER_BYTES = 8;

const compiled = new Map<number, WebAssembly.Module>();

/** The module whose memory never grows beyond `memoryLimitBytes`: what it then asks for fails as NoMemoryError in Ruby. */
export function rubyModule(memoryLimitBytes: number): WebAssembly.Module {
  const pages = Math.floor(memoryLimitBytes / PAGE_BYTES);
  const known = compiled.get(pages);
  if (known) return known;
  const path = createRequire(import.meta.url).resolve('@ruby/3.2-wasm-wasi/dist/ruby+stdlib.wasm');
  const module = new WebAssembly.Module(withMemoryLimit(readFileSync(path), pages));
  compiled.set(pages, module);
  return module;
}

/** The module's bytes with `pages` as the maximum of its only memory. Throws RangeError when it needs more to start. */
export function withMemoryLimit(module: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  let at = MODULE_HEADER_BYTES;
  while (at < module.length) {
    const size = readNumber(module, at + 1);
    const end = size.end + size.value;
    if (module[at] === MEMORY_SECTION) return spliced(module, at, end, memorySection(module, size.end, pages));
    at = end;
  }
  throw new RangeError('the module has no memory of its own');
}

function memorySection(module: Uint8Array, start: number, pages: number): readonly number[] {
  const count = readNumber(module, start);
  const flags = readNumber(module, count.end);
  const minimum = readNumber(module, flags.end);
  if (count.value !== 1 || flags.value > 1) throw new RangeError('the module has no plain memory');
  if (minimum.value > pages) throw new RangeError(`Ruby needs ${minimum.value * PAGE_BYTES} bytes of memory to start`);
  const body = [1, 1, ...numberBytes(minimum.value), ...numberBytes(pages)];
  return [MEMORY_SECTION, ...numberBytes(body.length), ...body];
}

function spliced(module: Uint8Array, start: number, end: number, middle: readonly number[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(module.length - (end - start) + middle.length);
  result.set(module.subarray(0, start));
  result.set(middle, start);
  result.set(module.subarray(end), start + middle.length);
  return result;
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
