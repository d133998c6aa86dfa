import { describe, expect, it } from 'vitest';
import { isPlainTypeDefinition } from '../../../../../shared/puppet/compiler/resource-types/plain-type-definition.ts';

const PLAIN = `# A thing.
require 'puppet/parameter/boolean'

Puppet::Type.newtype(:thing) do
  @doc = <<-EOT
newproperty of the doc
  EOT
  desc 'a thing'
  NAMES = %w[a b]

  ensurable do
    defaultvalues
    newvalue(:latest)
    defaultto :present
  end

  newparam(:name, namevar: true) do
    munge { |value| value.each { |part| part.downcase } }
  end

  newproperty(:size,
    array_matching: :all) do
    def insync?(is)
      is == should
    end
  end

  autorequire(:file) { self[:name] }

  def self.title_patterns
    [[/^(.*)$/m, [[:name]]]]
  end
end
`;

const BODIES: readonly (readonly [string, string])[] = [
  ['loops', '%w[a b].each { |name| newparam(name) }'],
  ['loops of several lines', '%w[a b].each do |name|\n    newparam(name.to_sym)\n  end'],
  ['conditions', "if Puppet.version > '6'\n    newparam(:a)\n  end"],
  ['methods of its own', 'create_parameters'],
  ['modules of others', 'include PuppetX::Thing'],
  ['attributes whose name is computed', 'newparam("a_#{b}")'],
  ['code in its class', 'class << self\n    def newthing; end\n  end'],
  ['title patterns that are computed', 'def self.title_patterns\n    PuppetX::Thing.patterns\n  end'],
  ['title patterns that convert', 'def self.title_patterns\n    [[/(.*)/, [[:name, lambda { |x| x.upcase }]]]]\n  end'],
  ['methods that make it ensurable', 'def exists?; end\n  def create; end\n  def destroy; end'],
  ...['defaultto', 'defaultto nil', 'defaultto()', 'defaultto(nil)'].map(
    (code) => ['defaults without a value', `newproperty(:size) do\n    ${code}\n  end`] as const,
  ),
  ['providers', 'provide(:ruby) do\n  end'],
];

describe('isPlainTypeDefinition', () => {
  it('takes a definition that declares its attributes by name', () => {
    expect(isPlainTypeDefinition('thing', PLAIN)).toBe(true);
  });

  it.each(BODIES)('leaves %s to Ruby', (_what, body) => {
    const definition = (inner: string) => `Puppet::Type.newtype(:thing) do\n  newparam(:name)\n  ${inner}\nend\n`;
    expect(isPlainTypeDefinition('thing', definition("desc 'x'"))).toBe(true);
    expect(isPlainTypeDefinition('thing', definition(body))).toBe(false);
  });

  it.each([
    ['another name', PLAIN.replace(':thing', ':other')],
    ['several types', PLAIN + PLAIN],
    ['code behind the block', `${PLAIN}Puppet::Type.type(:thing).newparam(:more)\n`],
    ['code before the block', `module PuppetX; end\n${PLAIN}`],
    ['the resource API', "Puppet::ResourceApi.register_type(name: 'thing', attributes: {})\n"],
    ['no type', ''],
  ])('leaves %s to Ruby', (_what, source) => {
    expect(isPlainTypeDefinition('thing', source)).toBe(false);
  });
});
