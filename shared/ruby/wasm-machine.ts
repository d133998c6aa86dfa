/** Ruby's virtual machine in WebAssembly. Between two evaluations all that it is lies in its memory, which can be copied and set back. */
import { type SystemDevices, WasmSystem } from './wasm-system.ts';

const PAGE_BYTES = 65_536;
/** Memory is compared in pieces of this size. */
const GRAIN = 4096;
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
  /** The parts of the memory that are not zeros, in their order; all other parts are. */
  readonly runs: readonly Run[];
  readonly globals: readonly number[];
}

export interface Run {
  readonly at: number;
  readonly bytes: Uint8Array;
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

/** It has nothing in it until it is booted or a state is restored. */
export class WasmMachine {
  readonly #module: WebAssembly.Module;
  readonly #system: WasmSystem;
  /** Grains in which the module itself or a restored state put something: later states name them, even where they are zero by then. */
  #used = new Uint8Array();
  #ready: Instance | null = null;

  constructor(module: WebAssembly.Module, devices: SystemDevices) {
    this.#module = module;
    this.#system = new WasmSystem(devices);
  }

  get memoryBytes(): number {
    return this.#ready?.memory.buffer.byteLength ?? 0;
  }

  /** Starts Ruby in a new machine. */
  boot(): void {
    const instance = this.#renew();
    this.#used = usedGrains(this.#bytes, this.#used);
    instance.call('_initialize');
    const list = this.#allocate(4, RUBY_ARGUMENTS.length * 8);
    RUBY_ARGUMENTS.forEach((argument, index) => {
      const [at, length] = this.#place(`${argument}\0`);
      const view = new DataView(instance.memory.buffer, list + index * 8);
      view.setUint32(0, at, true);
      view.setUint32(4, length, true);
    });
    instance.call(INITIALIZE, list, RUBY_ARGUMENTS.length);
  }

  /** Runs Ruby code; what it raises goes to standard error. */
  evaluate(code: string): void {
    const program = `begin; ${code}; rescue Exception => e; STDERR.write(e.full_message(highlight: false)); end`;
    this.#instance.call(EVALUATE, ...this.#place(program));
  }

  /** A copy of what the machine is now. */
  state(): MachineState {
    const memory = this.#bytes;
    const counts = usedGrains(memory, this.#used);
    const runs: Run[] = [];
    for (let start = counts.indexOf(1); start >= 0; ) {
      const end = counts.indexOf(0, start);
      const stop = end < 0 ? counts.length : end;
      runs.push({ at: start * GRAIN, bytes: memory.slice(start * GRAIN, stop * GRAIN) });
      start = counts.indexOf(1, stop);
    }
    return { memoryBytes: memory.length, runs, globals: this.#instance.globals.map(({ value }) => value) };
  }

  /** Makes it the machine of that state again, whatever it is in the middle of. */
  restore(state: MachineState): void {
    // Memory only grows: one that is smaller than ours is set up anew.
    if (this.memoryBytes === state.memoryBytes) this.#overwrite(state);
    else this.#replace(state);
    this.#system.reset();
    for (const [index, global] of this.#instance.globals.entries()) global.value = state.globals[index] ?? 0;
  }

  /** Sets back what differs: by far the most of the memory are zeros that nothing ever touched, which are quick to read. */
  #overwrite({ runs, memoryBytes }: MachineState): void {
    const memory = Buffer.from(this.#instance.memory.buffer);
    let done = 0;
    for (const { at, bytes } of runs) {
      clear(memory, done, at);
      setBack(memory, at, bytes);
      done = at + bytes.length;
    }
    clear(memory, done, memoryBytes);
  }

  /** A new memory is zero where the module itself puts nothing, which is in every state's runs. */
  #replace({ memoryBytes, runs }: MachineState): void {
    const { memory: own } = this.#renew();
    if (memoryBytes > this.memoryBytes) own.grow((memoryBytes - this.memoryBytes) / PAGE_BYTES);
    const memory = this.#bytes;
    this.#used = new Uint8Array(memoryBytes / GRAIN);
    for (const { at, bytes } of runs) {
      memory.set(bytes, at);
      this.#used.fill(1, at / GRAIN, (at + bytes.length) / GRAIN);
    }
  }

  get #bytes(): Uint8Array {
    return new Uint8Array(this.#instance.memory.buffer);
  }

  get #instance(): Instance {
    if (!this.#ready) throw new Error('there is nothing in the machine yet');
    return this.#ready;
  }

  #renew(): Instance {
    this.#ready = instantiate(this.#module, this.#system);
    this.#system.attach(this.#ready.memory);
    return this.#ready;
  }

  #place(text: string): readonly [at: number, length: number] {
    const bytes = Buffer.from(text, 'utf8');
    const at = this.#allocate(1, bytes.length);
    this.#bytes.set(bytes, at);
    return [at, bytes.length];
  }

  #allocate(alignment: number, bytes: number): number {
    return Number(this.#instance.call('cabi_realloc', 0, 0, alignment, bytes));
  }
}

/** So much is made zeros where something is none. */
const CLEARED_AT_ONCE = 1 << 20;
const ZEROS = new Uint8Array(PAGE_BYTES);

function isZero(memory: Uint8Array, start: number, end: number): boolean {
  return Buffer.compare(memory.subarray(start, end), ZEROS.subarray(0, end - start)) === 0;
}

/** For each grain of the memory 1 when it is not zeros, or has 1 in `known`. */
function usedGrains(memory: Uint8Array, known: Uint8Array): Uint8Array<ArrayBuffer> {
  const used = new Uint8Array(memory.length / GRAIN);
  used.set(known);
  for (let page = 0; page < memory.length; page += PAGE_BYTES) {
    if (isZero(memory, page, page + PAGE_BYTES)) continue;
    for (let at = page; at < page + PAGE_BYTES; at += GRAIN) if (!isZero(memory, at, at + GRAIN)) used[at / GRAIN] = 1;
  }
  return used;
}

/** Makes zeros of all that is none. */
function clear(memory: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at += CLEARED_AT_ONCE) {
    const stop = Math.min(at + CLEARED_AT_ONCE, end);
    if (!isAllZero(memory, at, stop)) memory.fill(0, at, stop);
  }
}

/** Whether the first byte is zero and each other one as the one before. */
function isAllZero(memory: Buffer, start: number, end: number): boolean {
  return memory[start] === 0 && memory.compare(memory, start, end - 1, start + 1, end) === 0;
}

/** To compare smaller pieces costs more than to write some that are the same. */
function setBack(memory: Buffer, start: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; from += PAGE_BYTES) {
    const to = Math.min(from + PAGE_BYTES, bytes.length);
    if (memory.compare(bytes, from, to, start + from, start + to) !== 0)
      memory.set(bytes.subarray(from, to), start + from);
  }
}

function instantiate(module: WebAssembly.Module, system: WasmSystem): Instance {
  const imports: WebAssembly.Imports = {};
  const names = Map.groupBy(WebAssembly.Module.imports(module), (one) => one.module);
  for (const [space, members] of names) {
    imports[space] = Object.fromEntries(members.map(({ name }) => [name, refusal(name)]));
  }
  imports[SYSTEM] = system.imports((names.get(SYSTEM) ?? []).map(({ name }) => name));
  imports.canonical_abi = { ...imports.canonical_abi, ...handles() };
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

function refusal(name: string): () => never {
  return () => {
    throw new Unreachable(name);
  };
}

/** Handles to Ruby's values, which the module gives out with every result. Nothing here asks for them. */
function handles(): WebAssembly.ModuleImports {
  return {
    'resource_new_rb-abi-value': () => 1,
    'resource_get_rb-abi-value': () => 0,
    'resource_drop_js-abi-value': () => undefined,
  };
}
