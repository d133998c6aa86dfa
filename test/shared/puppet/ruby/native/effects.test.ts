import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Inputs } from '../../../../../shared/puppet/environment/inputs.ts';
import { NativeTemplates } from '../../../../../shared/puppet/ruby/native/native-templates.ts';
import { createProcessRuby } from '../../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource } from '../../../../helpers/compile-source.ts';

const native = createWasmRuby();
const judge = createWasmRuby({ rendersAll: true });
const others = createProcessRuby({ env: { PATH: process.env.PATH ?? '' } });
afterAll(() => {
  for (const ruby of [native, judge, others]) ruby.close();
});
afterEach(() => vi.restoreAllMocks());

const FACTS = PuppetHash.of([
  [
    'os',
    PuppetHash.of([
      ['family', 'Debian'],
      ['name', 'Debian'],
    ]),
  ],
  ['other', 'x'],
]);

/** Nothing that is done here knows `unpack`. */
const LEAVE = "<% 'x'.unpack('C') %>";

const files = {
  'modules/m/templates/sets.erb':
    "<% scope.setvar('made', {}) -%>\n<% scope['made'][:k] = @x -%>\n<%= scope.function_template(['m/reads.erb']) -%>",
  'modules/m/templates/reads.erb': "<%= scope.lookupvar('made')[:k] %>\n",
  'modules/m/templates/sets-and-leaves.erb': `<% scope.setvar('made', 1) %>${LEAVE}<%= scope['made'] %>`,
  'modules/m/templates/changes.erb': "<% @list << 'c'; @hash.delete('a') %><%= @list.join %>",
  'modules/m/templates/changes-and-leaves.erb': `<% @list << 'c'; @hash.delete('a') %>${LEAVE}<%= @list.join %>`,
  'modules/m/templates/lists.erb':
    "<% all = scope.to_hash; scope.setvar('made', 1) %><%= all.key?('made') %> <%= scope.to_hash['made'] %>",
  'modules/m/templates/lists-by-name.erb':
    "<% all = scope.to_hash %><%= [all.fetch('x'), all.fetch('no', 1), all.dig('hash', 'a'), all.values_at('x', 'no')] %>",
  'modules/m/templates/warns.erb': "<% scope.function_warning(['one']); scope.call_function('notice', ['two']) %>w",
  'modules/m/templates/warns-and-leaves.erb': `<% scope.function_warning(['one']) %>${LEAVE}w`,
  'modules/m/templates/defines.erb': '<% def twice(x) x * 2 end %><%= twice(@x) %>',
  'modules/m/templates/uses.erb': `<%= twice(@x) %>`,
  'modules/m/templates/includes.erb': `${LEAVE}<% scope.function_template(['m/defines.erb']) %><%= twice(@x) %>`,
  'modules/m/templates/calls.erb': "<%= scope.call_function('m::pure', [@x]) %>",
  'modules/m/templates/logs.erb': "<%= scope.call_function('m::logs', [@x]) %>",
  'modules/m/templates/alters.erb': "<%= scope.call_function('m::alters', []) %> <%= 'a'.upcase %>",
  'modules/m/templates/upcase.erb': "<%= 'a'.upcase %>",
  'modules/m/lib/puppet/functions/m/pure.rb':
    'Puppet::Functions.create_function(:\'m::pure\') { def pure(x) = "<#{x}>" }',
  'modules/m/lib/puppet/functions/m/logs.rb':
    'Puppet::Functions.create_function(:\'m::logs\') { def logs(x) = Puppet.warning("logs #{x}") && x }',
  'modules/m/lib/puppet/functions/m/alters.rb':
    "class ::String\n  def upcase\n    'altered'\n  end\nend\nPuppet::Functions.create_function(:'m::alters') { def alters = 'done' }",
};

function compiled(body: string, ruby: typeof native): { readonly out: unknown; readonly log: readonly string[] } {
  ruby.beginCompile('code');
  const code = `class c { $x = 'v' $list = ['a', 'b'] $hash = { 'a' => 1, 'b' => 2 } ${body} }\ninclude c`;
  const result = compileSource(code, { files, ruby, facts: FACTS });
  if (result.status === 'needs') throw new Error('nothing is collected');
  const log = result.log.map(({ level, message }) => `${level}: ${message}`);
  if (result.status === 'failed') return { out: result.error.message, log };
  const catalog: { resources: { type: string; parameters?: { message?: unknown } }[] } = JSON.parse(result.catalog);
  return { out: catalog.resources.filter(({ type }) => type === 'Notify').map((one) => one.parameters?.message), log };
}

const notify = (...expressions: readonly string[]): string =>
  expressions.map((expression, index) => `notify { 'n${index}': message => ${expression} }`).join('\n');

describe('templates do in a compile what they do in Ruby', () => {
  it.each([
    ['a variable that others read', notify("template('m/sets.erb')", '"$made"'), 0],
    ['a variable that is set again', notify("template('m/sets.erb')", "template('m/sets.erb')"), 1],
    ['a variable that is set, when Ruby takes over', notify("template('m/sets-and-leaves.erb')", '"$made"'), 1],
    ['variables as they were before one was set', notify("template('m/lists.erb')"), 0],
    ['variables by their names', notify("template('m/lists-by-name.erb')"), 0],
    ['a change of values', notify("template('m/changes.erb')", '"$list $hash"'), 0],
    ['a change of values, when Ruby takes over', notify("template('m/changes-and-leaves.erb')", '"$list $hash"'), 1],
    ['lines of the log', notify("template('m/warns.erb')"), 0],
    ['lines of the log, when Ruby takes over', notify("template('m/warns-and-leaves.erb')"), 1],
    ['a method of its own', notify("template('m/defines.erb')"), 0],
    ['a method of a template that is called within', notify("template('m/includes.erb')"), 1],
    ['a method that another template calls', notify("template('m/defines.erb')", "template('m/uses.erb')"), 1],
    ['a function of a module', notify("template('m/calls.erb')"), 0],
    ['a function of a module that logs', notify("template('m/logs.erb')"), 0],
    [
      'code that changes a class of Ruby',
      notify("template('m/upcase.erb')", "template('m/alters.erb')", "template('m/upcase.erb')"),
      2,
    ],
    ['a class as it was, in the next compile', notify("template('m/upcase.erb')"), 0],
    ['text of Puppet code', notify('inline_template("<%= @x %>$x")'), 0],
  ])('%s', (_, body, inRuby) => {
    const render = vi.spyOn(NativeTemplates.prototype, 'render');
    const ours = compiled(body, native);
    const left = render.mock.results.filter(({ value }) => value === null).length;
    render.mockClear();
    expect(ours).toEqual(compiled(body, judge));
    expect(ours).toEqual(compiled(body, others));
    expect(left).toBe(inRuby);
  });

  it('has no trace of a template that is given up', () => {
    expect(compiled(notify("template('m/sets-and-leaves.erb')", '"$made"'), native).out).toEqual(['1', '1']);
    expect(compiled(notify("template('m/warns-and-leaves.erb')"), native).log).toEqual(['warning: one']);
    expect(compiled(notify("template('m/logs.erb')"), native).log).toEqual(['warning: logs v']);
    expect(compiled(notify("template('m/upcase.erb')", "template('m/alters.erb')"), native).out).toEqual([
      'A',
      'done altered',
    ]);
  });
});

describe('the facts that a template read are inputs', () => {
  const factsRead = (text: string, ruby: typeof native): unknown => {
    const inputs = new Inputs();
    ruby.beginCompile('code');
    const code = `notify { 'n': message => inline_template("${text}") }`;
    const result = compileSource(code, { ruby, facts: inputs.recordFacts(FACTS), inputs });
    expect(result.status).toBe('ok');
    // Code of a resource looks for these two.
    return Object.keys(inputs.getResult().facts).filter((path) => path !== '["name"]' && path !== '["title"]');
  };

  it.each([
    ["<%= @facts['os']['family'] %>", ['["os","family"]']],
    ["<%= @facts['os']['family'] %><%= @facts.key?('os') %>", ['["os","family"]']],
    ["<%= @facts['os']['family'] %><%= @facts.to_a.size %>", ['[]']],
    ["<%= @os['family'] %><%= @os.key?('none') %>", ['["os","family"]', '["os","none"]']],
    ['<%= @other %>', ['["other"]']],
    ["<%= scope['other'] %> mail@os.example", ['["os"]', '["other"]']],
  ])('%s as in Ruby', (text, expected) => {
    expect(factsRead(text, native)).toEqual(expected);
    expect(factsRead(text, judge)).toEqual(expected);
  });

  it.each([
    ["scope.to_hash.key?('other') && scope.to_hash.has_key?('none')", ['["none"]', '["other"]']],
    ["scope.to_hash['os']['family']", ['["os","family"]']],
    ["scope.to_hash.fetch('other') + scope.to_hash.fetch('none', '')", ['["none"]', '["other"]']],
    ["scope.to_hash.dig('facts', 'os', 'name')", ['["os","name"]']],
    ["scope.to_hash.values_at('other', 'none')", ['["none"]', '["other"]']],
    ["scope.to_hash.slice('other', 'none').keys", ['["none"]', '["other"]']],
    ['scope.to_hash.keys.length', ['[]']],
  ])('%s, and no others', (code, expected) => {
    expect(factsRead(`<%= ${code} %>`, native)).toEqual(expected);
    expect(factsRead(`<%= ${code} %>`, judge)).toEqual(expected);
    expect(factsRead(`<%= ${code} %>`, others)).toEqual(expected);
  });

  it('and no more than those that it looks up in its scope', () => {
    expect(factsRead("<%= scope['facts']['os']['family'] %>", native)).toEqual(['["os","family"]']);
    expect(factsRead("<%= scope['facts'].key?('os') %>", native)).toEqual(['["os"]']);
  });
});
