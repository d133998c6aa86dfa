/** Boots Ruby and creates the image that later starts restore. */
import { randomFillSync } from 'node:crypto';
import { allFiles, LIBRARY, MemoryFiles, SIDE } from './wasm-files.ts';
import type { RubyImage } from './wasm-image.ts';
import { WasmMachine } from './wasm-machine.ts';
import { bootModule, initialMemory, type ModuleFolders, plainModule } from './wasm-module.ts';
import type { SystemDevices } from './wasm-system.ts';

const BOOT_MEMORY_BYTES = 1 << 29;
const PACKED_LIBRARIES = '/usr/local/lib/ruby';
/** Ruby's standard library, and the bundled gems that module code uses. */
const PACKED_FILES = '{3.2.0,gems/3.2.0/gems/{matrix,prime,rexml}-*/lib}/**/*.rb';
/** The folder of a library within `PACKED_LIBRARIES`. */
const PACKED_FOLDER = /^(?:3\.2\.0|gems\/.*?\/lib)\//;
/**
 * Developer tools and gem management are left out; the version classes stay because module code
 * compares versions.
 */
const LEFT_OUT =
  /^(bundler|debug|drb|irb|mkmf|racc|rdoc|reline|rinda|rubygems(?!\/(version|requirement|dependency|deprecate)\.rb)|syntax_suggest|un)(\.rb$|\/)/;

const FUNCTION = 'understudy_rehearsal';
const PLACE = { name: FUNCTION, path: '/understudy_rehearsal' };
const CALL = { op: 'call', name: FUNCTION, method: FUNCTION, block: null };
const LEGACY_NAME = `${FUNCTION}3`;
const FOUND = { ret: { set: true, value: 'text' } };
const ARGUMENTS = ['text', 1, 1.5, true, null, ['a', ['b']]];

/**
 * Warm-up requests, with answers to their callbacks. `side/wasm.rb` removes the names that they
 * define.
 */
const REHEARSAL = [
  { op: 'ping' },
  {
    ...PLACE,
    op: 'describe',
    source: `Puppet::Functions.create_function(:${FUNCTION}) do
      dispatch(:${FUNCTION}) { repeated_param 'Any', :values }
      def ${FUNCTION}(*values) = [values, values.to_h { |value| [value.to_s, value] }]
    end`,
  },
  { ...CALL, args: ARGUMENTS },
  { ...CALL, args: ARGUMENTS },
  {
    ...PLACE,
    op: 'describe3',
    name: LEGACY_NAME,
    source: `Puppet::Parser::Functions.newfunction(:${LEGACY_NAME}, type: :rvalue) { |values| values.join(lookupvar('a').to_s) }`,
  },
  { op: 'call3', name: LEGACY_NAME, args: ['text', 'more'] },
  FOUND,
  { op: 'call3', name: LEGACY_NAME, args: ['text', 'more'] },
  FOUND,
  {
    op: 'compile',
    id: 0,
    path: '/understudy_rehearsal',
    source: "<% [1].each do |one| -%>\n<%= one %> <%= @text %><%= scope['a'] %>\n<% end -%>\n",
  },
  { op: 'erb', id: 0, vars: { text: 'text' }, foreseen: {} },
  FOUND,
  { op: 'erb', id: 0, vars: { text: 'text' }, foreseen: {} },
  FOUND,
  { op: 'hold' },
].map((frame) => JSON.stringify(frame));

/** Fills bytes with random ones. */
export type RandomSource = (bytes: Uint8Array) => void;

/**
 * Boots a Ruby that is ready to serve; this takes one or two seconds. The image depends on the side
 * and on `random`, from which Ruby takes the seed of `String#hash`. Throws when the Ruby side
 * cannot be loaded.
 */
export function bootImage(
  side: ReadonlyMap<string, Uint8Array>,
  folders: ModuleFolders,
  random: RandomSource = randomFillSync,
): RubyImage {
  const library = readLibrary(random);
  const devices = new QuietDevices(allFiles(side, library), random);
  const machine = new WasmMachine(bootModule(BOOT_MEMORY_BYTES, folders), devices);
  machine.boot(initialMemory());
  // The module has its own folder /usr, which hides what is below.
  machine.evaluate(
    `$LOAD_PATH.replace(%w[/${LIBRARY} /${LIBRARY}/wasm32-wasi]); %w[wasm api].each { |name| load "/${SIDE}/#{name}.rb" }; Understudy.preload; Understudy.prepare`,
  );
  devices.input.push(...REHEARSAL);
  for (const code of ['Understudy.serve', 'Understudy::Rehearsal.forget', 'GC.start']) machine.evaluate(code);
  devices.check();
  return { state: machine.takeImage(), library };
}

/** Reads Ruby's standard library from the module that embeds it. */
function readLibrary(random: RandomSource): ReadonlyMap<string, Uint8Array> {
  const devices = new QuietDevices(new MemoryFiles(new Map()), random);
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

/** Devices without a host: input is prepared in advance, output is collected. */
class QuietDevices implements SystemDevices {
  readonly files: MemoryFiles;
  /** Lines. */
  readonly input: string[] = [];
  readonly time = 0n;
  readonly written: Uint8Array[] = [];
  readonly #complaints: Uint8Array[] = [];

  readonly #random: RandomSource;

  constructor(files: MemoryFiles, random: RandomSource) {
    this.files = files;
    this.#random = random;
  }

  read(): Uint8Array {
    return Buffer.from(
      this.input
        .splice(0, 1)
        .map((line) => `${line}\n`)
        .join(''),
      'utf8',
    );
  }

  write(bytes: Uint8Array): void {
    this.written.push(bytes.slice());
  }

  writeError(bytes: Uint8Array): void {
    this.#complaints.push(bytes.slice());
  }

  fillRandom(bytes: Uint8Array): void {
    this.#random(bytes);
  }

  check(): void {
    if (this.#complaints.length > 0) throw new Error(`Ruby does not start: ${Buffer.concat(this.#complaints)}`);
  }
}
