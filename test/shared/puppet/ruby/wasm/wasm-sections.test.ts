import { describe, expect, it } from 'vitest';
import { globalName, limitModuleMemory } from '../../../../../shared/puppet/ruby/wasm/wasm-sections.ts';

/** `(module (memory 1) (global (mut i32) (i32.const 7)) (export "memory" (memory 0)))` */
const MODULE = Uint8Array.from(
  Buffer.from('0061736d01000000' + '0503010001' + '0606017f0141070b' + '070a01066d656d6f72790200', 'hex'),
);

describe('a module within bounds', () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(limitModuleMemory(MODULE, 3)), {});

  it('has a memory that grows so far', () => {
    const { memory } = exports;
    if (!(memory instanceof WebAssembly.Memory)) throw new Error('no memory');
    memory.grow(2);
    expect(memory.buffer.byteLength).toBe(3 * 65_536);
    expect(() => memory.grow(1)).toThrow(RangeError);
  });

  it('shows its globals', () => {
    expect(exports[globalName(0)]).toMatchObject({ value: 7 });
  });

  it('is refused when it needs more to start', () => {
    expect(() => limitModuleMemory(MODULE, 0)).toThrow(new RangeError('Ruby needs 1 pages of memory to start'));
  });

  it('is refused without a memory', () => {
    expect(() => limitModuleMemory(MODULE.subarray(0, 8), 1)).toThrow(
      new RangeError('the module has no memory of its own'),
    );
  });
});
