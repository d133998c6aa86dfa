/**
 * Ruby leaves blocks and raises errors by returning from function after function (Binaryen's
 * Asyncify) until one catches it. None of them gives back the part of the stack in memory that it
 * took, and the one that catches goes on below all of them: each `break` out of a block of a method
 * written in C keeps some 50 kB, until that one returns itself. A loop of some 330 such exits has
 * no stack left ("memory access out of bounds"). Here the function that catches keeps where the
 * stack was, and sets it back.
 */
import { numberBytes } from './wasm-bytes.ts';
import {
  bodyOf,
  createImportedFunctions,
  exportedFunctions,
  functionBodies,
  instructionsOf,
} from './wasm-functions.ts';
import { isStore, OP, readInstruction } from './wasm-instructions.ts';
import { concatenateBytes, encodeSection, HEADER_BYTES, readSections, SECTION } from './wasm-sections.ts';

const NO_RESULT = 0x40;
/** LLVM's stack pointer is the first global. */
const STACK_POINTER = 0;
/**
 * The parameter that is the place to return to: `rb_wasm_jmp_buf *target` of
 * `rb_wasm_try_catch_loop_run` (wasm/setjmp.c).
 */
const TARGET = 1;
/**
 * Its fields: the state, which the function sets first, and `dst_buf_top`, which only
 * `rb_wasm_setjmp` uses.
 */
const STATE_OFFSET = 49_176;
const UNUSED_OFFSET = 49_168;
const WORD_ALIGNMENT = 2;

/**
 * Numbers of Asyncify's functions, and of the global that says whether the stack is unwound or
 * rewound.
 */
interface Asyncify {
  readonly starts: ReadonlySet<number>;
  readonly stops: ReadonlySet<number>;
  readonly state: number;
}

/**
 * The module with a stack that shrinks again. Throws RangeError when it is not built as Ruby's is
 * known to be.
 */
export function withStackRestored(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = [...readSections(module)];
  const byId = new Map(all.map((one) => [one.id, one]));
  const asyncify = readAsyncify(bodyOf(byId, SECTION.export), bodyOf(byId, SECTION.import), bodyOf(byId, SECTION.code));
  const bodies = [...functionBodies(bodyOf(byId, SECTION.code))];
  const catching = bodies.filter((body) => isCatching(body, asyncify));
  const [one] = catching;
  if (!one || catching.length > 1) throw new RangeError(`${catching.length} functions of the module catch`);
  const changed = bodies.flatMap((body) => {
    const bytes = body === one ? restoring(body, asyncify) : body;
    return [Uint8Array.from(numberBytes(bytes.length)), bytes];
  });
  const code = concatenateBytes([Uint8Array.from(numberBytes(bodies.length)), ...changed]);
  const parts = all.map(({ id, all: bytes }) => (id === SECTION.code ? encodeSection(id, code) : bytes));
  return concatenateBytes([module.subarray(0, HEADER_BYTES), ...parts]);
}

function readAsyncify(exports: Uint8Array, imports: Uint8Array, code: Uint8Array): Asyncify {
  const numbers = exportedFunctions(exports);
  const numberOf = (name: string): number => {
    const number = numbers.get(`asyncify_${name}`);
    if (number === undefined) throw new RangeError(`the module has no function asyncify_${name}`);
    return number;
  };
  const index = numberOf('get_state') - createImportedFunctions(imports);
  const first = readInstruction(instructionsOf([...functionBodies(code)][index] ?? new Uint8Array()));
  if (first.op !== OP.globalGet) throw new RangeError('the module keeps the state of Asyncify in no global');
  return {
    starts: new Set([numberOf('start_unwind'), numberOf('start_rewind')]),
    stops: new Set([numberOf('stop_unwind'), numberOf('stop_rewind')]),
    state: first.operand,
  };
}

/** Whether a function ends the unwinding without rewinding: control goes on in it. */
function isCatching(body: Uint8Array, { starts, stops }: Asyncify): boolean {
  let stopped = false;
  let firstStore: number | null = null;
  for (const reader = instructionsOf(body); reader.at < body.length; ) {
    const { op, operand } = readInstruction(reader);
    if (op === OP.call && starts.has(operand)) return false;
    stopped ||= op === OP.call && stops.has(operand);
    if (isStore(op)) firstStore ??= operand;
  }
  return stopped && firstStore === STATE_OFFSET;
}

/**
 * The function, with the stack pointer kept when it is called, and set back wherever it catches.
 */
function restoring(body: Uint8Array, { stops, state }: Asyncify): Uint8Array {
  const reader = instructionsOf(body);
  const place = [WORD_ALIGNMENT, ...numberBytes(UNUSED_OFFSET)];
  const keep = [OP.localGet, TARGET, OP.globalGet, STACK_POINTER, OP.i32Store, ...place];
  // When the stack is rewound, what was kept at first is there.
  const keepFirst = [OP.globalGet, ...numberBytes(state), OP.i32Eqz, OP.if, NO_RESULT, ...keep, OP.end];
  const setBack = [OP.localGet, TARGET, OP.i32Load, ...place, OP.globalSet, STACK_POINTER];
  const parts = [body.subarray(0, reader.at), Uint8Array.from(keepFirst)];
  let done = reader.at;
  while (reader.at < body.length) {
    const { op, operand, end } = readInstruction(reader);
    if (op !== OP.call || !stops.has(operand)) continue;
    parts.push(body.subarray(done, end), Uint8Array.from(setBack));
    done = end;
  }
  return concatenateBytes([...parts, body.subarray(done)]);
}
