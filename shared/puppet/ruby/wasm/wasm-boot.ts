/** Starts Ruby from nothing and makes the image from which later starts go. */
import { randomFillSync } from 'node:crypto';
import { allFiles, LIBRARY, MemoryFiles, SIDE } from './wasm-files.ts';
import type { RubyImage } from './wasm-image.ts';
import { WasmMachine } from './wasm-machine.ts';
import { bootModule, initialMemory, type ModuleFolders, plainModule } from './wasm-module.ts';
import type { SystemDevices } from './wasm-system.ts';

const BOOT_MEMORY_BYTES = 1 << 29;
const PACKED_LIBRARIES = '/usr/local/lib/ruby';
/** Ruby's library, and those of the gems it brings that are of use to code of modules. */
const PACKED_FILES = '{3.2.0,gems/3.2.0/gems/{matrix,prime,rexml}-*/lib}/**/*.rb';
/** The folder of a library within `PACKED_LIBRARIES`. */
const PACKED_FOLDER = /^(?:3\.2\.0|gems\/.*?\/lib)\//;
/** Tools of developers, and what manages gems; but versions are compared in code of modules. */
const LEFT_OUT =
  /^(bundler|debug|drb|irb|mkmf|racc|rdoc|reline|rinda|rubygems(?!\/(version|requirement|dependency|deprecate)\.rb)|syntax_suggest|un)(\.rb$|\/)/;

const FUNCTION = 'understudy_rehearsal';
const PLACE = { name: FUNCTION, path: '/understudy_rehearsal' };
const CALL = { op: 'call', name: FUNCTION, method: FUNCTION, block: null };
const LEGACY_NAME = `${FUNCTION}3`;
const ARGUMENTS = ['text', 1, 1.5, true, null, ['a', ['b']]];

/**
 * Requests like those to come, with answers to what is asked meanwhile. `side/wasm.rb` forgets the
 * names in them.
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
  { ret: null },
  { op: 'call3', name: LEGACY_NAME, args: ['text', 'more'] },
  { ret: 'text' },
  {
    op: 'compile',
    id: 0,
    path: '/understudy_rehearsal',
    source: "<% [1].each do |one| -%>\n<%= one %> <%= @text %><%= scope['a'] %>\n<% end -%>\n",
  },
  { op: 'erb', id: 0, vars: { text: 'text' }, foreseen: {} },
  { ret: 'text' },
  { op: 'erb', id: 0, vars: { text: 'text' }, foreseen: {} },
  { ret: 'text' },
  { op: 'hold' },
].map((frame) => JSON.stringify(frame));

/**
 * A booted Ruby that waits to serve. Takes a second or two. Throws when our side can't be loaded.
 */
export function bootImage(side: ReadonlyMap<string, Uint8Array>, folders: ModuleFolders): RubyImage {
  const library = readLibrary();
  const devices = new QuietDevices(allFiles(side, library));
  const machine = new WasmMachine(bootModule(BOOT_MEMORY_BYTES, folders), devices);
  machine.boot(initialMemory());
  // The module has a folder /usr of its own, which hides what is below.
  machine.evaluate(
    `$LOAD_PATH.replace(%w[/${LIBRARY} /${LIBRARY}/wasm32-wasi]); %w[wasm api].each { |name| load "/${SIDE}/#{name}.rb" }; Understudy.preload; Understudy.prepare`,
  );
  devices.input.push(...REHEARSAL);
  for (const code of ['Understudy.serve', 'Understudy::Rehearsal.forget', 'GC.start']) machine.evaluate(code);
  devices.check();
  return { state: machine.takeImage(), library };
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

/** What is to be read is given before; what is written is kept. */
class QuietDevices implements SystemDevices {
  readonly files: MemoryFiles;
  /** Lines. */
  readonly input: string[] = [];
  readonly time = 0n;
  readonly written: Uint8Array[] = [];
  readonly #complaints: Uint8Array[] = [];

  constructor(files: MemoryFiles) {
    this.files = files;
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
    randomFillSync(bytes);
  }

  check(): void {
    if (this.#complaints.length > 0) throw new Error(`Ruby does not start: ${Buffer.concat(this.#complaints)}`);
  }
}
