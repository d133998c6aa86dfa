import { describe, expect, it } from 'vitest';
import { compileSource, errorOf, referencesOf } from '../../../../helpers/compile-source.ts';

const PATH = '.resource_types/foo.pp';
const FOO = `Puppet::Resource::ResourceType3.new(
  'foo',
  [Puppet::Resource::Param(Any, 'ensure')],
  [Puppet::Resource::Param(Any, 'name', true), Puppet::Resource::Param(Any, 'sec', true)],
  { /(.*):(.*)/ => ['name', 'sec'], /(?m-ix:(.*))/ => ['name'] },
  true,
  false)`;
const RUBY = 'Puppet::Type.newtype(:foo) do\n newparam(:name)\n newparam(:ruby)\nend';

describe('types that puppet generate types wrote', () => {
  it('declares resources of them', () => {
    expect(referencesOf("foo { 'a:b': ensure => present }", { files: { [PATH]: FOO } })).toEqual(['Foo[a:b]']);
  });

  it('prefers them to Ruby code', () => {
    const files = { [PATH]: FOO, 'modules/m/lib/puppet/type/foo.rb': RUBY };
    expect(errorOf("foo { 'a': ruby => 1 }", { files })).toBe(
      "no parameter named 'ruby' (line: 1) on Foo[a] (line: 1) on node node.example.com",
    );
  });

  it.each([
    ["foo { 'a:b': }\nfoo { 'c': name => 'a', sec => 'b' }", FOO, 'Cannot alias Foo[c] to ["a", "b"] at (line: 2); '],
    ["foo { 'a': }", '# nothing', "does not create the resource type 'foo' - it is empty"],
    ["foo { 'a': }", 'type Foo = String', 'no call to Puppet::Resource::ResourceType3.new found.'],
    ["foo { 'a': }", `$x = 1\n${FOO}`, "only the creation of resource type 'foo' - it has additional logic."],
    ["foo { 'a': }", FOO.replace("'foo'", "'bar'"), "with the wrong name, expected 'foo', actual 'bar'"],
    [
      "foo { 'a': }",
      FOO.replace(/\{.*\}/, 'undef'),
      'you must specify title patterns when there are two or more key attributes (file: ',
    ],
  ])('fails for %s of %s', (code, text, message) => {
    expect(errorOf(code, { files: { [PATH]: text } })).toContain(message);
  });

  it('fails when compiled from a file that is not valid', () => {
    const result = compileSource("foo { 'a': }", { files: { [PATH]: 'Puppet::Resource::ResourceType3.new(' } });
    expect(result.status === 'failed' && result.error.message).toBe(
      'Syntax error at end of input (file: /code/environments/production/.resource_types/foo.pp) on node node.example.com',
    );
  });
});
