import { describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { memoryFile } from '../../../../shared/puppet/environment/memory-tree.ts';
import type { Edition } from '../../../../shared/puppet/functions/stdlib/known-function.ts';
import { functionsOfEdition } from '../../../../shared/puppet/functions/stdlib/pack.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { formatValue } from '../../../../shared/puppet/types/format/string-converter.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource, errorOf, parametersOf } from '../../../helpers/compile-source.ts';
import { stdlibModule } from '../../../helpers/stdlib-module.ts';

const facts = PuppetHash.of([['networking', PuppetHash.of([['fqdn', 'Node1.Example.com']])]]);

function resultOf(code: string, edition: Edition = '9'): string {
  const result = compileSource(code, { facts, files: stdlibModule(edition) });
  if (result.status === 'ok') return formatValue(result.lastValue ?? null, '%p');
  return result.status === 'failed' ? result.error.basic : result.status;
}

it('leaves time of stdlib 9 to its own code, which warns', () => {
  expect((['8', '9'] as const).map((edition) => functionsOfEdition(edition).has('time'))).toEqual([true, false]);
});

describe('functions of puppetlabs-stdlib 9', () => {
  it.each([
    ["deep_merge({'a' => {'b' => 1}}, {'a' => {'c' => 2}})", "{'a' => {'b' => 1, 'c' => 2}}"],
    ["stdlib::merge({'a' => 1}, {'b' => 2})", "{'a' => 1, 'b' => 2}"],
    ['parsejson(\'{"a": 1}\')', "{'a' => 1}"],
    ["parseyaml('a: [1]')", "{'a' => [1]}"],
    ["stdlib::parsehocon('a : [1]')", "{'a' => [1]}"],
    ["stdlib::seeded_rand(100, 'bar')", '35'],
    ["stdlib::to_json_pretty({'a' => [1]})", '"{\\n  \\"a\\": [\\n    1\\n  ]\\n}\\n"'],
    ["stdlib::to_toml({'a' => 1, 't' => {'b' => 'c'}})", '"a = 1\\n[t]\\nb = \\"c\\"\\n"'],
    ["stdlib::shell_escape('a b')", "'a\\ b'"],
  ])('%s', (code, value) => {
    expect(resultOf(`$r = ${code} $r`)).toBe(value);
  });

  it.each(['loadyaml', 'loadjson'])('leaves addresses to Ruby, which has no network (%s)', (name) => {
    expect(resultOf(`$r = ${name}('/nowhere', 'none') $r`)).toBe("'none'");
    expect(resultOf(`${name}('https://www.example.com/x', 'none')`)).toBe(
      `Evaluation Error: Error while evaluating a Function Call, ${name}(): this call needs the Ruby of puppetlabs-stdlib`,
    );
  });

  it('creates a resource unless one with these parameters is there', () => {
    const code = `
      package { 'a': ensure => present }
      stdlib::ensure_packages(['a', 'b'])
      ensure_resource('package', 'b', { 'ensure' => 'installed' })
      $r = [getparam(Package['b'], 'ensure'), defined_with_params(Package['a'], { 'ensure' => 'present' })]
      $r`;
    expect(resultOf(code)).toBe("['installed', true]");
  });
});

describe('ensure_packages of stdlib 8.6', () => {
  it('takes over what is present, and gives each package its own attributes', () => {
    const code = `
      package { 'a': ensure => present }
      ensure_packages(['a', 'b'], { 'ensure' => 'present' })
      ensure_packages({ 'c' => { 'ensure' => 'latest' }, 'd' => {} }, { 'provider' => 'gem' })
      $r = [Package['b']['ensure'], Package['c']['ensure'], Package['d']['ensure'], Package['d']['provider']]
      $r`;
    expect(resultOf(code, '8.6')).toBe("['installed', 'latest', 'installed', 'gem']");
  });
});

describe('data with a Sensitive', () => {
  it.each(['to_json_pretty', 'to_toml'])('is left to the Ruby of the release: stdlib::%s', (name) => {
    const ruby = createWasmRuby();
    const own = `Puppet::Functions.create_function(:'stdlib::${name}') do
      def ${name}(data) = "own: #{data.keys}"
    end`;
    const known = stdlibModule('9');
    const path = `modules/stdlib/lib/puppet/functions/stdlib/${name}.rb`;
    // With the digest of a known text, so that the built-in function is asked first.
    const files = { ...known, [path]: { ...memoryFile(own), digest: () => known[path]?.digest() ?? '' } };
    const code = `$r = [{ 'a' => 'x' }, { 'a' => Sensitive('x') }].map |$data| { stdlib::${name}($data) =~ /^own/ } $r`;
    const result = compileSource(code, { files, ruby });
    ruby.close();
    expect(result.status === 'ok' && formatValue(result.lastValue ?? null, '%p')).toBe('[false, true]');
  });
});

// Puppet prints a number after `hash:` that is another one in each of its processes.
it('prints a Deferred in YAML as its parts', () => {
  const ruby = createWasmRuby();
  const code = "$x = { 'd' => Deferred('f', [1]) } $r = inline_template('<%= @x.to_yaml %>') $r";
  const result = compileSource(code, { ruby });
  ruby.close();
  const text = result.status === 'ok' ? String(result.lastValue) : result.status;
  expect(text.replace(/hash: -?\d+/, 'hash: N')).toBe(
    '---\nd: !ruby/object\n  hash: N\n  name: f\n  arguments:\n  - 1\n',
  );
});

describe('references among parameters', () => {
  it.each([
    ["ensure_resource('file', '/f', { 'subscribe' => Notify['n'], 'require' => [[Notify['n']], File['/g']] })"],
  ])('are written as such: %s', (code) => {
    const files = stdlibModule('9');
    expect(parametersOf(`notify { 'n': } file { '/g': } ${code}`, 'File[/f]', { files })).toMatchObject({
      subscribe: 'Notify[n]',
      require: ['Notify[n]', 'File[/g]'],
    });
  });
});

describe('which functions there are', () => {
  const unknown = (name: string) => `Evaluation Error: Unknown function: '${name}'.`;

  it.each([
    ["merge({'a' => 1}, {'a' => 2})", '8', "{'a' => 2}"],
    ["stdlib::merge({'a' => 1}, {'a' => 2})", '8', unknown('stdlib::merge')],
    ["pick('a')", '9', unknown('pick')],
  ] as const)('%s of stdlib %s: %s', (code, edition, result) => {
    expect(resultOf(`$r = ${code} $r`, edition)).toBe(result);
  });
});

describe('what stdlib 8 accepted before', () => {
  function logsOf(code: string): string[] {
    const files = stdlibModule('8');
    const result = compileSource(code, { files, settings: { strict: 'warning' } });
    return result.status === 'needs' ? [] : result.log.map(({ message }) => message.replace(/ at \[[\s\S]*/, ''));
  }

  const failed = (text: string) => `Evaluation Error: Error while evaluating a Function Call, ${text}`;

  it.each([
    ["String, 'validate_string', undef", 'validate_legacy(validate_string) expects a String value, got Undef'],
    ["Integer, 'validate_integer', '5'", 'validate_legacy(validate_integer) expects an Integer value, got String'],
    [
      "Enum['a'], 'validate_re', 'b', ['^a$', 'b']",
      "validate_legacy(validate_re) expects a match for Enum['a'], got 'b'",
    ],
    ["Any, 'validate_integer', 'b'", "Accepting previously invalid value for target type 'Any'"],
    ["Enum['a'], 'validate_re', 'b'", failed("validate_legacy(validate_re) expects a match for Enum['a'], got 'b'")],
    ["Hash, 'validate_hash', undef", failed('validate_legacy(validate_hash) expects a Hash value, got Undef')],
    ["Boolean, 'validate_bool', 'true'", failed('validate_legacy(validate_bool) expects a Boolean value, got String')],
  ])('validate_legacy(%s)', (args, message) => {
    expect(logsOf(`validate_legacy(${args})`)).toEqual([message]);
  });

  it('says which calls led to what it accepted', () => {
    const code = `
      define d() { validate_legacy(String, 'validate_string', undef) }
      class c { [1].each |$x| { validate_legacy(Integer, 'validate_integer', '1') } }
      include c
      d { 'x': }`;
    const files = { ...stdlibModule('8'), 'manifests/site.pp': code };
    const place = (source: string) => {
      const result = compileSource(source, { files, settings: { strict: 'warning' } });
      return result.status === 'needs' ? [] : result.log.map(({ message }) => / at (.*)$/m.exec(message)?.[1]);
    };
    expect(place(code)).toEqual(['["unknown", 3]:["unknown", 3]']);
    expect(place(code.replace('include c', ''))).toEqual(['["unknown", 2]:']);
  });

  it('takes no other parameters than hashes for resources', () => {
    expect(logsOf("ensure_resources('notify', {'a' => 'b'}, {'message' => 'x'})")).toEqual([
      failed('no implicit conversion of String into Hash'),
    ]);
  });
});

it('names the call and what called the template when a deprecated function is called in one', () => {
  const files = {
    ...stdlibModule('9'),
    'modules/m/templates/old.epp': "<%# a comment %>\n<%= deprecation('key', 'It is old.') %>",
  };
  const result = compileSource("# a comment\nnotice(epp('m/old.epp'))", { files, settings: { strict: 'warning' } });
  expect(result.status === 'needs' ? [] : result.log.map(({ message }) => message.split('\n')[0])).toContain(
    'It is old. at ["/code/environments/production/modules/m/templates/old.epp", 2]:["unknown", 2]',
  );
});

describe("the environment's own code for a function of stdlib", () => {
  const own = (name: string, value: string) => `Puppet::Functions.create_function(:${name}) do
      dispatch(:own) { repeated_param 'Any', :x }
      def own(*x) = ${value}
    end`;
  const old = (name: string, value: string) =>
    `module Puppet::Parser::Functions newfunction(:${name}, :type => :rvalue) { |args| ${value} } end`;
  const FUNCTIONS = 'lib/puppet/functions';
  const LEGACY = 'lib/puppet/parser/functions';

  it.each<[string, string, string, string]>([
    ['in its lib', `parsejson('"a"')`, `${FUNCTIONS}/parsejson.rb`, own('parsejson', "'own'")],
    ['in its lib, with the legacy API', `parsejson('"a"')`, `${LEGACY}/parsejson.rb`, old('parsejson', "'own'")],
    ['in a changed stdlib', `parsejson('"a"')`, `modules/stdlib/${FUNCTIONS}/parsejson.rb`, own('parsejson', "'own'")],
    ['in a module before stdlib', `parsejson('"a"')`, `modules/m/${FUNCTIONS}/parsejson.rb`, own('parsejson', "'own'")],
  ])('runs %s, and is an input', (_, code, path, text) => {
    const ruby = createWasmRuby();
    const inputs = new Inputs();
    const result = compileSource(`$r = ${code} $r`, { files: { ...stdlibModule('8'), [path]: text }, ruby, inputs });
    ruby.close();
    expect(result).toMatchObject({ status: 'ok', lastValue: 'own' });
    expect(inputs.getResult().files[`environments/production/${path}`]).toMatch(/^[\da-f]{64}$/);
  });

  it('gives way to stdlib when its module comes after', () => {
    const files = { ...stdlibModule('8'), [`modules/zebra/${FUNCTIONS}/parsejson.rb`]: own('parsejson', "'own'") };
    expect(compileSource(`$r = parsejson('"a"') $r`, { files })).toMatchObject({ status: 'ok', lastValue: 'a' });
  });

  it('takes the place of functions of stdlib that call it', () => {
    const path = `modules/stdlib/${FUNCTIONS}/defined_with_params.rb`;
    const files = { ...stdlibModule('8'), [path]: own('defined_with_params', 'true') };
    // Without Ruby, only built-in functions can be called.
    expect(errorOf("ensure_resource('notify', 'x')", { files })).toMatch(/ensure_resource.*needs Ruby/);
    expect(compileSource("$r = parsejson('[1]') $r", { files })).toMatchObject({ status: 'ok', lastValue: [1n] });
  });
});
