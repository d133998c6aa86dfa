/** The thread that Ruby runs in: instantiates the module on a system of ours and runs Ruby's main loop in it. */
import { randomFillSync } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { RubyEnd } from './channel.ts';
import { type SystemDevices, WasmSystem } from './wasm-system.ts';

/** What the thread is started with. */
export interface WasmWorkerData {
  readonly module: WebAssembly.Module;
  readonly channel: SharedArrayBuffer;
  /** Ruby's side, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The file that runs. */
  readonly main: string;
  readonly time: bigint;
}

const MOUNT = '/understudy';
const MOST_ERROR_BYTES = 8192;
const RUBY_ARGUMENTS = [
  'ruby',
  '--disable=gems,did_you_mean,error_highlight,syntax_suggest,rubyopt',
  '-EUTF-8:UTF-8',
  '-e_=0',
];

class Unreachable extends Error {
  constructor(name: string) {
    super(`JavaScript is not reachable: ${name}`);
  }
}

function run(data: WasmWorkerData): void {
  const channel = new RubyEnd(data.channel);
  let complaint = '';
  let memory: WebAssembly.Memory | null = null;
  const devices: SystemDevices = {
    files: data.files,
    mount: MOUNT,
    time: data.time,
    read: (most) => {
      if (memory) channel.reportMemory(memory.buffer.byteLength);
      return channel.read(most);
    },
    write: (bytes) => channel.write(bytes),
    writeError: (bytes) => {
      complaint = (complaint + Buffer.from(bytes).toString('utf8')).slice(-MOST_ERROR_BYTES);
    },
    // Ruby's hash seed and SecureRandom: what is drawn from it marks the catalog volatile.
    fillRandom: (bytes) => void randomFillSync(bytes),
  };
  try {
    const system = new WasmSystem(devices);
    const instance = instantiate(data.module, system);
    memory = memoryOf(instance);
    system.attach(memory);
    start(instance, memory, `${MOUNT}/${data.main}`);
    channel.break(complaint || 'Ruby ended');
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    channel.break(complaint === '' ? reason : `${reason}\n${complaint}`);
  }
}

function instantiate(module: WebAssembly.Module, system: WasmSystem): WebAssembly.Instance {
  const imports: WebAssembly.Imports = {};
  const names = Map.groupBy(WebAssembly.Module.imports(module), (one) => one.module);
  for (const [space, members] of names) {
    imports[space] = Object.fromEntries(members.map(({ name }) => [name, refusal(name)]));
  }
  imports.wasi_snapshot_preview1 = system.imports((names.get('wasi_snapshot_preview1') ?? []).map(({ name }) => name));
  imports.canonical_abi = { ...imports.canonical_abi, ...handles() };
  return new WebAssembly.Instance(module, imports);
}

function refusal(name: string): () => never {
  return () => {
    throw new Unreachable(name);
  };
}

/** Handles to Ruby's values, which the module gives out with every result. */
function handles(): WebAssembly.ModuleImports {
  const values = new Map<number, number>();
  let last = 0;
  return {
    'resource_new_rb-abi-value': (value: number) => {
      last += 1;
      values.set(last, value);
      return last;
    },
    'resource_get_rb-abi-value': (handle: number) => values.get(handle) ?? 0,
    'resource_drop_js-abi-value': () => undefined,
  };
}

function start(instance: WebAssembly.Instance, memory: WebAssembly.Memory, main: string): void {
  const place = (text: string): readonly [number, number] => {
    const bytes = Buffer.from(text, 'utf8');
    const at = Number(exported(instance, 'cabi_realloc')(0, 0, 1, bytes.length));
    new Uint8Array(memory.buffer).set(bytes, at);
    return [at, bytes.length];
  };
  exported(instance, '_initialize')();
  const list = Number(exported(instance, 'cabi_realloc')(0, 0, 4, RUBY_ARGUMENTS.length * 8));
  RUBY_ARGUMENTS.forEach((argument, index) => {
    const [at, length] = place(`${argument}\0`);
    new DataView(memory.buffer).setUint32(list + index * 8, at, true);
    new DataView(memory.buffer).setUint32(list + index * 8 + 4, length, true);
  });
  exported(instance, 'ruby-init: func(args: list<string>) -> ()')(list, RUBY_ARGUMENTS.length);
  const program = `begin; load '${MOUNT}/wasm.rb' if File.exist?('${MOUNT}/wasm.rb'); $0 = '${main}'; load $0; rescue Exception => e; $stderr.write(e.full_message(highlight: false)); end`;
  exported(
    instance,
    'rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>',
  )(...place(program));
}

function exported(instance: WebAssembly.Instance, name: string): (...args: readonly number[]) => unknown {
  const member = instance.exports[name];
  if (typeof member !== 'function') throw new Error(`the module has no function ${name}`);
  return (...args) => member(...args);
}

function memoryOf(instance: WebAssembly.Instance): WebAssembly.Memory {
  const { memory } = instance.exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new Error('the module has no memory');
  return memory;
}

run(workerData);
