/**
 * A fault of the installation while it compiles: a file of ours that can't be read, no memory, a
 * thread or process that does not start. It says nothing of the node's code, so it is never a
 * node's failure. Nobody converts it; whoever runs the job tries again later.
 */
export class MachineryFault extends Error {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'MachineryFault';
  }
}

/** Codes of Node's errors that tell of no system call. */
const FAULTY_CODES: ReadonlySet<unknown> = new Set([
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
]);
/** What V8 says of buffers, and of memories of WebAssembly, that it has no room for. */
const OUT_OF_MEMORY = /^(Array buffer allocation failed|WebAssembly\.\w+\(\): .*(allocate memory|[Oo]ut of memory))/;

/**
 * The fault that an error is: of a system call, of a thread's start, for lack of memory. Null for
 * others. A compile makes no system calls but for our own machinery: what it reads of the
 * environment is in memory.
 */
export function machineryFault(error: unknown): MachineryFault | null {
  if (error instanceof MachineryFault) return error;
  if (!(error instanceof Error)) return null;
  const isFault =
    'syscall' in error ||
    ('code' in error && FAULTY_CODES.has(error.code)) ||
    (error instanceof RangeError && OUT_OF_MEMORY.test(error.message));
  return isFault ? new MachineryFault(error.message, { cause: error }) : null;
}
