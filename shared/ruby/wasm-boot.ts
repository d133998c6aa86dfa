/** Starts Ruby from nothing and makes the image from which later starts go. */
import { createHash, randomFillSync } from 'node:crypto';
import { MemoryFiles } from './wasm-files.ts';
import type { RubyImage } from './wasm-image.ts';
import { RUBY_ARGUMENTS, WasmMachine } from './wasm-machine.ts';
import { initialMemory, MODULE_FORM, plainModule, rubyModule, rubyVersion } from './wasm-module.ts';
import type { SystemDevices } from './wasm-system.ts';

/** Raised when the image's form changes, or what of Ruby's library is in it. */
const FORM = 5;
const BOOT_MEMORY_BYTES = 1 << 29;
const SIDE = 'understudy';
const LIBRARY = 'library';
const PACKED_LIBRARIES = '/usr/local/lib/ruby';
/** Ruby's library, and those of the gems it brings that are of use to code of modules. */
const PACKED_FILES = '{3.2.0,gems/3.2.0/gems/{matrix,prime,rexml}-*/lib}/**/*.rb';
/** The folder of a library within `PACKED_LIBRARIES`. */
const PACKED_FOLDER = /^(?:3\.2\.0|gems\/.*?\/lib)\//;
/** Tools of developers, and what manages gems; but versions are compared in code of modules. */
const LEFT_OUT =
  /^(bundler|debug|drb|irb|mkmf|racc|rdoc|reline|rinda|rubygems(?!\/(version|requirement|dependency|deprecate)\.rb)|syntax_suggest|un)(\.rb$|\/)/;

/** What tells images apart: Ruby's version and our side. */
export function imageKey(side: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256').update(`${FORM} ${MODULE_FORM} ${rubyVersion()} ${RUBY_ARGUMENTS.join(' ')}`);
  for (const [path, bytes] of [...side].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * A booted Ruby that waits to serve. Takes a second or two. `folders`, `cacheFolder`: where its module may be, and is put. Throws when our
 * side can't be loaded.
 */
export function bootImage(
  side: ReadonlyMap<string, Uint8Array>,
  folders: readonly string[],
  cacheFolder: string | null,
): RubyImage {
  const library = readLibrary();
  const devices = new QuietDevices(allFiles(side, library));
  const machine = new WasmMachine(rubyModule(BOOT_MEMORY_BYTES, folders, cacheFolder), devices);
  machine.boot(initialMemory());
  // The module has a folder /usr of its own, which hides what is below.
  machine.evaluate(
    `$LOAD_PATH.replace(%w[/${LIBRARY} /${LIBRARY}/wasm32-wasi]); %w[wasm api].each { |name| load "/${SIDE}/#{name}.rb" }; Understudy.preload; Understudy.prepare`,
  );
  devices.check();
  return { state: machine.image(), library };
}

/** Files as Ruby sees them: our side and the library. */
export function allFiles(side: ReadonlyMap<string, Uint8Array>, library: ReadonlyMap<string, Uint8Array>): MemoryFiles {
  const ours = [...side].map(([path, bytes]) => [`${SIDE}/${path}`, bytes] as const);
  return new MemoryFiles(new Map([...library, ...ours]));
}

/** The files of Ruby's standard library, out of the module that has them inside. */
function readLibrary(): ReadonlyMap<string, Uint8Array> {
  const devices = new QuietDevices(new MemoryFiles(new Map()));
  const machine = new WasmMachine(plainModule('ruby+stdlib.wasm', BOOT_MEMORY_BYTES), devices);
  machine.boot();
  machine.evaluate(`STDOUT.binmode
    Dir.glob('${PACKED_FILES}', base: '${PACKED_LIBRARIES}').each do |path|
      text = File.binread("${PACKED_LIBRARIES}/#{path}")
      STDOUT.write([path.bytesize, text.bytesize].pack('VV'), path, text)
    end
    STDOUT.flush`);
  devices.check();
  const written = Buffer.concat(devices.written);
  const files = new Map<string, Uint8Array>();
  for (let at = 0; at < written.length; ) {
    const start = at + 8 + written.readUInt32LE(at);
    const path = written.toString('utf8', at + 8, start).replace(PACKED_FOLDER, '');
    const end = start + written.readUInt32LE(at + 4);
    if (!LEFT_OUT.test(path)) files.set(`${LIBRARY}/${path}`, written.subarray(start, end));
    at = end;
  }
  return files;
}

/** Nothing to read; what is written is kept. */
class QuietDevices implements SystemDevices {
  readonly files: MemoryFiles;
  readonly time = 0n;
  readonly written: Uint8Array[] = [];
  readonly #complaints: Uint8Array[] = [];

  constructor(files: MemoryFiles) {
    this.files = files;
  }

  read(): Uint8Array {
    return new Uint8Array();
  }

  write(bytes: Uint8Array): void {
    this.written.push(bytes.slice());
  }

  writeError(bytes: Uint8Array): void {
    this.#complaints.push(bytes.slice());
  }

  fillRandom(bytes: Uint8Array): void {
    randomFillSync(bytes);
  }

  check(): void {
    if (this.#complaints.length > 0) throw new Error(`Ruby does not start: ${Buffer.concat(this.#complaints)}`);
  }
}
