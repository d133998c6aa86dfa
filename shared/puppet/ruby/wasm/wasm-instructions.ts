/** Decodes the WebAssembly instructions that Ruby's module uses. */
import type { ByteReader } from './wasm-bytes.ts';

export const OP = {
  if: 0x04,
  end: 0x0b,
  return: 0x0f,
  call: 0x10,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  f64Const: 0x44,
  i32Load: 0x28,
  i32Store: 0x36,
  i32Store8: 0x3a,
  i32Eqz: 0x45,
  i32Eq: 0x46,
  i32GtU: 0x4b,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32ShrU: 0x76,
} as const;

const FIRST_STORE = 0x36;
const LAST_STORE = 0x3e;
/** Prefix of an extended instruction. */
export const EXTENDED = 0xfc;

/** Extended instructions, by the number after their prefix. */
export const EXTENDED_OP = { memoryInit: 8, dataDrop: 9, memoryCopy: 10, memoryFill: 11 } as const;

export interface Instruction {
  /** The opcode; for an extended instruction 0xfc00 plus its number. */
  readonly op: number;
  readonly start: number;
  readonly end: number;
  /** A variable's index, or a store's offset; 0 for other instructions. */
  readonly operand: number;
}

export function isStore(op: number): boolean {
  return op >= FIRST_STORE && op <= LAST_STORE;
}

export function toExtendedOpcode(op: number): number {
  return EXTENDED * 256 + op;
}

/** Readers for the operands of each instruction; their result becomes its `operand`. */
const OPERANDS = new Map<number, (reader: ByteReader) => number>();

function define(ops: readonly number[], read: (reader: ByteReader) => number): void {
  for (const op of ops) OPERANDS.set(op, read);
}

function listRange(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const [UNREACHABLE, NOP, BLOCK, LOOP, ELSE] = [0x00, 0x01, 0x02, 0x03, 0x05];
const [BRANCH, BRANCH_IF, BRANCH_TABLE, CALL_INDIRECT, DROP, SELECT] = [0x0c, 0x0d, 0x0e, 0x11, 0x1a, 0x1b];
const [FIRST_LOAD, I64_CONST, F32_CONST, FIRST_PLAIN, LAST_PLAIN] = [0x28, 0x42, 0x43, 0x45, 0xc4];
const CONVERSIONS = listRange(toExtendedOpcode(0), toExtendedOpcode(7));

define([UNREACHABLE, NOP, ELSE, OP.end, OP.return, DROP, SELECT, ...CONVERSIONS], () => 0);
define(listRange(FIRST_PLAIN, LAST_PLAIN), () => 0);
define([OP.localGet, OP.localSet, OP.localTee, OP.globalGet, OP.globalSet, OP.call], (reader) => reader.readNumber());
define([BLOCK, LOOP, OP.if, BRANCH, BRANCH_IF, OP.memorySize, OP.memoryGrow], (reader) => reader.skipNumbers(1));
define([OP.i32Const, I64_CONST, toExtendedOpcode(EXTENDED_OP.memoryFill)], (reader) => reader.skipNumbers(1));
define([CALL_INDIRECT, toExtendedOpcode(EXTENDED_OP.memoryCopy)], (reader) => reader.skipNumbers(2));
define([BRANCH_TABLE], (reader) => reader.skipNumbers(reader.readNumber() + 1));
define([F32_CONST], (reader) => reader.skip(4));
define([OP.f64Const], (reader) => reader.skip(8));
define(listRange(FIRST_LOAD, LAST_STORE), (reader) => {
  reader.skipNumbers(1);
  return reader.readNumber();
});

/**
 * Decodes the instruction at the reader and advances past it. Throws RangeError for an instruction
 * that Ruby's module does not use.
 */
export function readInstruction(reader: ByteReader): Instruction {
  const start = reader.at;
  const first = reader.readByte();
  const op = first === EXTENDED ? toExtendedOpcode(reader.readNumber()) : first;
  const read = OPERANDS.get(op);
  if (!read) throw new RangeError(`the instruction 0x${op.toString(16)} is not expected in Ruby's module`);
  return { op, start, operand: read(reader), end: reader.at };
}
