import { afterAll, describe, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';
import { NO_CALLBACKS } from '../../../helpers/ruby-callbacks.ts';

const ruby = createWasmRuby({ rendersAll: true });
let functions = 0;

afterAll(() => ruby.close());

/** Calls a function with this body in Ruby, each time with these arguments. */
function callTimes(times: number, body: string, ...args: readonly Value[]): Value[] {
  functions += 1;
  const name = `f${functions}`;
  const text = `Puppet::Functions.create_function(:${name}) do
  dispatch(:run) { repeated_param 'Any', :args }
  def run(a = nil, b = nil)
    ${body}
  end
end`;
  const source = { path: `/m/lib/puppet/functions/${name}.rb`, text };
  const described = ruby.describeFunction(name, source, NO_CALLBACKS);
  return Array.from({ length: times }, () => ruby.callFunction(described, 'run', args, null, NO_CALLBACKS));
}

describe('patterns with text inside', () => {
  it.each<[string, string, Value]>([
    ['a match and its groups', '[a =~ /(#{b})(z?)/, $1, $~.begin(1)]', [1n, 'el', 1n]],
    ['options', "a.sub(%r{#{b}L}i, 'P')", 'hPo'],
    ['two texts', 'a[/#{b[0]}#{b[1]}/]', 'el'],
    ['a pattern as the text', 'a[/#{Regexp.union(b, "x")}l/]', 'ell'],
    ['a command with other arguments', "(a.gsub /#{b}/, 'ü')", 'hülo'],
    ['a block', 'a.gsub(/[#{b}]/) { |one| one.upcase }', 'hELLo'],
    ['a case', 'case a when /^#{b}/ then 1 when /#{b}/ then 2 end', 2n],
    ['conditions', 'if /^h#{b}/ =~ a && a !~ /#{b}$/ then 1 else 2 end', 1n],
    ['a text with a pattern', '"#{a[/#{b}/]}/#{b}/"', 'el/el/'],
    ['what is several lines long', 'a[/#{b}\n l/x]', 'ell'],
    ['an interpolation of several lines', 'a[/#{\n b}/]', 'el'],
    ['text behind characters of several bytes', '"é" + a[/#{b}l/] + "ü"', 'éellü'],
    ['what is no text', '[a[/#{nil}/], "1x"[/#{1}x/], a[/#{:el}/]]', ['', '1x', 'el']],
    ['texts that change', '%w[e h z].map { |one| a[/#{one}./] }', ['el', 'he', null]],
  ])('are kept with the same result: %s', (_, body, result) => {
    expect(callTimes(2, body, 'hello', 'el')).toEqual([result, result]);
  });

  it('are compiled once', () => {
    expect(callTimes(1, 'Array.new(3) { /^#{b}/.object_id }.uniq.size', 'a', 'b')).toEqual([1n]);
  });

  it('are kept up to a limit', () => {
    const body =
      '(0..2500).each { |n| /^#{n}$/.match?("1") }; Understudy::Patterns::KEPT.map(&:size).max.between?(400, 1000)';
    expect(callTimes(1, body)).toEqual([true]);
  });

  it('leave the lines of errors as they are', () => {
    const failing = () => callTimes(1, 'a[/#{b}/]\n\n    raise "no"', 'x', 'y');
    expect(failing).toThrow(expect.objectContaining({ message: 'no', line: 6 }));
  });
});

describe('arguments that code changes', () => {
  it.each<[string, string, Value, Value]>([
    ['a list of texts', "a << 'c'", ['a', 'b'], ['a', 'b', 'c']],
    ['a text in a list', "a[0] << 'c'", ['a', 'b'], ['ac', 'b']],
    ['the order of a list', 'a.reverse!', ['a', 'b'], ['b', 'a']],
    ['a list that gets other values', 'a << 1', ['a'], ['a', 1n]],
  ])('change for the compile: %s', (_, body, given, changed) => {
    callTimes(1, body, given);
    expect(given).toEqual(changed);
  });

  it('change for the compile: the order and values of a hash of texts', () => {
    const hash = PuppetHash.of([
      ['a', 'x'],
      ['b', 'y'],
    ]);
    callTimes(1, "a['a'] = a.delete('a')", hash);
    expect([...hash]).toEqual([
      ['b', 'y'],
      ['a', 'x'],
    ]);
    callTimes(1, "a['b'] << 'z'", hash);
    expect(hash.get('b')).toBe('yz');
  });
});
