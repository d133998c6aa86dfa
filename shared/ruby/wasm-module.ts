/** What Ruby is made of: its module, compiled once a thread for each bound of its memory; V8 shares the code among threads; and our side. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withinBounds } from './wasm-sections.ts';

const PACKAGE = '@ruby/3.2-wasm-wasi';

export const PAGE_BYTES = 65_536;

/** Which of the package's modules: Ruby alone, or with the files of its standard library inside. */
export type RubyModuleFile = 'ruby.wasm' | 'ruby+stdlib.wasm';

const compiled = new Map<string, WebAssembly.Module>();

/** The module whose memory never grows beyond `memoryLimitBytes`: what it then asks for fails as NoMemoryError in Ruby. */
export function rubyModule(file: RubyModuleFile, memoryLimitBytes: number): WebAssembly.Module {
  const pages = Math.floor(memoryLimitBytes / PAGE_BYTES);
  const key = `${file} ${pages}`;
  const known = compiled.get(key);
  if (known) return known;
  const module = new WebAssembly.Module(withinBounds(readFileSync(pathOf(file)), pages));
  compiled.set(key, module);
  return module;
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

function pathOf(file: RubyModuleFile): string {
  return createRequire(import.meta.url).resolve(`${PACKAGE}/dist/${file}`);
}
