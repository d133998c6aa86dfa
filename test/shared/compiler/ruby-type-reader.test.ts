import { describe, expect, it } from 'vitest';
import { readRubyType } from '../../../shared/compiler/ruby-type-reader.ts';

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
        { name: 'provider', kind: 'parameter' },
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
    expect(type.attributes.map(({ name }) => name)).toEqual(['ensure', 'id', 'size', 'provider']);
    expect(type.namevars).toEqual(['id']);
  });

  it('takes name for the namevar when nothing else is', () => {
    expect(readRubyType('x', 'Puppet::Type.newtype(:x) do\n newparam(:name)\nend').namevars).toEqual(['name']);
  });
});
