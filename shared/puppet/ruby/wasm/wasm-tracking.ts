/**
 * Adds write tracking to a WebAssembly module, so that a state is restored without reading
 * unchanged memory. The card table follows the module's initial memory: one byte for each card.
 * Every store first marks its card there. The module grows only within a size stored in one of its
 * globals, so that it can be shrunk again.
 */

import { ByteReader, ByteWriter, encodeSigned, numberBytes } from './wasm-bytes.ts';
import { bodyOf, createImportedFunctions } from './wasm-functions.ts';
import {
  EXTENDED,
  EXTENDED_OP,
  type Instruction,
  isStore,
  OP,
  readInstruction,
  toExtendedOpcode,
} from './wasm-instructions.ts';
import { CARD_BITS, SLACK_BYTES } from './wasm-memory.ts';
import {
  appendEntries,
  concatenateBytes,
  countOf,
  encodeSection,
  HEADER_BYTES,
  memoryPages,
  readSections,
  SECTION,
  type WasmSection,
} from './wasm-sections.ts';

const PAGE_BITS = 16;
/** The largest offset for which a store of any width stays within the slack. */
const NEAR = SLACK_BYTES - 16;
/** The table has an entry for each card of the largest possible memory. */
const TABLE_PAGES = 2 ** (32 - CARD_BITS - PAGE_BITS);

const I32 = 0x7f;
const VALUE_TYPES: Readonly<Record<number, number>> = { 55: 0x7e, 56: 0x7d, 57: 0x7c, 60: 0x7e, 61: 0x7e, 62: 0x7e };
const FUNCTION_TYPE = 0x60;
const NO_RESULT = 0x40;
const MINUS_ONE = 0x7f;

/** Indexes and addresses that the generated code refers to. */
interface Additions {
  readonly table: number;
  readonly grow: number;
  readonly touch: number;
  readonly pages: number;
}

/**
 * Adds write tracking to a module. Throws RangeError when the module has instructions or memories
 * that Ruby's module does not have.
 */
export function addWriteTracking(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Map([...readSections(module)].filter(({ id }) => id !== SECTION.custom).map((one) => [one.id, one]));
  const body = (id: number) => bodyOf(all, id);
  const types = countOf(body(SECTION.type)).count;
  const pages = memoryPages(body(SECTION.memory));
  const imported = createImportedFunctions(body(SECTION.import));
  const functions = imported + countOf(body(SECTION.function)).count;
  const additions: Additions = {
    table: pages << PAGE_BITS,
    grow: functions,
    touch: functions + 1,
    pages: countOf(body(SECTION.global)).count,
  };
  const changed = new Map<number, Uint8Array>([
    [SECTION.type, appendEntries(body(SECTION.type), [GROW_TYPE, TOUCH_TYPE])],
    [SECTION.function, appendEntries(body(SECTION.function), [numberBytes(types), numberBytes(types + 1)])],
    [SECTION.memory, Uint8Array.from([1, 0, ...numberBytes(pages + TABLE_PAGES)])],
    [SECTION.global, appendEntries(body(SECTION.global), [[I32, 1, OP.i32Const, ...encodeSigned(pages), OP.end]])],
    [SECTION.code, addTrackingToCode(all, additions, pages)],
  ]);
  const parts = [...all.values()].map((one) => encodeSection(one.id, changed.get(one.id) ?? one.body));
  return concatenateBytes([module.subarray(0, HEADER_BYTES), ...parts]);
}

/** Returns the address of the card table in the memory of a tracked module. */
export function tableOf(module: Uint8Array): number {
  const memory = [...readSections(module)].find(({ id }) => id === SECTION.memory);
  if (!memory) throw new RangeError('the module has no memory of its own');
  return (memoryPages(memory.body) - TABLE_PAGES) << PAGE_BITS;
}

/** Removes the initial memory content from a module. */
export function withoutData(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const isData = (id: number) => id === SECTION.data || id === SECTION.dataCount;
  const kept = [...readSections(module)].filter(({ id }) => !isData(id)).map(({ all }) => all);
  return concatenateBytes([module.subarray(0, HEADER_BYTES), ...kept]);
}

/** Returns the number of parameters of each type of function. */
function parameterCounts(body: Uint8Array): readonly number[] {
  const reader = new ByteReader(body);
  return Array.from({ length: reader.readNumber() }, () => {
    if (reader.readByte() !== FUNCTION_TYPE)
      throw new RangeError('the module has types of other things than functions');
    const { length } = reader.readVector();
    reader.readVector();
    return length;
  });
}

function addTrackingToCode(all: ReadonlyMap<number, WasmSection>, additions: Additions, pages: number): Uint8Array {
  const parameters = parameterCounts(bodyOf(all, SECTION.type));
  const types = new ByteReader(bodyOf(all, SECTION.function));
  const code = new ByteReader(bodyOf(all, SECTION.code));
  const count = code.readNumber();
  types.skipNumbers(1);
  const out = new ByteWriter();
  out.write(numberBytes(count + 2));
  const one = new ByteWriter();
  for (let left = count; left > 0; left -= 1) {
    const body = code.readVector();
    one.clear();
    new FunctionTracker(body, parameters[types.readNumber()] ?? 0, additions).print(one);
    out.write(numberBytes(one.length));
    out.write(one.written);
  }
  for (const added of [growBody(additions, pages), touchBody(additions)]) {
    out.write(numberBytes(added.length));
    out.write(added);
  }
  return out.written;
}

const COPY = toExtendedOpcode(EXTENDED_OP.memoryCopy);
const FILL = toExtendedOpcode(EXTENDED_OP.memoryFill);

function asksForMemory(op: number): boolean {
  return op === OP.memorySize || op === OP.memoryGrow;
}

/** Whether the instruction only pushes a value. */
function isSimple(op: number): boolean {
  return op === OP.localGet || op === OP.globalGet || (op >= OP.i32Const && op <= OP.f64Const);
}

/** Rewrites one function: its stores, and its requests for memory. */
class FunctionTracker {
  readonly #body: Uint8Array;
  readonly #additions: Additions;
  readonly #start: number;
  readonly #firstLocal: number;
  /** Added local variables in order: their purpose, and their type. */
  readonly #added = new Map<string, number>();

  constructor(body: Uint8Array, parameters: number, additions: Additions) {
    const reader = new ByteReader(body);
    let locals = 0;
    for (let left = reader.readNumber(); left > 0; left -= 1) {
      locals += reader.readNumber();
      reader.skip(1);
    }
    this.#body = body;
    this.#additions = additions;
    this.#start = reader.at;
    this.#firstLocal = parameters + locals;
  }

  print(out: ByteWriter): void {
    const reader = new ByteReader(this.#body, this.#start);
    const code = new ByteWriter();
    let done = this.#start;
    let before: Instruction | null = null;
    let last: Instruction | null = null;
    while (reader.at < this.#body.length) {
      const one = readInstruction(reader);
      const simple = isStore(one.op) && before?.op === OP.localGet && last && isSimple(last.op) ? before : null;
      const replaced = simple ? this.#mark([OP.localGet, ...numberBytes(simple.operand)], one) : this.#replace(one);
      if (replaced) {
        const at = simple?.start ?? one.start;
        code.write(this.#body.subarray(done, at));
        code.write(replaced);
        done = asksForMemory(one.op) ? one.end : at;
      }
      [before, last] = [last, one];
    }
    code.write(this.#body.subarray(done));
    const added = [...this.#added.values()].map((type) => [1, type]);
    out.write(appendEntries(this.#body.subarray(0, this.#start), added));
    out.write(code.written);
  }

  /** Returns the replacement of an instruction; for a store, the code before it. */
  #replace(one: Instruction): readonly number[] | null {
    if (isStore(one.op)) return this.#markBelow(one);
    if (one.op === OP.memorySize) return [OP.globalGet, ...numberBytes(this.#additions.pages)];
    if (one.op === OP.memoryGrow) return [OP.call, ...numberBytes(this.#additions.grow)];
    return one.op === COPY || one.op === FILL ? this.#touch() : null;
  }

  /** Marks the card of the address that `address` pushes. */
  #mark(address: readonly number[], { operand }: Instruction): readonly number[] {
    const offset = operand > NEAR ? [OP.i32Const, ...encodeSigned(operand), OP.i32Add] : [];
    const table = numberBytes(this.#additions.table);
    return [...address, ...offset, OP.i32Const, CARD_BITS, OP.i32ShrU, OP.i32Const, 1, OP.i32Store8, 0, ...table];
  }

  /** Marks the card of the address below the value on the stack. */
  #markBelow(store: Instruction): readonly number[] {
    const address = this.#addVariable('address', I32);
    const type = VALUE_TYPES[store.op] ?? I32;
    const value = this.#addVariable(`value ${type}`, type);
    const marked = this.#mark([OP.localTee, ...address], store);
    return [OP.localSet, ...value, ...marked, OP.localGet, ...address, OP.localGet, ...value];
  }

  /**
   * Marks the cards of a fill or copy. Of the three numbers on the stack, the first is the address
   * and the last the length.
   */
  #touch(): readonly number[] {
    const address = this.#addVariable('address', I32);
    const value = this.#addVariable(`value ${I32}`, I32);
    const length = this.#addVariable('length', I32);
    const taken = [OP.localSet, ...length, OP.localSet, ...value, OP.localTee, ...address, OP.localGet, ...length];
    const given = [OP.localGet, ...address, OP.localGet, ...value, OP.localGet, ...length];
    return [...taken, OP.call, ...numberBytes(this.#additions.touch), ...given];
  }

  #addVariable(name: string, type: number): readonly number[] {
    if (!this.#added.has(name)) this.#added.set(name, type);
    return numberBytes(this.#firstLocal + [...this.#added.keys()].indexOf(name));
  }
}

const GROW_TYPE = [FUNCTION_TYPE, 1, I32, 1, I32];
const TOUCH_TYPE = [FUNCTION_TYPE, 2, I32, I32, 0];
const MOST_PAGES = 65_536;

/** Replaces `memory.grow`. The first pages that it returns follow the table. */
function growBody({ pages }: Additions, firstPages: number): readonly number[] {
  const size = numberBytes(pages);
  const [asked, wanted] = [0, 1];
  const failure = [OP.i32Const, MINUS_ONE, OP.return, OP.end];
  return [
    ...[1, 1, I32],
    ...[OP.globalGet, ...size, OP.i32Const, ...encodeSigned(firstPages), OP.i32Eq, OP.if, NO_RESULT],
    ...[OP.i32Const, ...encodeSigned(firstPages + TABLE_PAGES), OP.globalSet, ...size, OP.end],
    ...[OP.localGet, asked, OP.i32Const, ...encodeSigned(MOST_PAGES), OP.i32GtU, OP.if, NO_RESULT, ...failure],
    ...[OP.globalGet, ...size, OP.localGet, asked, OP.i32Add, OP.localTee, wanted],
    ...[OP.memorySize, 0, OP.i32GtU, OP.if, NO_RESULT],
    ...[OP.localGet, wanted, OP.memorySize, 0, OP.i32Sub, OP.memoryGrow, 0],
    ...[OP.i32Const, MINUS_ONE, OP.i32Eq, OP.if, NO_RESULT, ...failure, OP.end],
    ...[OP.globalGet, ...size, OP.localGet, wanted, OP.globalSet, ...size, OP.end],
  ];
}

/** Marks the cards of a number of bytes at an address. */
function touchBody({ table }: Additions): readonly number[] {
  const [address, length] = [0, 1];
  const cardOf = [OP.i32Const, CARD_BITS, OP.i32ShrU];
  const last = [OP.localGet, address, OP.localGet, length, OP.i32Add, OP.i32Const, 1, OP.i32Sub, ...cardOf];
  const first = [OP.localGet, address, ...cardOf];
  return [
    ...[0, OP.localGet, length, OP.i32Eqz, OP.if, NO_RESULT, OP.return, OP.end],
    ...[...first, OP.i32Const, ...encodeSigned(table), OP.i32Add, OP.i32Const, 1],
    ...[...last, ...first, OP.i32Sub, OP.i32Const, 1, OP.i32Add, EXTENDED, EXTENDED_OP.memoryFill, 0, OP.end],
  ];
}
