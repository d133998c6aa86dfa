import { describe, expect, it } from 'vitest';
import { CARD_BYTES, TrackedMemory } from '../../../../../shared/puppet/ruby/wasm/wasm-memory.ts';
import { globalName, limitModuleMemory } from '../../../../../shared/puppet/ruby/wasm/wasm-sections.ts';
import { addWriteTracking, tableOf, withoutData } from '../../../../../shared/puppet/ruby/wasm/wasm-tracking.ts';

const [I32, I64, F64] = [0x7f, 0x7e, 0x7c];
const PAGES = 4;
const MOST_PAGES = 40;
const TABLE_PAGES = 16;

/**
 * Opcode, and the constant of all ones or a like number with the instruction that adds two of them.
 */
const STORES: readonly (readonly [name: string, op: number, constant: readonly number[], add: number])[] = [
  ['i32.store', 0x36, [0x41, 0x7f], 0x6a],
  ['i64.store', 0x37, [0x42, 0x7f], 0x7c],
  ['f32.store', 0x38, [0x43, 0xff, 0xff, 0xff, 0x3f], 0x92],
  ['f64.store', 0x39, [0x44, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f], 0xa0],
  ['i32.store8', 0x3a, [0x41, 0x7f], 0x6a],
  ['i32.store16', 0x3b, [0x41, 0x7f], 0x6a],
  ['i64.store8', 0x3c, [0x42, 0x7f], 0x7c],
  ['i64.store16', 0x3d, [0x42, 0x7f], 0x7c],
  ['i64.store32', 0x3e, [0x42, 0x7f], 0x7c],
];
const OFFSETS = [0, 240, 241, 5000];

function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...unsigned(Math.floor(value / 128))];
}

function section(id: number, entries: readonly (readonly number[])[]): number[] {
  const body = [...unsigned(entries.length), ...entries.flat()];
  return [id, ...unsigned(body.length), ...body];
}

interface Sample {
  readonly name: string;
  readonly code: readonly number[];
}

const stores: readonly Sample[] = STORES.flatMap(([name, op, constant, add]) =>
  OFFSETS.flatMap((offset) => {
    const store = [op, 0, ...unsigned(offset)];
    return [
      { name: `${name} of a constant with offset ${offset}`, code: [0x20, 0, ...constant, ...store] },
      { name: `${name} of a sum with offset ${offset}`, code: [0x20, 0, ...constant, ...constant, add, ...store] },
    ];
  }),
);
const ranges: readonly Sample[] = [1, 10, CARD_BYTES, 3 * CARD_BYTES].flatMap((length) => [
  { name: `a fill of ${length} bytes`, code: [0x20, 0, 0x41, 1, 0x41, ...signed(length), 0xfc, 11, 0] },
  { name: `a copy of ${length} bytes`, code: [0x20, 0, 0x41, 0, 0x41, ...signed(length), 0xfc, 10, 0, 0] },
]);

function signed(value: number): number[] {
  return value < 64 ? [value] : [(value % 128) | 128, ...signed(Math.floor(value / 128))];
}

const samples = [...stores, ...ranges];
const GROW: Sample = { name: 'grow', code: [0x20, 0, 0x40, 0] };
const SIZE: Sample = { name: 'size', code: [0x3f, 0] };
const TYPES = [
  [0x60, 1, I32, 0],
  [0x60, 1, I32, 1, I32],
];
/** The first four cards hold ones, which copies read. */
const SOURCE_BYTES = 4 * CARD_BYTES;

/** A module whose functions store, each in its way, at the address that they are given. */
function sampleModule(): Uint8Array {
  const all = [...samples, GROW, SIZE];
  const code = all.map(({ code: instructions }) => {
    const body = [2, 1, I64, 1, F64, ...instructions, 0x0b];
    return [...unsigned(body.length), ...body];
  });
  const data = [0, 0x41, 0, 0x0b, ...unsigned(SOURCE_BYTES), ...new Array<number>(SOURCE_BYTES).fill(1)];
  const exports = all.map(({ name }, index) => [...unsigned(name.length), ...Buffer.from(name), 0, ...unsigned(index)]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, TYPES),
    ...section(2, []),
    ...section(3, [...samples.map(() => [0]), [1], [1]]),
    ...section(5, [[0, PAGES]]),
    ...section(6, []),
    ...section(7, [[6, ...Buffer.from('memory'), 2, 0], ...exports]),
    ...section(10, code),
    ...section(11, [data]),
  ]);
}

const changed = limitModuleMemory(addWriteTracking(sampleModule()), MOST_PAGES);

function start(bytes = changed) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  const { memory, [globalName(0)]: size } = exports;
  if (!(memory instanceof WebAssembly.Memory && size instanceof WebAssembly.Global)) throw new Error('no memory');
  const call = ({ name }: Sample, argument: number): unknown => {
    const one = exports[name];
    if (typeof one !== 'function') throw new Error(`no function ${name}`);
    return one(argument);
  };
  return { memory: new TrackedMemory(memory, tableOf(bytes)), size, call };
}

describe('a module that notes what it writes', () => {
  const { memory, call } = start();
  const cards = Array.from({ length: memory.length / CARD_BYTES }, (_, card) => memory.cardAt(card));
  const before = memory.bytes.slice();
  const places = [
    5 * CARD_BYTES,
    6 * CARD_BYTES - 1,
    6 * CARD_BYTES - 8,
    7 * CARD_BYTES - 300,
    PAGES * 65_536 - 3 * CARD_BYTES,
  ];

  it.each(samples)('sets back $name', (sample) => {
    for (const place of places) {
      call(sample, place);
      expect(memory.bytes.subarray(0, tableOf(changed))).not.toEqual(before.subarray(0, tableOf(changed)));
      memory.setBack(cards);
      expect(Buffer.compare(memory.bytes, before)).toBe(0);
    }
  });

  it.each(stores)('names few cards for $name', (sample) => {
    call(sample, 5 * CARD_BYTES);
    const written = memory.listWrittenCards();
    expect(written.length).toBe(2);
    expect(written[0]).toBe(
      Math.floor((5 * CARD_BYTES + (offsetOf(sample) > 240 ? offsetOf(sample) : 0)) / CARD_BYTES),
    );
    memory.setBack(cards);
  });

  it('sets back what its host writes', () => {
    memory.set8(6 * CARD_BYTES - 1, 255);
    memory.set16(8 * CARD_BYTES - 1, 65_535);
    memory.set32(10 * CARD_BYTES - 1, 0xffff_ffff);
    memory.set64(12 * CARD_BYTES - 1, 0xffff_ffff_ffff_ffffn);
    memory.writeAt(14 * CARD_BYTES - 10, 3 * CARD_BYTES).fill(255);
    expect(memory.bytes.filter((byte) => byte === 255).length).toBe(1 + 2 + 4 + 8 + 3 * CARD_BYTES);
    memory.setBack(cards);
    expect(Buffer.compare(memory.bytes, before)).toBe(0);
  });
});

function offsetOf({ name }: Sample): number {
  return Number(/offset (\d+)/.exec(name)?.[1]);
}

describe('its size', () => {
  it('grows behind the table, to its bounds, and may be made smaller', () => {
    const { memory, size, call } = start();
    expect(call(SIZE, 0)).toBe(PAGES);
    expect(call(GROW, 2)).toBe(PAGES + TABLE_PAGES);
    expect(call(SIZE, 0)).toBe(PAGES + TABLE_PAGES + 2);
    expect(call(GROW, 0)).toBe(PAGES + TABLE_PAGES + 2);
    expect(call(GROW, MOST_PAGES)).toBe(-1);
    expect(call(GROW, -1)).toBe(-1);
    expect(call(GROW, MOST_PAGES - PAGES - TABLE_PAGES - 2)).toBe(PAGES + TABLE_PAGES + 2);
    expect(call(GROW, 1)).toBe(-1);
    size.value = PAGES + TABLE_PAGES;
    expect(call(GROW, 1)).toBe(PAGES + TABLE_PAGES);
    expect(memory.length).toBe(MOST_PAGES * 65_536);
  });
});

describe('a module without its data', () => {
  it('starts with zeros', () => {
    const { memory } = start(withoutData(changed));
    expect(memory.bytes.every((byte) => byte === 0)).toBe(true);
  });
});

describe('a module that is not expected', () => {
  it('is refused when it has other instructions', () => {
    const other = Buffer.from(sampleModule());
    const at = other.indexOf(Uint8Array.from([0xfc, 11, 0]));
    other[at + 1] = 8;
    expect(() => addWriteTracking(other)).toThrow(
      new RangeError("the instruction 0xfc08 is not expected in Ruby's module"),
    );
  });
});
