/**
 * Facts in Ruby: a hash that is like any other, but of which only what was read is an input of the
 * catalog.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { freezeDeep } from '../../../../shared/puppet/types/values/frozen.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';
import { NO_CALLBACKS, withCallbacks } from '../../../helpers/ruby-callbacks.ts';

const hosts = [
  ['wasm', createWasmRuby({ rendersAll: true })],
  ['process', createProcessRuby({ rendersAll: true, env: { PATH: process.env.PATH ?? '' } })],
] as const;
afterAll(() => {
  for (const [, ruby] of hosts) ruby.close();
});

function facts(): PuppetHash {
  const os = PuppetHash.of([
    ['family', 'Debian'],
    ['release', PuppetHash.of([['major', '12']])],
  ]);
  return PuppetHash.of([
    ['os', os],
    ['disks', ['sda', PuppetHash.of([['size', 5n]])]],
    ['none', null],
    ['été', 1.5],
  ]);
}

/**
 * What a template says, given facts as `@h` and the same in a hash that was sent whole as `@plain`;
 * and the facts that it read.
 */
function render(ruby: (typeof hosts)[number][1], text: string): { readonly text: string; readonly read: string[] } {
  const inputs = new Inputs();
  const variables = new Map<string, Value>([
    ['h', inputs.recordFacts(facts())],
    ['plain', freezeDeep(facts())],
  ]);
  ruby.beginCompile('code');
  const callFunction = (name: string, args: readonly Value[]): Value => (name === 'same' ? (args[0] ?? null) : null);
  const variable = (name: string) => variables.get(name);
  // A text without a file: Ruby would save its state for each file of a module.
  const rendered = ruby.renderTemplate(
    { path: 'inline template', text },
    withCallbacks(NO_CALLBACKS, { getVariable: variable, callFunction }),
  );
  return { text: String(rendered), read: Object.keys(inputs.getResult().facts).sort() };
}

const BY_NAME: readonly (readonly [code: string, read: readonly string[]])[] = [
  ['h["os"]["family"]', ['["os","family"]']],
  ['h["os"]["family"].frozen?', ['["os","family"]']],
  ['h.fetch("os").fetch("release").dig("major")', ['["os","release","major"]']],
  ['h.fetch("no", 1)', ['["no"]']],
  ['h.fetch("no") { |key| key * 2 }', ['["no"]']],
  ['h.fetch("none", 1)', ['["none"]']],
  ['h.dig("os", "release", "major")', ['["os","release","major"]']],
  ['h.dig("no", "release")', ['["no"]']],
  ['h.dig("disks", 1, "size")', ['["disks"]']],
  ['h["été"]', ['["été"]']],
  ['[h.key?("os"), h.has_key?("no"), h.include?("none"), h.member?("no")]', ['["no"]', '["none"]', '["os"]']],
  ['h.values_at("none", "no", :os)', ['["no"]', '["none"]']],
  ['h.slice("none", "no")', ['["no"]', '["none"]']],
  ['h.fetch_values("none", "no") { 1 }', ['["no"]', '["none"]']],
  ['[h.assoc("none"), h.assoc("no")]', ['["no"]', '["none"]']],
  ['"<family> <none>".gsub(/family|none/, h["os"])', ['["os","family"]', '["os","none"]']],
  ['[h[:os], h[nil], h[1], h.key?(:os), h.fetch(:os, 2), h.dig(:os)]', []],
  ['[h.keys, h.size, h.length, h.empty?]', ['[]']],
  ['[h.class, h.is_a?(Hash), Hash === h, h.instance_of?(Hash), h.kind_of?(Enumerable), Array === h]', []],
  ['[h.frozen?, h.nil?, h.respond_to?(:each), h.respond_to?(:load_all), h.instance_variables]', []],
  ['case h when Array then 1 when Hash then 2 end', []],
  ['h.to_h.equal?(h) && h.to_hash.equal?(h)', []],
  ['h.equal?(scope["h"]) && h["os"].equal?(scope["h"]["os"])', ['["os"]']],
  ['h["os"].equal?(scope.call_function("same", [h["os"]]))', ['["os"]']],
  ['[h["os"]].flatten.first["family"]', ['["os","family"]']],
  ['h.then { |it| it["os"] }.key?("family")', ['["os","family"]']],
];

/** What looks at all of it, or is an error that shows it. */
const WHOLE: readonly string[] = [
  'h.to_s + h.inspect',
  '"#{h}"',
  'h.map { |key, value| [key, value] }',
  'h.each_with_object([]) { |pair, all| all << pair }',
  'h.each { |key, value| break [key, value] }',
  'h.to_a + [*h] + Array(h)',
  'h.merge("x" => 1)',
  'h.merge("x" => 1).frozen?',
  'Marshal.load(Marshal.dump(h.merge("x" => 1)))',
  '{ "os" => 1, "x" => 2 }.merge(h)',
  '{}.update(h)',
  'Hash[h]',
  '[h == facts, facts == h, h.eql?(facts), h.hash == facts.hash, [facts] == [h], { 1 => facts } == { 1 => h }]',
  '[h, facts, h].uniq.length',
  '{ h => 1 }[facts]',
  '[h <= facts, facts >= h, h > facts]',
  'h.dup.tap { |copy| copy["x"] = 1 }',
  '[h.dup.frozen?, h.clone.frozen?, h.clone(freeze: false).frozen?, h.dup.class]',
  'h.select { |key, _| key == "os" }',
  'h.reject { true }.class',
  'h.transform_values(&:class)',
  'h.sort_by { |key, _| key }.first',
  'h.find { |key, _| key == "os" }',
  'h.to_h { |key, value| [value, key] }',
  '%w[os no].map(&h)',
  'Marshal.dump(h)',
  'Marshal.dump([h, { 1 => h }, h])',
  'Marshal.load(Marshal.dump(h)).frozen?',
  'require "json"; [h.to_json, JSON.generate([h]), JSON.pretty_generate("x" => h)]',
  'require "yaml"; [h.to_yaml, [h, h].to_yaml, YAML.dump("x" => h)]',
  'require "pp"; h.pretty_inspect',
  'case h; in { os: 1 } then 1; in Hash => all then all.length; end',
  'h.each_key.to_a',
  'h["x"] = 1',
  'h.delete("os")',
  'h.merge!("x" => 1)',
  'h.store("x", 1)',
  'h.clear',
  'h.default = 1',
  'h.compare_by_identity',
  'h.instance_variable_set(:@a, 1)',
  'h.extend(Comparable)',
  'h.dig("été", "x")',
  'h.fetch("no")',
  'h.no_such_method',
  'h + 1',
  '"a" + h',
  'Integer(h)',
  '[1, h].sum',
  'h.fetch',
  'h.freeze.frozen?',
  'h.sum { |_, value| value.to_s.length }',
  'h.min_by { |key, _| key }',
  'h.each_slice(2).to_a',
  'h["os"].to_s + h["os"].merge("x" => 1).to_s + h.to_s',
  'h.values.first.equal?(h["os"])',
  'h["os"].equal?(h.values.first)',
  '{ **h, "x" => 1 }',
  '->(**all) { all }.call(**h)',
  '"%{os}" % h',
  'h.any? { |_, value| value.nil? } && h.count && h.sort_by(&:first).to_h == h',
  'require "set"; Set.new([h, facts]).length',
  'h.encode_with(1)',
];

/** Both hashes' results or errors; `facts` is one more like them. */
function asBoth(code: string): string {
  const attempt = `begin; (${code}).then { |it| [it, it.inspect] }; rescue StandardError => e; [e.class, e.message, e.message]; end`;
  return `<% require 'json'; facts = JSON.parse(${JSON.stringify(JSON.stringify({ os: { family: 'Debian', release: { major: '12' } }, disks: ['sda', { size: 5 }], none: null, été: 1.5 }))}) -%>
<% run = ->(h) do ${attempt} end -%>
<% made = run.call(@h) %><% expected = run.call(@plain) -%>
<%= made == expected && made.last == expected.last ? 'same' : made.inspect + ', not ' + expected.inspect %>`;
}

describe.each(hosts)('a hash of facts in the host %s', (_, ruby) => {
  it.each(BY_NAME)('reads by name: %s', (code, expected) => {
    const { text, read } = render(ruby, `<% h = @h %><%= (${code}).inspect %>`);
    expect(read).toEqual(expected);
    if (code.includes('scope')) expect(text).toBe('true');
    else expect(text).toBe(render(ruby, `<% h = @plain %><%= (${code}).inspect %>`).text);
  });

  it.each(WHOLE)('is like any other: %s', (code) => {
    expect(render(ruby, asBoth(code)).text).toBe('same');
  });

  it.each(['h.to_a', 'h.inspect', 'h.merge({})', '{}.merge(h)', 'h == {}', '{ **h }', 'h.dup', 'Marshal.dump([h])'])(
    'is read as a whole by %s',
    (code) => {
      expect(render(ruby, `<% h = @h %><% ${code} %>`).read).toEqual(['[]']);
    },
  );
});
