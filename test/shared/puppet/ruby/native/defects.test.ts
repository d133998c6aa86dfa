import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RubyCallbacks } from '../../../../../shared/puppet/evaluator/ruby-callbacks.ts';
import { NativeTemplates } from '../../../../../shared/puppet/ruby/native/native-templates.ts';
import { NativeWork } from '../../../../../shared/puppet/ruby/native/native-work.ts';
import { RubyReader } from '../../../../../shared/puppet/ruby/native/syntax/ruby-reader.ts';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource } from '../../../../helpers/compile-source.ts';
import { NO_CALLBACKS, withCallbacks } from '../../../../helpers/ruby-callbacks.ts';

const native = createWasmRuby();
const judge = createWasmRuby({ rendersAll: true });
afterAll(() => {
  for (const ruby of [native, judge]) ruby.close();
});

const [TEMPLATES, LIB] = [
  '/code/environments/production/modules/m/templates',
  '/code/environments/production/modules/m/lib',
];
/** The fault is planted in this question. */
const ASKS = "{ 'planted' => 1 }.key?('planted')";
const newFunction = (name: string, body: string): string =>
  `Puppet::Functions.create_function(:'m::${name}') do\n  def ${name}(x)\n    ${body}\n  end\nend\n`;

const files = {
  'modules/m/templates/matches.erb': `<% scope.setvar('made', 1); @list << 'c'; scope.function_warning(['one']) %><%= ${ASKS} %>`,
  'modules/m/templates/outer.erb': "<% @list << 'o' %>[<%= scope.function_template(['m/matches.erb']) %>]",
  'modules/m/templates/calls.erb': "<%= scope.call_function('m::matches', ['y']) %>",
  'modules/m/lib/puppet/functions/m/matches.rb': newFunction('matches', `${ASKS} ? [x] : []`),
  'modules/m/lib/puppet/functions/m/outer.rb': newFunction('outer', "call_function('m::matches', x) + ['o']"),
  'modules/m/lib/puppet/parser/functions/old_matches.rb': `module Puppet::Parser::Functions\n  newfunction(:old_matches, :type => :rvalue) do |args|\n    ${ASKS} ? args : []\n  end\nend\n`,
};

function compiled(expression: string, ruby: typeof native): unknown {
  ruby.beginCompile('code');
  const code = `class c { $x = 'v' $list = ['a', 'b'] notify { 'n': message => ${expression} } notify { 'l': message => "$list" } }\ninclude c`;
  const result = compileSource(code, { files, ruby });
  if (result.status !== 'ok') return result;
  const catalog: { resources: { type: string; parameters?: { message?: unknown } }[] } = JSON.parse(result.catalog);
  const messages = catalog.resources.filter(({ type }) => type === 'Notify').map((one) => one.parameters?.message);
  return { messages, log: result.log.map(({ level, message }) => `${level}: ${message}`) };
}

describe('an error of native code that nobody foresaw', () => {
  beforeEach(() => {
    native.takeNativeDefects();
  });
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['a template', "template('m/matches.erb')", [`${TEMPLATES}/matches.erb`]],
    ['a template within another', "template('m/outer.erb')", [`${TEMPLATES}/matches.erb`]],
    ['a function', "m::matches('y')[0]", [`${LIB}/puppet/functions/m/matches.rb`]],
    ['a function that a template calls', "template('m/calls.erb')", [`${LIB}/puppet/functions/m/matches.rb`]],
    ['a function that another calls', "m::outer('y').join", [`${LIB}/puppet/functions/m/matches.rb`]],
    ['a function of the 3.x API', "old_matches('y')[0]", [`${LIB}/puppet/parser/functions/old_matches.rb`]],
  ])('leaves %s to Ruby, and is counted', (_, expression, names) => {
    const expected = compiled(expression, judge);
    expect(compiled(expression, native)).toEqual(expected);
    expect(native.takeNativeDefects()).toEqual([]);
    const { has } = PuppetHash.prototype;
    vi.spyOn(PuppetHash.prototype, 'has').mockImplementation(function (this: PuppetHash, key) {
      if (key === 'planted') throw new SyntaxError('Invalid regular expression');
      return has.call(this, key);
    });
    expect(compiled(expression, native)).toEqual(expected);
    const defects = native.takeNativeDefects();
    expect(new Set(defects)).toEqual(new Set(names.map((name) => `${name}: SyntaxError: Invalid regular expression`)));
    expect(native.takeNativeDefects()).toEqual([]);
  });

  it.each([
    ['a template', "inline_template('<%= [@x, 11] %>')"],
    ['what is no error', "inline_template('<%= [@x, 12] %>')"],
  ])('leaves %s to Ruby that it met while it read it', (kind, expression) => {
    const thrown: unknown = kind === 'a template' ? new TypeError('x is not a function') : 'a text';
    vi.spyOn(RubyReader.prototype, 'take').mockImplementation(() => {
      throw thrown;
    });
    const expected = compiled(expression, judge);
    expect(compiled(expression, native)).toEqual(expected);
    expect(native.takeNativeDefects()).toEqual([expect.stringContaining(String(thrown))]);
  });

  it('is not one of Ruby code that calls itself for ever, nor one that is foreseen', () => {
    const expression =
      'inline_template(\'<% def again(x) again(x) end %><% again(1) rescue 2 %><%= Integer("x") rescue 1 %>\')';
    compiled(expression, native);
    expect(native.takeNativeDefects()).toEqual([]);
  });
});

describe('what calls back throw', () => {
  class Signal extends Error {}

  it.each<[string, Partial<RubyCallbacks>, string]>([
    ['a variable', { getVariable: () => signal() }, '<%= @x %>'],
    ['a variable of the scope', { getVariable: () => signal() }, "<%= scope['x'] %>"],
    ['all variables', { getVariables: () => signal() }, '<%= scope.to_hash.keys.inspect %>'],
    [
      'a function',
      { functionKind: () => 'ruby', callFunction: () => signal() },
      "<%= scope.call_function('f', [1]) %>",
    ],
    ['the kind of a function', { functionKind: () => signal() }, "<%= scope.call_function('f', [1]) %>"],
    ['a source', { functionSource: () => signal() }, '<%= scope.function_f([1]) %>'],
    ['tags', { listTags: () => signal() }, '<%= all_tags.sort.inspect %>'],
    ['setvar', { setVariable: () => signal() }, "<% scope.setvar('x', 1) %>"],
  ])('by %s stays what it is', (_, callbacks, text) => {
    const work = new NativeWork(() => false);
    const templates = new NativeTemplates(work);
    expect(() => templates.render({ path: '/t.erb', text }, withCallbacks(NO_CALLBACKS, callbacks))).toThrow(Signal);
    expect(work.defects.take()).toEqual([]);
  });

  function signal(): never {
    throw new Signal('content is missing');
  }
});
