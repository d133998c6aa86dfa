import { afterAll, describe, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { withStackRestored } from '../../../../../shared/puppet/ruby/wasm/wasm-unwinding.ts';
import { NO_CALLBACKS } from '../../../../helpers/ruby-callbacks.ts';

/** Each exit would keep 50 kB of the 16 MB of stack that Ruby has. */
const EXITS = 2000;

const ruby = createWasmRuby({ rendersAll: true });
afterAll(() => ruby.close());
const render = (text: string): string => String(ruby.renderTemplate({ path: '/t.erb', text }, NO_CALLBACKS));

describe('the stack of Ruby', () => {
  it.each([
    ['break', '{ 1 => 2 }.each_key { break }'],
    ['return', 'leave'],
    ['throw', 'catch(:x) { [1].each { throw :x } }'],
    ['raise', 'begin; [1].each { raise "no" }; rescue; end'],
    [
      'raise through several blocks',
      'begin; [1].each { [2].map { { 1 => 2 }.each_pair { raise "no" } } }; rescue; end',
    ],
    [
      'an exit while another one is under way',
      'begin; [1].each { begin; raise "a"; ensure; [1].each { break }; end }; rescue; end',
    ],
  ])('is there again after each %s', (_, exit) => {
    const leave = 'def leave = [1].each { return }';
    const loop = `i = 0; while i < ${EXITS}; ${exit}; GC.start if i % 500 == 0; i += 1; end`;
    expect(render(`<% ${leave}; ${loop} %><%= i %>`)).toBe(String(EXITS));
  });

  it('is there again from request to request', () => {
    for (let request = 0; request < EXITS; request += 1) expect(render('<%= [1].each { break 7 } %>')).toBe('7');
  });

  it('still ends where code calls itself for ever', () => {
    const again = '<% def again(x) again(x) end %>';
    expect(render(`${again}<%= begin; again(1); rescue SystemStackError; 3; end %>`)).toBe('3');
  });
});

it('is made of no other module than Ruby', () => {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const empty = Uint8Array.from([...header, 2, 1, 0, 7, 1, 0, 10, 1, 0]);
  expect(() => withStackRestored(empty)).toThrow(new RangeError('the module has no function asyncify_get_state'));
  expect(() => withStackRestored(Uint8Array.from(header))).toThrow(new RangeError('the module has no section 7'));
});
