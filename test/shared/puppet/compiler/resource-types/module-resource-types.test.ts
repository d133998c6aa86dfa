import { afterAll, describe, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource, errorOf, parametersOf, referencesOf } from '../../../../helpers/compile-source.ts';

const ruby = createWasmRuby({ timeLimitMs: 2_000 });
afterAll(() => ruby.close());
let tests = 0;

/** Options for a compile with a module whose type `thing` is defined so. */
function withType(body: string, more: Readonly<Record<string, string>> = {}) {
  tests += 1;
  ruby.beginCompile(String(tests));
  const file = 'modules/m/lib/puppet/type/thing.rb';
  return {
    ruby,
    files: { [file]: body.startsWith('Puppet') ? body : `Puppet::Type.newtype(:thing) do\n${body}\nend\n`, ...more },
  };
}

const PROVIDER = 'modules/n/lib/puppet/provider/thing/ruby.rb';
const COMPUTED = '  %w[name size].each { |name| newparam(name) }';

describe('resource types of modules', () => {
  it.each([
    ['plain', '  newparam(:name)\n  newproperty(:size)'],
    ['computed', COMPUTED],
  ])('take the attributes of a %s definition and no others', (_what, body) => {
    expect(parametersOf("thing { 'a': size => 1 }", 'Thing[a]', withType(body))).toEqual({ size: 1 });
    expect(errorOf("thing { 'a': weight => 1 }", withType(body))).toBe(
      "no parameter named 'weight' (line: 1) on Thing[a] (line: 1) on node node.example.com",
    );
  });

  it.each([
    ['a module has providers', { [PROVIDER]: 'Puppet::Type.type(:thing).provide(:ruby) do\nend' }, null],
    ['no module has any', {}, "no parameter named 'provider' (line: 1) on Thing[a] (line: 1) on node node.example.com"],
    [
      'a module has files beside that provide nothing',
      { [PROVIDER]: 'class Puppet::Provider::Thing::Ruby; end' },
      "no parameter named 'provider' (line: 1) on Thing[a] (line: 1) on node node.example.com",
    ],
  ])('take a provider as %s', (_what, files, message) => {
    const options = withType('  newparam(:name)', files);
    const result = compileSource("thing { 'a': provider => 'ruby' }", options);
    expect(result.status === 'failed' ? result.error.message : null).toBe(message);
  });

  it.each([
    ['  newproperty(:size)', 'No set of title patterns matched the title "a".'],
    [
      '  %w[a b].each { |name| newparam(name, namevar: true) }',
      'you must specify title patterns when there are two or more key attributes',
    ],
    ['  raise "no such luck"', 'Could not autoload puppet/type/thing: no such luck'],
    [
      '  newparam(:name) do\n    defaultto\n  end',
      'Could not autoload puppet/type/thing: Either a default value or block must be provided',
    ],
    [
      "require 'nosuch'\nPuppet::Type.newtype(:thing) do\n  newparam(:name) do\n    defaultto nil\n  end\nend",
      'Could not autoload puppet/type/thing: cannot load such file -- nosuch',
    ],
    [
      '  extend self\n  def x',
      /^Could not autoload puppet\/type\/thing: .*thing\.rb:4: syntax error, unexpected end-of-input/,
    ],
    ['Puppet::Type.newtype(:other) do\n newparam(:name)\nend', "Unknown resource type: 'thing'"],
  ])('fail when they are used and are defined by %j', (body, fault) => {
    const message = errorOf("thing { 'a': }", withType(body));
    const [, inner = '', place] =
      /^Evaluation Error: Error while evaluating a Resource Statement, ([\s\S]*?)( \(line: 1, column: 1\) on node node.example.com)$/.exec(
        message,
      ) ?? [];
    expect(inner).toMatch(fault);
    expect(place).toBeDefined();
  });

  it('are read from their text where Ruby lacks what they require', () => {
    const options = withType("Puppet::Type.newtype(:thing) do\n  require 'nosuch'\n  newparam(:name)\nend\n");
    expect(referencesOf("thing { 'a': }", options)).toEqual(['Thing[a]']);
  });
});
