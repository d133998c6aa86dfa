/**
 * What Ruby is made of: our side, and its module as `wasm-unwinding.ts` and `wasm-tracking.ts`
 * change it. The module is compiled once a thread for each bound of its memory; V8 shares the code
 * among threads.
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

/** Which of the package's modules: Ruby alone, or with the files of its standard library inside. */
export type RubyModuleFile = 'ruby.wasm' | 'ruby+stdlib.wasm';

const compiled = new Map<number, RubyModule>();

/** A module of the package that boots, and notes nothing. */
export function plainModule(file: RubyModuleFile, memoryLimitBytes: number): RubyModule {
  const bytes = limitModuleMemory(readFileSync(pathOf(file)), pagesOf(memoryLimitBytes));
  return { module: new WebAssembly.Module(bytes), table: null };
}

/** What Ruby's memory holds before it boots. */
export function initialMemory(): readonly DataSegment[] {
  return initialData(readFileSync(pathOf('ruby.wasm')));
}

/**
 * Where Ruby's module may be, best first, and where it is kept once it was made; null for nowhere.
 */
export interface ModuleFolders {
  readonly imageFolders: readonly string[];
  readonly cacheFolder: string | null;
}

/**
 * Ruby without its initial memory. What it has never grows beyond `memoryLimitBytes`: what it then
 * asks for fails as NoMemoryError in Ruby. The module is made of the package's once.
 */
export function rubyModule(memoryLimitBytes: number, folders: ModuleFolders): RubyModule {
  const known = compiled.get(memoryLimitBytes);
  if (known) return known;
  const bytes = moduleBytes(memoryLimitBytes, folders);
  const ruby = { module: compileUnchecked(bytes), table: tableOf(bytes) };
  compiled.set(memoryLimitBytes, ruby);
  return ruby;
}

/** The same for the thread that makes an image. */
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
 * Compiles a module that was validated when it was made: V8 need not look at all of it again before
 * its first function can run. With other flags than before, V8 would not take code that it has
 * kept: they are set back. A process that starts from a snapshot can't load `node:v8`; what it was
 * started with says so in all threads but Ruby's.
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

/** Ruby without its initial memory, for a file of the name that follows. */
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

/** What tells images apart: Ruby's version and our side. */
export function imageKey(side: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256').update(`${IMAGE_FORM} ${MODULE_FORM} ${rubyVersion()} ${RUBY_ARGUMENTS.join(' ')}`);
  for (const [path, bytes] of [...side].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Ruby's side by path: what is in the folder, that of this package when none is given. */
export function sideFiles(folder: string = SIDE_FOLDER): ReadonlyMap<string, Uint8Array> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.rb'));
  return new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(`${folder}/${name}`)]));
}

/** What tells a version of the package from another. */
function rubyVersion(): string {
  const path = pathOf('ruby.wasm');
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(path), '../package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return `${PACKAGE} ${String(version)} ${statSync(path).size}`;
}

/**
 * The module in the first folder that has one which is not damaged. Throws the system's error for a
 * file that can't be read.
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
 * V8 ends the process when it comes upon a damaged function that it did not validate: a file of a
 * module has a CRC-32 before it.
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
