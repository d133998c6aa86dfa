/**
 * Builds Ruby's WebAssembly module with write tracking (`wasm-tracking.ts`), and reads the Ruby
 * side. Each thread compiles the module once for each memory limit; V8 shares the code between
 * threads.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { SIDE_FOLDER } from '../side-folder.ts';
import { keepFileIfPossible } from './image-folder.ts';
import { RUBY_ARGUMENTS, type RubyModule } from './wasm-machine.ts';
import { type DataSegment, initialData, limitModuleMemory, setBounds } from './wasm-sections.ts';
import { addWriteTracking, tableOf, withoutData } from './wasm-tracking.ts';
import { withStackRestored } from './wasm-unwinding.ts';

const PACKAGE = '@ruby/3.2-wasm-wasi';
/** Raised when another module is made of the same package, or its file has another form. */
const MODULE_FORM = 3;
/** Raised when the image's form changes, what of Ruby's library is in it, or what it is made by. */
const IMAGE_FORM = 8;

export const PAGE_BYTES = 65_536;
const MOST_PAGES = 65_536;
const DIGEST_BYTES = 4;

/** A module of the package: Ruby alone, or with the embedded standard library. */
export type RubyModuleFile = 'ruby.wasm' | 'ruby+stdlib.wasm';

const compiled = new Map<number, RubyModule>();

/** Returns a bootable module of the package, without write tracking. */
export function plainModule(file: RubyModuleFile, memoryLimitBytes: number): RubyModule {
  const bytes = limitModuleMemory(readFileSync(pathOf(file)), pagesOf(memoryLimitBytes));
  return { module: new WebAssembly.Module(bytes), table: null };
}

/** Returns the initial content of Ruby's memory. */
export function initialMemory(): readonly DataSegment[] {
  return initialData(readFileSync(pathOf('ruby.wasm')));
}

/**
 * Folders in which Ruby's module is searched, in order, and the folder in which a new one is
 * stored; null for none.
 */
export interface ModuleFolders {
  readonly imageFolders: readonly string[];
  readonly cacheFolder: string | null;
}

/**
 * Returns Ruby without its initial memory. Its memory never grows beyond `memoryLimitBytes`; a
 * larger allocation raises NoMemoryError in Ruby. The module is generated from the package once.
 */
export function rubyModule(memoryLimitBytes: number, folders: ModuleFolders): RubyModule {
  const known = compiled.get(memoryLimitBytes);
  if (known) return known;
  const bytes = moduleBytes(memoryLimitBytes, folders);
  const ruby = { module: compileUnchecked(bytes), table: tableOf(bytes) };
  compiled.set(memoryLimitBytes, ruby);
  return ruby;
}

/** Like `rubyModule`, for the thread that creates an image. */
export function bootModule(memoryLimitBytes: number, folders: ModuleFolders): RubyModule {
  const bytes = moduleBytes(memoryLimitBytes, folders);
  return { module: new WebAssembly.Module(bytes), table: tableOf(bytes) };
}

function moduleBytes(memoryLimitBytes: number, { imageFolders, cacheFolder }: ModuleFolders): Uint8Array<ArrayBuffer> {
  const bytes = findModule(imageFolders) ?? makeModule(cacheFolder);
  setBounds(bytes, pagesOf(memoryLimitBytes));
  return bytes;
}

/**
 * Compiles a module that was validated when it was generated. V8 then need not validate all of it
 * before the first function runs. The flags are reset afterwards, because V8 rejects its code cache
 * under changed flags. A process started from a snapshot cannot load `node:v8`; its start options
 * show this in all threads but Ruby's.
 */
function compileUnchecked(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  const isFromSnapshot = process.execArgv.some((argument) => argument.startsWith('--snapshot-blob'));
  const v8 = isFromSnapshot ? null : process.getBuiltinModule('node:v8');
  v8?.setFlagsFromString('--wasm-lazy-validation');
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    v8?.setFlagsFromString('--no-wasm-lazy-validation');
  }
}

/** Generates Ruby's module without initial memory, for the file `moduleName`. */
function printModule(): Uint8Array<ArrayBuffer> {
  const bytes = limitModuleMemory(
    withoutData(addWriteTracking(withStackRestored(readFileSync(pathOf('ruby.wasm'))))),
    MOST_PAGES,
  );
  if (!WebAssembly.validate(bytes)) throw new Error('the module that notes what it writes is none');
  return bytes;
}

export function moduleName(): string {
  const key = createHash('sha256').update(`${MODULE_FORM} ${rubyVersion()}`).digest('hex');
  return `ruby-${key.slice(0, 16)}.module`;
}

/** Returns the key of an image: Ruby's version and the Ruby side. */
export function imageKey(side: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256').update(`${IMAGE_FORM} ${MODULE_FORM} ${rubyVersion()} ${RUBY_ARGUMENTS.join(' ')}`);
  for (const [path, bytes] of [...side].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Reads the Ruby side by path, from the given folder or from this package. */
export function sideFiles(folder: string = SIDE_FOLDER): ReadonlyMap<string, Uint8Array> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.rb'));
  return new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(`${folder}/${name}`)]));
}

/** Identifies the version of the package. */
function rubyVersion(): string {
  const path = pathOf('ruby.wasm');
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(path), '../package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return `${PACKAGE} ${String(version)} ${statSync(path).size}`;
}

/**
 * Returns the module in the first folder that has an undamaged one. Throws the system's error for
 * an unreadable file.
 */
function findModule(folders: readonly string[]): Uint8Array<ArrayBuffer> | null {
  const name = moduleName();
  for (const folder of folders) {
    const path = join(folder, name);
    const bytes = statSync(path, { throwIfNoEntry: false }) && readFileSync(path);
    if (bytes && isSound(bytes)) return bytes.subarray(DIGEST_BYTES);
  }
  return null;
}

function makeModule(cacheFolder: string | null): Uint8Array<ArrayBuffer> {
  const bytes = printModule();
  if (cacheFolder !== null) keepFileIfPossible(join(cacheFolder, moduleName()), withDigest(bytes));
  return bytes;
}

/**
 * Prepends a CRC-32 to a module file: V8 aborts the process when it meets a damaged function that
 * it did not validate.
 */
function withDigest(module: Uint8Array): Uint8Array {
  const digest = Buffer.alloc(DIGEST_BYTES);
  digest.writeUInt32LE(crc32(module));
  return Buffer.concat([digest, module]);
}

function isSound(file: Buffer): boolean {
  return file.length > DIGEST_BYTES && crc32(file.subarray(DIGEST_BYTES)) === file.readUInt32LE(0);
}

function pagesOf(bytes: number): number {
  return Math.floor(bytes / PAGE_BYTES);
}

function pathOf(file: RubyModuleFile): string {
  return createRequire(import.meta.url).resolve(`${PACKAGE}/dist/${file}`);
}
