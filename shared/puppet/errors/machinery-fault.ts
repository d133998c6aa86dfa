/**
 * A fault of the installation during a compile: one of our files cannot be read, memory is
 * exhausted, a thread or process does not start. It is independent of the node's code and therefore
 * never recorded as a failure of the node. No code converts it to another error; the runner of the
 * job retries later.
 */
export class MachineryFault extends Error {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'MachineryFault';
  }
}

/** Node's error codes that mean a fault without a failed system call. */
const FAULTY_CODES: ReadonlySet<unknown> = new Set([
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
]);
/** V8's messages when memory for a buffer or for WebAssembly cannot be allocated. */
const OUT_OF_MEMORY = /^(Array buffer allocation failed|WebAssembly\.\w+\(\): .*(allocate memory|[Oo]ut of memory))/;

/**
 * Returns the fault behind an error: a failed system call, a thread that did not start, or
 * exhausted memory. Null for other errors. A system call during a compile always belongs to our
 * machinery, because the environment's files are read from memory.
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
