/**
 * Ruby's virtual machine in WebAssembly. Between two evaluations all that it is lies in its memory,
 * which can be copied and set back.
 */
import { CARD_BYTES, type Card, TrackedMemory } from './wasm-memory.ts';
import type { DataSegment } from './wasm-sections.ts';
import { type SystemDevices, WasmSystem } from './wasm-system.ts';

const PAGE_BYTES = 65_536;
/** A memory that is so much larger than a state needs is not kept for it. */
const MOST_SPARE_BYTES = 1 << 26;
const SYSTEM = 'wasi_snapshot_preview1';
const EVALUATE = 'rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>';
const INITIALIZE = 'ruby-init: func(args: list<string>) -> ()';

/** What Ruby is started with. */
export const RUBY_ARGUMENTS = [
  'ruby',
  '--disable=gems,did_you_mean,error_highlight,syntax_suggest,rubyopt',
  '-EUTF-8:UTF-8',
  '-e_=0',
] as const;

/** A machine between two evaluations. */
export interface MachineState {
  readonly memoryBytes: number;
  /**
   * What is in each card of the memory. States that have the same in a card have the same object
   * there.
   */
  readonly cards: readonly Card[];
  readonly globals: readonly number[];
}

/** Ruby as a module that notes what it writes. */
export interface RubyModule {
  readonly module: WebAssembly.Module;
  /**
   * Where in its memory the table of cards is; null when there is none, and no state can be
   * restored.
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

/** It has nothing in it until it is booted or a state is restored. */
export class WasmMachine {
  readonly #ruby: RubyModule;
  readonly #system: WasmSystem;
  #now: Ready | null = null;
  /** What the memory holds in cards that nothing was written to since. */
  #cards: readonly Card[] = [];

  constructor(ruby: RubyModule, devices: SystemDevices) {
    this.#ruby = ruby;
    this.#system = new WasmSystem(devices);
  }

  get memoryBytes(): number {
    return this.#now?.memory.length ?? 0;
  }

  /** All of its memory, to look at, until it grows. */
  get bytes(): Uint8Array {
    return this.#ready.memory.bytes;
  }

  /**
   * Starts Ruby in a new machine. `segments`: what its memory has to hold, as far as the module
   * itself does not put it there.
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

  /** Runs Ruby code; what it raises goes to standard error. */
  evaluate(code: string): void {
    const program = `begin; ${code}; rescue Exception => e; STDERR.write(e.full_message(highlight: false)); end`;
    this.#ready.instance.call(EVALUATE, ...this.#place(program));
  }

  /** A copy of what the machine that was booted is now. */
  takeImage(): MachineState {
    const { memory, instance } = this.#ready;
    memory.forgetWritten();
    const cards = Array.from({ length: memory.length / CARD_BYTES }, (_, card) => memory.cardAt(card));
    return { memoryBytes: memory.length, cards, globals: valuesOf(instance) };
  }

  /**
   * A copy of what the machine is now that a state was restored to. It has the cards of that state
   * where nothing was written.
   */
  takeState(): MachineState {
    const { memory, instance } = this.#ready;
    const cards = [...this.#cards];
    for (const card of memory.listWrittenCards()) cards[card] = memory.cardAt(card);
    memory.forgetWritten();
    this.#cards = cards;
    return { memoryBytes: memory.length, cards, globals: valuesOf(instance) };
  }

  /** Makes it the machine of that state again, whatever it is in the middle of. */
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
 * Handles to Ruby's values, which the module gives out with every result. Nothing here asks for
 * them.
 */
function createHandles(): WebAssembly.ModuleImports {
  return {
    'resource_new_rb-abi-value': () => 1,
    'resource_get_rb-abi-value': () => 0,
    'resource_drop_js-abi-value': () => undefined,
  };
}
