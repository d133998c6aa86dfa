import { describe, expect, it } from 'vitest';
import { readRubyType } from '../../../../../shared/puppet/compiler/resource-types/ruby-type-reader.ts';

const CLASSIC = `
# newparam(:not_this)
Puppet::Type.newtype(:ini_thing) do
  ensurable do
    defaultvalues
  end
  newparam(:title_name, namevar: true) do
    desc 'x'
  end
  newparam(:section) do
    isnamevar
  end
  newproperty(:value, :array_matching => :all) do
  end
  newparam('quoted')
  def self.title_patterns
    [
      [/^([^:]+):(.*)$/m, [[:title_name], [:section]]],
      [%r{^([^:]+)$}, [[:title_name]]],
    ]
  end
end
`;

const API = `
Puppet::ResourceApi.register_type(
  name: 'thing',
  attributes: {
    ensure: {
      type: 'Enum[present, absent]',
      default: 'present',
    },
    id: {
      type: 'String',
      behaviour: :namevar,
    },
    'size' => {
      type: 'Integer',
    },
  },
)
`;

describe('readRubyType', () => {
  it('reads a type made by newtype', () => {
    expect(readRubyType('ini_thing', CLASSIC)).toEqual({
      name: 'ini_thing',
      attributes: [
        { name: 'ensure', kind: 'property' },
        { name: 'title_name', kind: 'parameter' },
        { name: 'section', kind: 'parameter' },
        { name: 'value', kind: 'property' },
        { name: 'quoted', kind: 'parameter' },
      ],
      namevars: ['title_name', 'section'],
      titlePatterns: [
        { pattern: '(?m:^([^:]+):(.*)$)', groups: ['title_name', 'section'] },
        { pattern: '^([^:]+)$', groups: ['title_name'] },
      ],
      isomorphic: true,
      kind: 'compilable_type',
    });
  });

  it('reads a type made by the resource API', () => {
    const type = readRubyType('thing', API);
    expect(type.attributes.map(({ name }) => name)).toEqual(['ensure', 'id', 'size']);
    expect(type.namevars).toEqual(['id']);
  });

  it('takes name for the namevar when nothing else is', () => {
    expect(readRubyType('x', 'Puppet::Type.newtype(:x) do\n newparam(:name)\nend').namevars).toEqual(['name']);
  });

  it('reads what loops and methods of the type declare, and takes parameters alone for namevars', () => {
    const type = readRubyType(
      'x',
      `Puppet::Type.newtype(:x) do
  def self.newcheck(name, options = {}, &block)
    check = newparam(name, options, &block)
  end
  [:user,
   :group].each do |p|
    newparam(p) do
      isnamevar
    end
  end
  %w[a b].each { |word| newproperty(word.to_sym) }
  newcheck(:unless)
  newproperty(:source) do
    isnamevar
  end
end`,
    );
    expect(type.attributes.map(({ name }) => name)).toEqual(['user', 'group', 'a', 'b', 'unless', 'source']);
    expect(type.namevars).toEqual(['user', 'group']);
  });

  it('reads the methods that declare attributes in what the type requires', () => {
    const library = (path: string) =>
      path === 'puppet_x/thing/setting'
        ? `module PuppetX::Setting
  def create_parameters
    ensurable
    newparam(:key, namevar: true) do
      desc 'key'
    end
    newproperty(:value)
  end
end`
        : null;
    const type = readRubyType(
      'x',
      `Puppet::Type.newtype(:x) do
  require File.expand_path(File.join(
    File.dirname(__FILE__), '..', '..', 'puppet_x', 'thing', 'setting'))
  extend PuppetX::Setting
  create_parameters
end`,
      library,
    );
    expect(type.attributes.map(({ name }) => name)).toEqual(['ensure', 'key', 'value']);
    expect(type.namevars).toEqual(['key']);
  });

  const SPLIT = `module PuppetX::Split
  def self.part
    Regexp.new(/[^:]+/)
  end
  def self.two(prefix, suffix, separator = '::')
    parts = []
    if separator == '::'
      parts += [part, part]
    end
    first = parts[0]
    [
      [/^(#{first})#{separator}(#{first})$/, [[prefix], [suffix]]],
      [/^(#{first})$/, [[prefix]]]
    ]
  end
end`;

  it.each([
    [
      'local variables',
      'user = PuppetX::Split.part\n host = user\n [[/^(#{user})@(#{host})$/, [[:user], [:host]]]]',
      [{ pattern: '^((?-mix:[^:]+))@((?-mix:[^:]+))$', groups: ['user', 'host'] }],
    ],
    [
      'a method with arguments',
      'PuppetX::Split.two(:name, :type)',
      [
        { pattern: '^((?-mix:[^:]+))::((?-mix:[^:]+))$', groups: ['name', 'type'] },
        { pattern: '^((?-mix:[^:]+))$', groups: ['name'] },
      ],
    ],
    ['braces', '[[%r{^(a{2}.*)$}, [[:name]]]]', [{ pattern: '^(a{2}.*)$', groups: ['name'] }]],
    ['what nothing tells', '[[/^(#{unknown})$/, [[:name]]]]', null],
  ])('reads title patterns made of %s', (_what, body, patterns) => {
    const source = `require 'puppet_x/split'\nPuppet::Type.newtype(:x) do\n  newparam(:name)\n  def self.title_patterns\n ${body}\n  end\nend`;
    const type = readRubyType('x', source, (path) => (path === 'puppet_x/split' ? SPLIT : null));
    expect(type.titlePatterns).toEqual(patterns);
  });

  it("reads the named groups of the resource API's title patterns", () => {
    const source = `Puppet::ResourceApi.register_type(
  name: 'x',
  title_patterns: [
    { pattern: %r{^(?<name>.*[^-])-(?<kind>.*)$}, desc: 'both' },
    { pattern: %r{^(?<name>.*)$}, desc: 'name' },
  ],
  attributes: { name: { type: 'String', behaviour: :namevar } },
)`;
    expect(readRubyType('x', source).titlePatterns).toEqual([
      { pattern: '^(.*[^-])-(.*)$', groups: ['name', 'kind'] },
      { pattern: '^(.*)$', groups: ['name'] },
    ]);
  });
});
