/**
 * The operating system for Ruby in WebAssembly (WASI preview 1). It provides read-only files, no
 * environment variables, a clock that starts at a given time and advances only when Ruby sleeps or
 * reads it, and the frame channel as standard input and output. Everything else is refused.
 */
import { type MemoryFiles, normalizePath, type OpenFile } from './wasm-files.ts';
import type { TrackedMemory } from './wasm-memory.ts';

const SUCCESS = 0;
const EBADF = 8;
const EINVAL = 28;
const EISDIR = 31;
const ENOENT = 44;
const ENOSYS = 52;
const ENOTDIR = 54;
const EROFS = 69;

const CHARACTER_DEVICE = 2;
const DIRECTORY = 3;
const REGULAR_FILE = 4;

const ALL_RIGHTS = (1n << 29n) - 1n;
const FOLDER_FD = 3;
const OPEN_CREATES = 1;
const OPEN_TRUNCATES = 8;

/**
 * Ruby's own settings. Ruby reads them at boot; code does not see them as variables. They set the
 * stack size of the fibers behind external enumerators.
 */
const VARIABLES = ['RUBY_FIBER_VM_STACK_SIZE=131072\0', 'RUBY_FIBER_MACHINE_STACK_SIZE=524288\0'] as const;

export interface SystemDevices {
  /** All files, from the root. */
  readonly files: MemoryFiles;
  /** Start time of the clock in nanoseconds since 1970. */
  readonly time: bigint;
  read(most: number): Uint8Array;
  write(bytes: Uint8Array): void;
  writeError(bytes: Uint8Array): void;
  fillRandom(bytes: Uint8Array): void;
}

/** Thrown by `proc_exit`. */
class ProcessExit extends Error {
  constructor(code: number) {
    super(`Ruby ended with status ${code}`);
  }
}

export class WasmSystem {
  readonly #devices: SystemDevices;
  readonly #open = new Map<number, OpenFile>();
  #attached: TrackedMemory | null = null;
  #clock: bigint;

  constructor(devices: SystemDevices) {
    this.#devices = devices;
    this.#clock = devices.time;
    this.#open.set(FOLDER_FD, { path: '', bytes: null, position: 0 });
  }

  attach(memory: TrackedMemory): void {
    this.#attached = memory;
  }

  /** Resets the state to that before Ruby opened any file. */
  reset(): void {
    for (const fd of this.#open.keys()) if (fd !== FOLDER_FD) this.#open.delete(fd);
    this.#clock = this.#devices.time;
  }

  /**
   * Creates the functions of `wasi_snapshot_preview1`, by name. Functions that are not implemented
   * return ENOSYS.
   */
  createImports(names: readonly string[]): WebAssembly.ModuleImports {
    const offered: WebAssembly.ModuleImports = {
      ...this.#createDescriptorCalls(),
      ...this.#createPathCalls(),
      ...this.#createProcessCalls(),
    };
    return Object.fromEntries(names.map((name) => [name, offered[name] ?? (() => ENOSYS)]));
  }

  #createDescriptorCalls(): WebAssembly.ModuleImports {
    return {
      fd_advise: () => SUCCESS,
      fd_close: (fd: number) => (fd > FOLDER_FD && this.#open.delete(fd) ? SUCCESS : EBADF),
      fd_fdstat_get: (fd: number, at: number) => this.#describeDescriptor(fd, at),
      fd_fdstat_set_flags: () => SUCCESS,
      fd_filestat_get: (fd: number, at: number) => this.#describeOpen(fd, at),
      fd_pread: (fd: number, vectors: number, count: number, offset: bigint, done: number) =>
        this.#withFile(fd, (file) => this.#readFile({ ...file, position: Number(offset) }, vectors, count, done)),
      fd_prestat_dir_name: (fd: number, at: number, size: number) => this.#mountName(fd, at, size),
      fd_prestat_get: (fd: number, at: number) => this.#mountSize(fd, at),
      fd_read: (fd: number, vectors: number, count: number, done: number) =>
        fd === 0
          ? this.#readInput(vectors, count, done)
          : this.#withFile(fd, (file) => this.#readFile(file, vectors, count, done)),
      fd_readdir: (fd: number, at: number, size: number, cookie: bigint, used: number) =>
        this.#withFile(fd, (file) => this.#readFolder(file, at, size, Number(cookie), used)),
      fd_seek: (fd: number, offset: bigint, whence: number, at: number) =>
        this.#withFile(fd, (file) => this.#seek(file, Number(offset), whence, at)),
      fd_tell: (fd: number, at: number) => this.#withFile(fd, (file) => this.#seek(file, 0, 1, at)),
      fd_write: (fd: number, vectors: number, count: number, done: number) => this.#write(fd, vectors, count, done),
    };
  }

  #createPathCalls(): WebAssembly.ModuleImports {
    return {
      path_filestat_get: (fd: number, _flags: number, path: number, length: number, at: number) => {
        const file = this.#find(fd, path, length);
        return typeof file === 'number' ? file : this.#describeFile(file, at);
      },
      path_open: (...args: readonly unknown[]) => {
        const [fd, , path, length, flags, , , , at] = args.map(Number);
        return this.#openPath(fd ?? -1, path ?? 0, length ?? 0, flags ?? 0, at ?? 0);
      },
      path_readlink: (fd: number, path: number, length: number) => {
        const file = this.#find(fd, path, length);
        return typeof file === 'number' ? file : EINVAL;
      },
    };
  }

  #createProcessCalls(): WebAssembly.ModuleImports {
    return {
      clock_res_get: (_clock: number, at: number) => this.#put64(at, 1_000n),
      clock_time_get: (_clock: number, _precision: bigint, at: number) => {
        this.#clock += 1_000n;
        return this.#put64(at, this.#clock);
      },
      environ_get: (pointers: number, buffer: number) => this.#putVariables(pointers, buffer),
      environ_sizes_get: (count: number, size: number) =>
        this.#put32(count, VARIABLES.length) || this.#put32(size, VARIABLES.join('').length),
      poll_oneoff: (subscriptions: number, events: number, count: number, done: number) =>
        this.#poll(subscriptions, events, count, done),
      proc_exit: (code: number) => {
        throw new ProcessExit(code);
      },
      random_get: (at: number, size: number) => {
        this.#devices.fillRandom(this.#memory.writeAt(at, size));
        return SUCCESS;
      },
    };
  }

  #openPath(fd: number, path: number, length: number, flags: number, at: number): number {
    if ((flags & (OPEN_CREATES | OPEN_TRUNCATES)) !== 0) return EROFS;
    const file = this.#find(fd, path, length);
    if (typeof file === 'number') return file;
    const free = Math.max(...this.#open.keys()) + 1;
    this.#open.set(free, file);
    return this.#put32(at, free);
  }

  #putVariables(pointers: number, buffer: number): number {
    let at = buffer;
    for (const [index, variable] of VARIABLES.entries()) {
      this.#put32(pointers + index * 4, at);
      const bytes = Buffer.from(variable);
      this.#memory.writeAt(at, bytes.length).set(bytes);
      at += bytes.length;
    }
    return SUCCESS;
  }

  #find(fd: number, path: number, length: number): OpenFile | number {
    const folder = this.#open.get(fd);
    if (!folder) return EBADF;
    if (folder.bytes) return ENOTDIR;
    const name = new TextDecoder().decode(this.#memory.readAt(path, length));
    const normal = normalizePath(`${folder.path}/${name}`);
    return (normal === null ? null : this.#devices.files.find(normal)) ?? ENOENT;
  }

  #withFile(fd: number, use: (file: OpenFile) => number): number {
    const file = this.#open.get(fd);
    return file ? use(file) : EBADF;
  }

  #readInput(vectors: number, count: number, done: number): number {
    const [first] = this.#readVectors(vectors, count);
    if (!first) return this.#put32(done, 0);
    const bytes = this.#devices.read(first[1]);
    this.#memory.writeAt(first[0], bytes.length).set(bytes);
    return this.#put32(done, bytes.length);
  }

  #readFile(file: OpenFile, vectors: number, count: number, done: number): number {
    if (!file.bytes) return EISDIR;
    const start = file.position;
    for (const [at, size] of this.#readVectors(vectors, count)) {
      const piece = file.bytes.subarray(file.position, file.position + size);
      this.#memory.writeAt(at, piece.length).set(piece);
      file.position += piece.length;
    }
    return this.#put32(done, file.position - start);
  }

  #write(fd: number, vectors: number, count: number, done: number): number {
    if (fd !== 1 && fd !== 2) return EBADF;
    let written = 0;
    for (const [at, size] of this.#readVectors(vectors, count)) {
      const bytes = this.#memory.readAt(at, size);
      if (fd === 1) this.#devices.write(bytes);
      else this.#devices.writeError(bytes);
      written += size;
    }
    return this.#put32(done, written);
  }

  #seek(file: OpenFile, offset: number, whence: number, at: number): number {
    const base = [0, file.position, file.bytes?.length ?? 0][whence];
    if (base === undefined || base + offset < 0) return EINVAL;
    file.position = base + offset;
    return this.#put64(at, BigInt(file.position));
  }

  #readFolder(folder: OpenFile, at: number, size: number, cookie: number, used: number): number {
    if (folder.bytes) return ENOTDIR;
    const entries = this.#devices.files.namesIn(folder.path).map(({ name, isFolder }, index) => {
      const text = new TextEncoder().encode(name);
      const entry = new Uint8Array(24 + text.length);
      const view = new DataView(entry.buffer);
      view.setBigUint64(0, BigInt(index + 1), true);
      view.setBigUint64(8, BigInt(index + 1), true);
      view.setUint32(16, text.length, true);
      view.setUint8(20, isFolder ? DIRECTORY : REGULAR_FILE);
      entry.set(text, 24);
      return entry;
    });
    const all = Buffer.concat(entries.slice(cookie)).subarray(0, size);
    this.#memory.writeAt(at, all.length).set(all);
    return this.#put32(used, all.length);
  }

  #describeDescriptor(fd: number, at: number): number {
    const file = this.#open.get(fd);
    if (!file && (fd < 0 || fd > 2)) return EBADF;
    this.#memory.set8(at, typeOf(file));
    this.#memory.set16(at + 2, 0);
    this.#memory.set64(at + 8, ALL_RIGHTS);
    this.#memory.set64(at + 16, ALL_RIGHTS);
    return SUCCESS;
  }

  #describeOpen(fd: number, at: number): number {
    const file = this.#open.get(fd);
    return file || (fd >= 0 && fd <= 2) ? this.#describeFile(file, at) : EBADF;
  }

  #describeFile(file: OpenFile | undefined, at: number): number {
    this.#memory.writeAt(at, 64).fill(0);
    this.#memory.set8(at + 16, typeOf(file));
    this.#memory.set64(at + 24, 1n);
    this.#memory.set64(at + 32, BigInt(file?.bytes?.length ?? 0));
    return SUCCESS;
  }

  #mountSize(fd: number, at: number): number {
    if (fd !== FOLDER_FD) return EBADF;
    this.#memory.set8(at, 0);
    return this.#put32(at + 4, 1);
  }

  #mountName(fd: number, at: number, size: number): number {
    if (fd !== FOLDER_FD || size < 1) return EBADF;
    this.#memory.set8(at, '/'.charCodeAt(0));
    return SUCCESS;
  }

  /** Advances the clock for a sleep; a descriptor is always ready. */
  #poll(subscriptions: number, events: number, count: number, done: number): number {
    const { view } = this.#memory;
    for (let index = 0; index < count; index += 1) {
      const from = subscriptions + index * 48;
      const to = events + index * 32;
      this.#memory.writeAt(to, 32).fill(0);
      const kind = view.getUint8(from + 8);
      this.#memory.set64(to, view.getBigUint64(from, true));
      this.#memory.set8(to + 10, kind);
      if (kind === 0 && count === 1) this.#sleep(view.getBigUint64(from + 24, true), view.getUint16(from + 40, true));
    }
    return this.#put32(done, count);
  }

  #sleep(time: bigint, flags: number): void {
    const isAbsolute = (flags & 1) !== 0;
    if (!isAbsolute) this.#clock += time;
    else if (time > this.#clock) this.#clock = time;
  }

  #readVectors(at: number, count: number): (readonly [number, number])[] {
    const { view } = this.#memory;
    return Array.from({ length: count }, (_, index) => {
      const vector = at + index * 8;
      return [view.getUint32(vector, true), view.getUint32(vector + 4, true)] as const;
    });
  }

  get #memory(): TrackedMemory {
    if (!this.#attached) throw new Error('the module has no memory yet');
    return this.#attached;
  }

  #put32(at: number, value: number): number {
    this.#memory.set32(at, value);
    return SUCCESS;
  }

  #put64(at: number, value: bigint): number {
    this.#memory.set64(at, value);
    return SUCCESS;
  }
}

function typeOf(file: OpenFile | undefined): number {
  if (!file) return CHARACTER_DEVICE;
  return file.bytes ? REGULAR_FILE : DIRECTORY;
}
