/**
 * Builds Ruby's WebAssembly module with write tracking (`wasm-tracking.ts`), and reads the Ruby
 * side. Each thread compiles the module once for each memory limit; V8 shares the code between
 * threads.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SIDE_FOLDER } from '../side-folder.ts';
import { keepFileIfPossible, readChecked, withChecksum } from './image-folder.ts';
import {
  checkModule,
  describeOrigin,
  keyOfModule,
  keyOfOrigin,
  RUBY_PACKAGE,
  type RubyModuleFile,
  type RubyOrigin,
} from './ruby-origin.ts';
import type { RubyModule } from './wasm-machine.ts';
import { type DataSegment, initialData, limitModuleMemory, setBounds } from './wasm-sections.ts';
import { addWriteTracking, tableOf, withoutData } from './wasm-tracking.ts';
import { withStackRestored } from './wasm-unwinding.ts';

export const PAGE_BYTES = 65_536;
const MOST_PAGES = 65_536;

const compiled = new Map<number, RubyModule>();

/** Returns a bootable module of the package, without write tracking. */
export function plainModule(file: RubyModuleFile, memoryLimitBytes: number): RubyModule {
  const bytes = limitModuleMemory(readModule(file), pagesOf(memoryLimitBytes));
  return { module: new WebAssembly.Module(bytes), table: null };
}

/** Returns the initial content of Ruby's memory. */
export function initialMemory(): readonly DataSegment[] {
  return initialData(readModule('ruby.wasm'));
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
    withoutData(addWriteTracking(withStackRestored(readModule('ruby.wasm')))),
    MOST_PAGES,
  );
  if (!WebAssembly.validate(bytes)) throw new Error('the module that notes what it writes is none');
  return bytes;
}

export function moduleName(): string {
  return `ruby-${keyOfModule(rubyVersion()).slice(0, 16)}.module`;
}

/** Finds the origin of an image with this Ruby side. */
export function findRubyOrigin(side: ReadonlyMap<string, Uint8Array>): RubyOrigin {
  return describeOrigin(rubyVersion(), side);
}

/** Returns the key of an image: the digest of its origin. */
export function imageKey(side: ReadonlyMap<string, Uint8Array>): string {
  return keyOfOrigin(findRubyOrigin(side));
}

/** Reads the Ruby side by path, from the given folder or from this package. */
export function sideFiles(folder: string = SIDE_FOLDER): ReadonlyMap<string, Uint8Array> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:rb|txt)$/.test(name));
  return new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(`${folder}/${name}`)]));
}

/** Identifies the version of the package. */
function rubyVersion(): string {
  const path = pathOf('ruby.wasm');
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(path), '../package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return `${RUBY_PACKAGE} ${String(version)} ${statSync(path).size}`;
}

/**
 * Returns the module in the first folder that has an undamaged one. Throws the system's error for
 * an unreadable file.
 */
function findModule(folders: readonly string[]): Uint8Array<ArrayBuffer> | null {
  const name = moduleName();
  for (const folder of folders) {
    const bytes = readChecked(join(folder, name));
    if (bytes) return bytes;
  }
  return null;
}

function makeModule(cacheFolder: string | null): Uint8Array<ArrayBuffer> {
  const bytes = printModule();
  // V8 aborts the process when it meets a damaged function that it did not validate.
  if (cacheFolder !== null) keepFileIfPossible(join(cacheFolder, moduleName()), withChecksum(bytes));
  return bytes;
}

function pagesOf(bytes: number): number {
  return Math.floor(bytes / PAGE_BYTES);
}

/** Throws MachineryFault when the package's file is not the reviewed one. */
function readModule(file: RubyModuleFile): Uint8Array<ArrayBuffer> {
  return checkModule(file, readFileSync(pathOf(file)));
}

function pathOf(file: RubyModuleFile): string {
  return createRequire(import.meta.url).resolve(`${RUBY_PACKAGE}/dist/${file}`);
}
