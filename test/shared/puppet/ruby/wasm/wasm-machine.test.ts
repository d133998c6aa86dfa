import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cacheFolder } from '../../../../../shared/puppet/ruby/wasm/image-folder.ts';
import { bootImage } from '../../../../../shared/puppet/ruby/wasm/wasm-boot.ts';
import { allFiles } from '../../../../../shared/puppet/ruby/wasm/wasm-files.ts';
import { imageName, type RubyImage, readImage } from '../../../../../shared/puppet/ruby/wasm/wasm-image.ts';
import { type MachineState, WasmMachine } from '../../../../../shared/puppet/ruby/wasm/wasm-machine.ts';
import { CARD_BYTES } from '../../../../../shared/puppet/ruby/wasm/wasm-memory.ts';
import {
  imageKey,
  type ModuleFolders,
  rubyModule,
  sideFiles,
} from '../../../../../shared/puppet/ruby/wasm/wasm-module.ts';

const LIMIT = 1 << 29;
const MEGABYTES_40 = 40 << 20;

/** What code of a compile may do to Ruby. */
const PROGRAMS: readonly (readonly [name: string, code: string])[] = [
  ['sets global variables', '$kept = "x" * 1000; $stdout = StringIO.new'],
  ['sets constants and class variables', 'Kept = [1]; class String; @@kept = 1; end; Math.const_set(:KEPT, 2)'],
  ['defines methods', 'class Object; def kept = 1; end; String.prepend(Module.new { def upcase = "kept" })'],
  ['removes methods', 'String.send(:undef_method, :upcase); Array.send(:remove_method, :sum)'],
  ['makes many objects', '$kept = Array.new(50_000) { |i| { i => i.to_s } }'],
  ['makes a large text', `$kept = "k" * ${MEGABYTES_40}`],
  ['makes a larger text', `$kept = "k" * ${3 * MEGABYTES_40}; $kept = nil; GC.start`],
  ['fills and frees memory', '20.times { Array.new(2000) { |i| "k" * i } }; GC.start'],
  ['compacts memory', '$kept = Array.new(5000) { "k" * 50 }; GC.start; GC.compact if GC.respond_to?(:compact)'],
  [
    'goes deep',
    'def deep(n) = n.zero? ? 0 : 1 + deep(n - 1); deep(500); begin; deep(1_000_000); rescue SystemStackError; end',
  ],
  ['makes fibers', '$kept = Array.new(3) { |i| e = [1, 2, i].each; e.next; e }; Fiber.new { Fiber.yield 1 }.resume'],
  ['raises and rescues', '200.times { begin; [1].fetch(9); rescue IndexError => e; e.backtrace; end }'],
  ['makes symbols', '2000.times { |i| :"kept_#{i}" }; "text".unpack("C*").pack("U*").to_sym'],
  ['changes literals', 'ENV["KEPT"] = "1"; Encoding.default_external = Encoding::ISO_8859_1; $, = nil'],
  [
    'matches patterns',
    '"kept" * 100 =~ /(k)(e)(?<!x)/; $~.to_s; "ä".unicode_normalize(:nfd); "kept".encode("UTF-16LE")',
  ],
  ['loads libraries', 'require "abbrev"; require "pstore"'],
  ['draws numbers', 'Random.srand(7); rand; Random.new.bytes(10); SecureRandom.hex if defined?(SecureRandom)'],
  ['computes', '(2**5000).to_s.hash; 1.0.to_s; Math.sqrt(2); [3, 1, 2].sort_by { |x| -x }; format("%010.3f", 1.5)'],
  [
    'sleeps and looks at the clock',
    'sleep 0.5; STDERR.tty?; $stdin.read; Process.clock_gettime(Process::CLOCK_MONOTONIC)',
  ],
  [
    'traces',
    'TracePoint.new(:call) { |t| $kept = t.path }.enable; [1].map(&:to_s); ObjectSpace.each_object(Class).count',
  ],
];

function folders(): ModuleFolders {
  const cache = cacheFolder();
  return { imageFolders: cache === null ? [] : [cache], cacheFolder: cache };
}

let image: RubyImage;
beforeAll(() => {
  const side = sideFiles();
  const cache = cacheFolder();
  const key = imageKey(side);
  image = (cache && readImage(join(cache, imageName(key)), key)) || bootImage(side, folders());
});

function start(): { machine: WasmMachine; complaints: string[] } {
  const complaints: string[] = [];
  const machine = new WasmMachine(rubyModule(LIMIT, folders()), {
    files: allFiles(sideFiles(), image.library),
    time: 0n,
    read: () => Buffer.from('{"ret":null}\n'),
    write: () => undefined,
    writeError: (bytes) => void complaints.push(Buffer.from(bytes).toString('utf8')),
    fillRandom: (bytes) => void randomFillSync(bytes),
  });
  machine.restore(image.state);
  return { machine, complaints };
}

/**
 * The numbers of cards in which the machine has not what the state has. Looks at all of the memory,
 * whatever was noted of it.
 */
function differences({ bytes }: WasmMachine, { cards }: MachineState): number[] {
  const expected = new Uint8Array(CARD_BYTES);
  const numbers = Array.from({ length: bytes.length / CARD_BYTES }, (_, card) => card);
  return numbers.filter((card) => {
    const start = card * CARD_BYTES;
    expected.fill(0);
    expected.set(cards[card] ?? []);
    return Buffer.compare(bytes.subarray(start, start + CARD_BYTES), expected) !== 0;
  });
}

describe('a machine from an image', () => {
  it.each([
    ['function', "Puppet::Functions.created('understudy_rehearsal')"],
    ['function of the 3.x API', "Puppet::Parser::Functions.known?('understudy_rehearsal3')"],
    ['method', 'Puppet::Parser::Scope.method_defined?(:function_understudy_rehearsal3)'],
    ['file', "Understudy::Loaded.paths.any? { |path| path.include?('rehearsal') }"],
    [
      'class',
      "ObjectSpace.each_object(Class).any? { |one| one.name.to_s.include?('rehearsal') && one != Understudy::Rehearsal }",
    ],
    ['template', 'Understudy::Templates.path(0)'],
  ])('has no %s of the requests that it answered before', (_what, code) => {
    const { machine, complaints } = start();
    machine.evaluate(`raise 'left' if ${code}`);
    expect(complaints).toEqual([]);
  });
});

describe('a machine that is set back', () => {
  it.each(PROGRAMS)('has no byte other than before after code that %s', (_name, code) => {
    const { machine, complaints } = start();
    expect(differences(machine, image.state)).toEqual([]);
    for (let time = 0; time < 2; time += 1) {
      machine.evaluate(code);
      expect(complaints).toEqual([]);
      expect(differences(machine, image.state).length).toBeGreaterThan(0);
      machine.restore(image.state);
      expect(differences(machine, image.state)).toEqual([]);
    }
  });

  it('has none after code that was cut off', () => {
    const { machine } = start();
    expect(() => machine.evaluate('$kept = "k" * 100_000; exit!(3)')).toThrow('Ruby ended with status 3');
    machine.restore(image.state);
    expect(differences(machine, image.state)).toEqual([]);
    machine.evaluate('raise "kept" if $kept');
  });

  it('goes back to a state that was kept, and to the first', () => {
    const { machine, complaints } = start();
    machine.evaluate(`$kept = "kept" * 100_000; def kept = $kept.length`);
    const held = machine.takeState();
    expect(differences(machine, held)).toEqual([]);
    machine.evaluate('$kept << "more" * 1_000_000; undef kept; $later = 1');
    machine.restore(held);
    expect(differences(machine, held)).toEqual([]);
    machine.evaluate('raise "gone" unless kept == 400_000 && $later.nil?');
    machine.restore(image.state);
    expect(differences(machine, image.state)).toEqual([]);
    machine.evaluate('raise "kept" if $kept || respond_to?(:kept, true)');
    machine.restore(held);
    expect(differences(machine, held)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shares with the state before what it did not write', () => {
    const { machine } = start();
    machine.evaluate('$kept = 1');
    const { cards } = machine.takeState();
    const own = cards.filter((card, index) => card !== image.state.cards[index]);
    expect(own.length).toBeGreaterThan(0);
    expect(own.length).toBeLessThan(cards.length / 20);
  });

  it('keeps no memory that only one compile needed', () => {
    const { machine } = start();
    const before = machine.memoryBytes;
    machine.evaluate(`$kept = "k" * ${5 * MEGABYTES_40}`);
    expect(machine.memoryBytes).toBeGreaterThan(before + 4 * MEGABYTES_40);
    machine.restore(image.state);
    expect(machine.memoryBytes).toBe(before);
    expect(differences(machine, image.state)).toEqual([]);
  });
});
