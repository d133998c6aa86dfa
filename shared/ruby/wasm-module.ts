/**
 * What Ruby is made of: our side, and its module as `wasm-tracking.ts` changes it. The module is compiled once a thread for each bound of its
 * memory; V8 shares the code among threads.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepFileIfPossible } from './image-folder.ts';
import type { RubyModule } from './wasm-machine.ts';
import { initialData, isWhole, type Segment, setBounds, withinBounds } from './wasm-sections.ts';
import { tableOf, tracked, withoutData } from './wasm-tracking.ts';

const PACKAGE = '@ruby/3.2-wasm-wasi';
/** Raised when another module is made of the same package. */
export const MODULE_FORM = 1;

export const PAGE_BYTES = 65_536;
const MOST_PAGES = 65_536;

/** Which of the package's modules: Ruby alone, or with the files of its standard library inside. */
export type RubyModuleFile = 'ruby.wasm' | 'ruby+stdlib.wasm';

const compiled = new Map<number, RubyModule>();

/** A module of the package that boots, and notes nothing. */
export function plainModule(file: RubyModuleFile, memoryLimitBytes: number): RubyModule {
  const bytes = withinBounds(readFileSync(pathOf(file)), pagesOf(memoryLimitBytes));
  return { module: new WebAssembly.Module(bytes), table: null };
}

/** What Ruby's memory holds before it boots. */
export function initialMemory(): readonly Segment[] {
  return initialData(readFileSync(pathOf('ruby.wasm')));
}

/**
 * Ruby without its initial memory. What it has never grows beyond `memoryLimitBytes`: what it then asks for fails as NoMemoryError in Ruby.
 * The module is made of the package's once, and kept in the cache folder, if there is one. `folders`: where it may be, best first.
 */
export function rubyModule(
  memoryLimitBytes: number,
  folders: readonly string[],
  cacheFolder: string | null,
): RubyModule {
  const pages = pagesOf(memoryLimitBytes);
  const known = compiled.get(pages);
  if (known) return known;
  const bytes = findModule(folders) ?? makeModule(cacheFolder);
  setBounds(bytes, pages);
  const ruby = { module: new WebAssembly.Module(bytes), table: tableOf(bytes) };
  compiled.set(pages, ruby);
  return ruby;
}

/** Ruby without its initial memory, for a file of the name that follows. */
function printModule(): Uint8Array<ArrayBuffer> {
  return withinBounds(withoutData(tracked(readFileSync(pathOf('ruby.wasm')))), MOST_PAGES);
}

export function moduleName(): string {
  const key = createHash('sha256').update(`${MODULE_FORM} ${rubyVersion()}`).digest('hex');
  return `ruby-${key.slice(0, 16)}.module`;
}

/** Ruby's side by path: what is in the folder, that of this package when none is given. */
export function sideFiles(
  folder: string = fileURLToPath(new URL('./side', import.meta.url)),
): ReadonlyMap<string, Uint8Array> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.rb'));
  return new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(`${folder}/${name}`)]));
}

/** What tells a version of the package from another. */
export function rubyVersion(): string {
  const path = pathOf('ruby.wasm');
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(path), '../package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return `${PACKAGE} ${String(version)} ${statSync(path).size}`;
}

function findModule(folders: readonly string[]): Uint8Array<ArrayBuffer> | null {
  const name = moduleName();
  for (const folder of folders) {
    const path = join(folder, name);
    const bytes = statSync(path, { throwIfNoEntry: false }) && readFileSync(path);
    if (bytes && isWhole(bytes)) return bytes;
  }
  return null;
}

function makeModule(cacheFolder: string | null): Uint8Array<ArrayBuffer> {
  const bytes = printModule();
  if (cacheFolder !== null) keepFileIfPossible(join(cacheFolder, moduleName()), bytes);
  return bytes;
}

function pagesOf(bytes: number): number {
  return Math.floor(bytes / PAGE_BYTES);
}

function pathOf(file: RubyModuleFile): string {
  return createRequire(import.meta.url).resolve(`${PACKAGE}/dist/${file}`);
}
