/**
 * Ruby's virtual machine in WebAssembly. Between two evaluations its complete state is in its
 * memory and globals, which can be copied and restored.
 */
import { CARD_BYTES, type Card, TrackedMemory } from './wasm-memory.ts';
import type { DataSegment } from './wasm-sections.ts';
import { type SystemDevices, WasmSystem } from './wasm-system.ts';

const PAGE_BYTES = 65_536;
/** Spare memory beyond this size is released when a state is restored. */
const MOST_SPARE_BYTES = 1 << 26;
const SYSTEM = 'wasi_snapshot_preview1';
const EVALUATE = 'rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>';
const INITIALIZE = 'ruby-init: func(args: list<string>) -> ()';

/** Ruby's command line. */
export const RUBY_ARGUMENTS = [
  'ruby',
  '--disable=gems,did_you_mean,error_highlight,syntax_suggest,rubyopt',
  '-EUTF-8:UTF-8',
  '-e_=0',
] as const;

/** The state of a machine between two evaluations. */
export interface MachineState {
  readonly memoryBytes: number;
  /** The content of each memory card. States with equal content in a card share the object. */
  readonly cards: readonly Card[];
  readonly globals: readonly number[];
}

/** A Ruby module with write tracking. */
export interface RubyModule {
  readonly module: WebAssembly.Module;
  /**
   * Address of the card table; null for a module without write tracking, which cannot restore a
   * state.
   */
  readonly table: number | null;
}

class Unreachable extends Error {
  constructor(name: string) {
    super(`JavaScript is not reachable: ${name}`);
  }
}

interface Instance {
  readonly memory: WebAssembly.Memory;
  readonly globals: readonly WebAssembly.Global[];
  call(name: string, ...args: readonly number[]): unknown;
}

interface Ready {
  readonly instance: Instance;
  readonly memory: TrackedMemory;
}

/** A machine. It is empty until it is booted or a state is restored. */
export class WasmMachine {
  readonly #ruby: RubyModule;
  readonly #system: WasmSystem;
  #now: Ready | null = null;
  /** The content of cards that were not written to since the last snapshot. */
  #cards: readonly Card[] = [];

  constructor(ruby: RubyModule, devices: SystemDevices) {
    this.#ruby = ruby;
    this.#system = new WasmSystem(devices);
  }

  get memoryBytes(): number {
    return this.#now?.memory.length ?? 0;
  }

  /** Returns the whole memory for reading; valid until the memory grows. */
  get bytes(): Uint8Array {
    return this.#ready.memory.bytes;
  }

  /**
   * Boots Ruby in a new machine. `segments`: the initial memory, as far as the module does not
   * contain it.
   */
  boot(segments: readonly DataSegment[] = []): void {
    const { instance, memory } = this.#renew();
    for (const { at, bytes } of segments) memory.writeAt(at, bytes.length).set(bytes);
    instance.call('_initialize');
    const list = this.#allocate(4, RUBY_ARGUMENTS.length * 8);
    RUBY_ARGUMENTS.forEach((argument, index) => {
      const [at, length] = this.#place(`${argument}\0`);
      memory.set32(list + index * 8, at);
      memory.set32(list + index * 8 + 4, length);
    });
    instance.call(INITIALIZE, list, RUBY_ARGUMENTS.length);
  }

  /** Runs Ruby code; exceptions go to standard error. */
  evaluate(code: string): void {
    this.run(`begin; ${code}; rescue Exception => e; STDERR.write(e.full_message(highlight: false)); end`);
  }

  /** Runs Ruby code that rescues every exception itself. */
  run(program: string): void {
    this.#ready.instance.call(EVALUATE, ...this.#place(program));
  }

  /** Copies the state of a machine that was booted. */
  takeImage(): MachineState {
    const { memory, instance } = this.#ready;
    memory.forgetWritten();
    const cards = Array.from({ length: memory.length / CARD_BYTES }, (_, card) => memory.cardAt(card));
    return { memoryBytes: memory.length, cards, globals: valuesOf(instance) };
  }

  /**
   * Copies the state of a machine that was restored. Unwritten cards are shared with the restored
   * state.
   */
  takeState(): MachineState {
    const { memory, instance } = this.#ready;
    const cards = [...this.#cards];
    for (const card of memory.listWrittenCards()) cards[card] = memory.cardAt(card);
    memory.forgetWritten();
    this.#cards = cards;
    return { memoryBytes: memory.length, cards, globals: valuesOf(instance) };
  }

  /** Restores a state, even in the middle of an evaluation. */
  restore({ memoryBytes, cards, globals }: MachineState): void {
    if (this.#now === null || this.memoryBytes > memoryBytes + MOST_SPARE_BYTES) this.#renew();
    const { memory, instance } = this.#ready;
    if (memory.length < memoryBytes) instance.memory.grow((memoryBytes - memory.length) / PAGE_BYTES);
    memory.setBack(this.#cards);
    if (cards !== this.#cards) {
      const count = Math.max(cards.length, this.#cards.length);
      for (let card = 0; card < count; card += 1) if (cards[card] !== this.#cards[card]) memory.put(card, cards[card]);
      this.#cards = cards;
    }
    this.#system.reset();
    for (const [index, global] of instance.globals.entries()) global.value = globals[index] ?? 0;
  }

  get #ready(): Ready {
    if (!this.#now) throw new Error('there is nothing in the machine yet');
    return this.#now;
  }

  #renew(): Ready {
    const instance = instantiate(this.#ruby.module, this.#system);
    this.#cards = [];
    this.#now = { instance, memory: new TrackedMemory(instance.memory, this.#ruby.table) };
    this.#system.attach(this.#now.memory);
    return this.#now;
  }

  #place(text: string): readonly [at: number, length: number] {
    const bytes = Buffer.from(text, 'utf8');
    const at = this.#allocate(1, bytes.length);
    this.#ready.memory.writeAt(at, bytes.length).set(bytes);
    return [at, bytes.length];
  }

  #allocate(alignment: number, bytes: number): number {
    return Number(this.#ready.instance.call('cabi_realloc', 0, 0, alignment, bytes));
  }
}

function valuesOf({ globals }: Instance): readonly number[] {
  return globals.map(({ value }) => value);
}

function instantiate(module: WebAssembly.Module, system: WasmSystem): Instance {
  const imports: WebAssembly.Imports = {};
  const names = Map.groupBy(WebAssembly.Module.imports(module), (one) => one.module);
  for (const [space, members] of names) {
    imports[space] = Object.fromEntries(members.map(({ name }) => [name, makeRefusal(name)]));
  }
  imports[SYSTEM] = system.createImports((names.get(SYSTEM) ?? []).map(({ name }) => name));
  imports.canonical_abi = { ...imports.canonical_abi, ...createHandles() };
  const { exports } = new WebAssembly.Instance(module, imports);
  const { memory } = exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new Error('the module has no memory');
  return {
    memory,
    globals: Object.values(exports).filter((member) => member instanceof WebAssembly.Global),
    call: (name, ...args) => {
      const member = exports[name];
      if (typeof member !== 'function') throw new Error(`the module has no function ${name}`);
      return member(...args);
    },
  };
}

function makeRefusal(name: string): () => never {
  return () => {
    throw new Unreachable(name);
  };
}

/**
 * Creates handles to Ruby values. The module returns them with every result; nothing here uses
 * them.
 */
function createHandles(): WebAssembly.ModuleImports {
  return {
    'resource_new_rb-abi-value': () => 1,
    'resource_get_rb-abi-value': () => 0,
    'resource_drop_js-abi-value': () => undefined,
  };
}
