/**
 * Ruby 4.0 for code of modules at the level openvox-9. The expected texts come from the NEWS of
 * Ruby 3.2 to 4.0, from `inspect_i` (hash.c), `set_inspect` (set.c) and `name_err_mesg_to_str`
 * (error.c), and from the same methods of JRuby 10.1.1. The reference of `test/parity` runs Ruby
 * 3.1: they were not recorded with it.
 */
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEVELS, type LevelName, languageOf } from '../../../../shared/puppet/levels/language.ts';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { RubySession } from '../../../../shared/puppet/ruby/ruby-session.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource } from '../../../helpers/compile-source.ts';
import { NO_CALLBACKS, withCallbacks } from '../../../helpers/ruby-callbacks.ts';

const native = createWasmRuby();
const wasm = createWasmRuby({ rendersAll: true });
const child = createProcessRuby({ rendersAll: true, env: { PATH: process.env.PATH ?? '' } });
const RUBIES = [
  ['native code', native],
  ['WebAssembly', wasm],
  ['a process', child],
] as const;
afterAll(() => {
  for (const [, ruby] of RUBIES) ruby.close();
});

const FACTS = PuppetHash.of([['os', PuppetHash.of([['family', 'Debian']])]]);

function render(ruby: typeof native, code: string, level: LevelName): string {
  const variable = (name: string) => (name === 'facts' ? FACTS : undefined);
  const callbacks = withCallbacks(NO_CALLBACKS, { language: languageOf(level), getVariable: variable });
  return String(ruby.renderTemplate({ path: '/m/templates/t.erb', text: `<%= ${code} %>` }, callbacks));
}

/** An expression, its text at the levels 8, and that at the level 9. */
type Row = readonly [expression: string, eight: string, nine: string];

const HASHES: readonly Row[] = [
  ["{ 'a' => 1 }", '{"a"=>1}', '{"a" => 1}'],
  ["{ 'a' => { 'b' => [{ 'c' => nil }] } }", '{"a"=>{"b"=>[{"c"=>nil}]}}', '{"a" => {"b" => [{"c" => nil}]}}'],
  ['{}', '{}', '{}'],
  ['[{}, {}]', '[{}, {}]', '[{}, {}]'],
  ['{ a: 1, C: 3 }', '{:a=>1, :C=>3}', '{a: 1, C: 3}'],
  ['{ nil => 1, 2 => :x, 1.5 => true }', '{nil=>1, 2=>:x, 1.5=>true}', '{nil => 1, 2 => :x, 1.5 => true}'],
  ['{ [1, { b: 2 }] => 3 }', '{[1, {:b=>2}]=>3}', '{[1, {b: 2}] => 3}'],
  ["[1, { 'a' => 2 }]", '[1, {"a"=>2}]', '[1, {"a" => 2}]'],
  ['"x#{{ \'a\' => 1 }}y"', 'x{"a"=>1}y', 'x{"a" => 1}y'],
  ["{ 'a' => 1 }.to_s", '{"a"=>1}', '{"a" => 1}'],
  ["{ 'a' => 1 }.inspect", '{"a"=>1}', '{"a" => 1}'],
  ["[{ 'a' => 1 }, [{ b: 2 }]].join(' ')", '{"a"=>1} {:b=>2}', '{"a" => 1} {b: 2}'],
  ["[{ 'a' => 1 }].to_s", '[{"a"=>1}]', '[{"a" => 1}]'],
  ["format('%s %p', { 'a' => 1 }, { b: 2 })", '{"a"=>1} {:b=>2}', '{"a" => 1} {b: 2}'],
  ["'%s' % [{ 'a' => 1 }]", '{"a"=>1}', '{"a" => 1}'],
  ["String({ 'a' => 1 })", '{"a"=>1}', '{"a" => 1}'],
  ["{ 'a' => 1 }.to_json", '{"a":1}', '{"a":1}'],
  ["(h = {}; h['a'] = 1; h['b'] = h.dup; h)", '{"a"=>1, "b"=>{"a"=>1}}', '{"a" => 1, "b" => {"a" => 1}}'],
  ['@facts', '{"os"=>{"family"=>"Debian"}}', '{"os" => {"family" => "Debian"}}'],
];

/** Expressions that native code leaves to Ruby. */
const LEFT_TO_RUBY: readonly Row[] = [
  ["[{ 'a' => 1 }] * '-'", '{"a"=>1}', '{"a" => 1}'],
  ['{ b?: 1, c!: 2 }', '{:b?=>1, :c!=>2}', '{b?: 1, c!: 2}'],
  ["{ 'c d': 1, '9': 2, 'a-b': 3 }", '{:"c d"=>1, :"9"=>2, :"a-b"=>3}', '{"c d": 1, "9": 2, "a-b": 3}'],
  ['{ :== => 1, :+ => 2, :[] => 3, :! => 4 }', '{:===>1, :+=>2, :[]=>3, :!=>4}', '{"==": 1, "+": 2, "[]": 3, "!": 4}'],
  ["{ 'a=': 1, '@b': 2, '$c': 3, '': 4 }", '{:a==>1, :@b=>2, :$c=>3, :""=>4}', '{"a=": 1, "@b": 2, "$c": 3, "": 4}'],
  ['(h = {}; h[:h] = h; h)', '{:h=>{...}}', '{h: {...}}'],
  ['(a = []; a << { a: a }; a)', '[{:a=>[...]}]', '[{a: [...]}]'],
  ['Class.new(Hash)[:a, 1]', '{:a=>1}', '{a: 1}'],
  ['Set[{ a: 1 }].inspect', '#<Set: {{:a=>1}}>', 'Set[{a: 1}]'],
  ["(require 'ostruct'; OpenStruct.new(a: { b: 1 }))", '#<OpenStruct a={:b=>1}>', '#<OpenStruct a={b: 1}>'],
  ['Struct.new(:a).new({ b: 1 })', '#<struct a={:b=>1}>', '#<struct a={b: 1}>'],
  [
    'begin; {}.fetch({ a: 1 }); rescue KeyError => e; e.message; end',
    'key not found: {:a=>1}',
    'key not found: {a: 1}',
  ],
  [
    'begin; { a: 1 }.freeze.store(:b, 1); rescue => e; e.message; end',
    "can't modify frozen Hash: {:a=>1}",
    "can't modify frozen Hash: {a: 1}",
  ],
];

const SETS: readonly Row[] = [
  ["Set['a', :b, nil, 1]", '#<Set: {"a", :b, nil, 1}>', 'Set["a", :b, nil, 1]'],
  ['Set.new', '#<Set: {}>', 'Set[]'],
  ["[Set[1, Set[2]], 'x'].inspect", '[#<Set: {1, #<Set: {2}>}>, "x"]', '[Set[1, Set[2]], "x"]'],
  ["(require 'set'; [3, 3].to_set.to_s)", '#<Set: {3}>', 'Set[3]'],
  ['(s = Set.new; s << s; s)', '#<Set: {#<Set: {...}>}>', 'Set[Set[...]]'],
  ["Class.new(Set) { def self.to_s = 'Own' }['a']", '#<Own: {"a"}>', '#<Own: {"a"}>'],
];

const message = (code: string) => `begin; ${code}; rescue StandardError => e; e.message; end`;
const ERRORS: readonly Row[] = [
  [message('nil.foo'), "undefined method `foo' for nil:NilClass", "undefined method 'foo' for nil"],
  [message('true.foo(1)'), "undefined method `foo' for true:TrueClass", "undefined method 'foo' for true"],
  [message("'a'.foo"), 'undefined method `foo\' for "a":String', "undefined method 'foo' for an instance of String"],
  [
    message('{ a: 1 }.foo'),
    "undefined method `foo' for {:a=>1}:Hash",
    "undefined method 'foo' for an instance of Hash",
  ],
  [message('String.foo'), "undefined method `foo' for String:Class", "undefined method 'foo' for class String"],
  [
    message('Kernel.nosuch'),
    "undefined method `nosuch' for Kernel:Module",
    "undefined method 'nosuch' for module Kernel",
  ],
  [
    message('1.puts'),
    "private method `puts' called for 1:Integer",
    "private method 'puts' called for an instance of Integer",
  ],
  [
    message('String.instance_method(:foo)'),
    "undefined method `foo' for class `String'",
    "undefined method 'foo' for class 'String'",
  ],
  [
    message("1.instance_variable_get('x')"),
    "`x' is not allowed as an instance variable name",
    "'x' is not allowed as an instance variable name",
  ],
  [message("raise NameError, 'no `x\\' here'"), "no `x' here", "no `x' here"],
  [message("raise NoMethodError, 'own'"), 'own', 'own'],
  ["(nil.foo rescue 'saved')", 'saved', 'saved'],
];

const TEMPLATE = 'Puppet::Parser::TemplateWrapper';
/** Methods and constants that Ruby 3.2 and erb 6.0 removed, and new ones. */
const METHODS: readonly Row[] = [
  [message("File.exists?('/nowhere/x')"), 'false', "undefined method 'exists?' for class File"],
  [message("FileTest.exists?('/nowhere/x')"), 'false', "undefined method 'exists?' for module FileTest"],
  [message("Dir.exists?('/nowhere/x')"), 'false', "undefined method 'exists?' for class Dir"],
  [message("File.exist?('/nowhere/x')"), 'false', 'false'],
  [message('[1.is_a?(Fixnum), Bignum]'), '[true, Integer]', `uninitialized constant ${TEMPLATE}::Fixnum`],
  [message("ERB.new('a', nil, '-').result"), 'a', 'wrong number of arguments (given 3, expected 1)'],
  [message("ERB.new('a', trim_mode: '-').result"), 'a', 'a'],
  [message('1 =~ /1/'), '', "undefined method '=~' for an instance of Integer"],
  [message('nil =~ /1/'), '', ''],
  [message("'a'.untaint"), 'a', "undefined method 'untaint' for an instance of String"],
  [message('[1, 2].fetch_values(1, -2)'), "undefined method `fetch_values' for [1, 2]:Array", '[2, 1]'],
  [message('[1, 2, 3].rfind(&:odd?)'), "undefined method `rfind' for [1, 2, 3]:Array\nDid you mean?  find", '3'],
  [message('(1..3).size'), '3', '3'],
  [message('(0.5..2).size'), '2', "can't iterate from Float"],
];

const MISSING = 'undefined local variable or method';
const FILES = {
  'modules/m/lib/puppet/functions/m/shown.rb': `Puppet::Functions.create_function(:'m::shown') do
  TEXT_WHEN_LOADED = { 'a' => 1 }.to_s.freeze
  dispatch(:shown) { param 'Any', :value }
  def shown(value)
    [value.to_s, TEXT_WHEN_LOADED]
  end
end
`,
  'modules/m/lib/puppet/functions/m/fails.rb': `Puppet::Functions.create_function(:'m::fails') do
  dispatch(:fails) {}
  def fails
    nowhere
  rescue NameError => e
    e.message
  end
end
`,
  'modules/m/lib/puppet/parser/functions/shown3.rb': `module Puppet::Parser::Functions
  newfunction(:shown3, type: :rvalue) { |args| args.first.inspect }
end
`,
};

const TABLES: readonly (readonly [string, readonly Row[]])[] = [
  ['hashes', HASHES],
  ['hashes that native code leaves to Ruby', LEFT_TO_RUBY],
  ['sets', SETS],
  ['words of errors', ERRORS],
  ['methods', METHODS],
];

/** The texts of all rows, level by level. */
function textsOf(ruby: typeof native, rows: readonly Row[]): string[][] {
  return LEVELS.map((level) => rows.map(([code]) => render(ruby, code, level)));
}

function expected(rows: readonly Row[]): string[][] {
  return LEVELS.map((level) => rows.map(([, eight, nine]) => (languageOf(level).ruby40 ? nine : eight)));
}

describe.each(RUBIES)('code of modules at all levels, with Ruby as %s', (_, ruby) => {
  beforeEach(() => ruby.beginCompile('code'));

  it.each(TABLES)('prints %s', (_name, rows) => {
    expect(textsOf(ruby, rows)).toEqual(expected(rows));
  });

  it('prints the same when the levels take turns', () => {
    const texts = [...LEVELS, ...LEVELS].map((level) =>
      render(ruby, '[{ a: nil }, (nil.foo rescue $!.message)]', level),
    );
    const eight = '[{:a=>nil}, "undefined method `foo\' for nil:NilClass"]';
    const nine = '[{a: nil}, "undefined method \'foo\' for nil"]';
    expect(texts).toEqual([eight, eight, nine, eight, eight, nine]);
  });

  function compileAt(language: LevelName, code: string) {
    ruby.beginCompile(`code ${language}`);
    const result = compileSource(code, { files: FILES, ruby, settings: { language } });
    if (result.status === 'needs') throw new Error('the code collects nothing');
    return result.status === 'ok' ? result.lastValue : result.error.message;
  }

  it('prints hashes in functions, also those of code that ran when it was loaded', () => {
    const values = LEVELS.map((level) => compileAt(level, "[m::shown({ 'b' => undef }), shown3([{ 'c' => 1 }])]"));
    const eight = [['{"b"=>nil}', '{"a"=>1}'], '[{"c"=>1}]'];
    expect(values).toEqual([eight, eight, [['{"b" => nil}', '{"a" => 1}'], '[{"c" => 1}]']]);
  });

  it('warns of wrappers of ENV, which do the same at all levels', () => {
    const code = 'inline_template(\'<%= Puppet::Util.set_env("A_B", "c"); Puppet::Util.get_env("A_B") %>\')';
    const warnings = LEVELS.map((language) => {
      ruby.beginCompile(`wrappers ${language}`);
      const result = compileSource(code, { ruby, settings: { language } });
      if (result.status !== 'ok') throw new Error('it should compile');
      expect(result.lastValue).toBe('c');
      return result.log.map(({ message }) => message.split('\n')[0]);
    });
    const gone = (name: string, instead: string) =>
      `Puppet::Util.${name} is deprecated and will be removed in a future version. Use ${instead} directly instead.`;
    expect(warnings).toEqual([[], [], [gone('set_env', 'ENV[]='), gone('get_env', 'ENV[]')]]);
  });

  it('names the receiver of an error', () => {
    expect(compileAt('openvox-8', "inline_template('<%= nil.foo %>')")).toContain(
      "Failed to parse inline template: undefined method `foo' for nil:NilClass",
    );
    expect(compileAt('openvox-9', "inline_template('<%= nil.foo %>')")).toContain(
      "Failed to parse inline template: undefined method 'foo' for nil",
    );
    expect(compileAt('openvox-9', "inline_template('<%= nowhere %>')")).toContain(
      `${MISSING} 'nowhere' for an instance of Puppet::Parser::TemplateWrapper`,
    );
    expect(compileAt('openvox-9', 'm::fails()')).toBe(`${MISSING} 'nowhere' for an instance of m::fails`);
  });
});

describe('native code at all levels', () => {
  it('prints hashes without Ruby', () => {
    native.beginCompile('native');
    const exchange = vi.spyOn(RubySession.prototype, 'exchange');
    expect(textsOf(native, HASHES)).toEqual(expected(HASHES));
    expect(exchange).not.toHaveBeenCalled();
    exchange.mockRestore();
  });
});
