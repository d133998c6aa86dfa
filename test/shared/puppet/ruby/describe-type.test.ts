import { afterAll, describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { RubyError } from '../../../../shared/puppet/errors/ruby-error.ts';
import type { RubyTypeDescription } from '../../../../shared/puppet/evaluator/ruby-port.ts';
import { callbacksOutside } from '../../../../shared/puppet/ruby/callbacks.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby({ timeLimitMs: 2_000 });
afterAll(() => ruby.close());

const TYPES = 'modules/m/lib/puppet/type';

function environmentWith(files: Readonly<Record<string, string>>, inputs = new Inputs()) {
  return createMemoryEnvironment({ name: 'production', codeDirectory: '/code', files, inputs, manifest: null });
}

function describeType(
  text: string,
  name = 'thing',
  others: Readonly<Record<string, string>> = {},
  by = ruby,
): RubyTypeDescription {
  by.beginCompile('a test');
  const environment = environmentWith({ [`${TYPES}/${name}.rb`]: text, ...others });
  return by.describeType(name, { path: `/code/${TYPES}/${name}.rb`, text }, callbacksOutside(environment));
}

function failure(body: () => unknown): string {
  try {
    return `no error: ${String(body())}`;
  } catch (error) {
    return error instanceof RubyError ? `${error.rubyClass}: ${error.message}` : String(error);
  }
}

const newtype = (body: string) => `Puppet::Type.newtype(:thing) do\n${body}\nend\n`;
const api = (body: string) => `Puppet::ResourceApi.register_type(name: 'thing', desc: 'x', ${body})\n`;

it.each([
  ["['custom_generate', 'simple_get_filter']", []],
  ["['custom_generate', 'nosuch']", ['Unknown feature detected: ["nosuch"]']],
])('features %s of the Resource API', (features, log) => {
  const attributes = "attributes: { name: { type: 'String', desc: 'n', behaviour: :namevar } }";
  const files = { [`${TYPES}/thing.rb`]: api(`features: ${features}, ${attributes}`) };
  const result = compileSource("thing { 'a': }", { ruby, files });
  expect([result.status, result.status === 'needs' ? [] : result.log.map(({ message }) => message)]).toEqual([
    'ok',
    log,
  ]);
});

describe('describeType', () => {
  it('says what newtype declares', () => {
    const type = describeType(
      newtype(`
  apply_to_all
  @isomorphic = false
  ensurable
  %w[a b].each { |name| newparam(name, namevar: true) }
  newproperty(:size, parent: Puppet::Property::OrderedList)
  provide(:ruby) { }
  def self.title_patterns
    [[/\\A(?<first>[^\\/(]+)\\/(b|c)\\z/mi, [[:a, lambda { |x| x }], [:b]]]]
  end`),
    );
    expect(type).toEqual({
      properties: ['ensure', 'size'],
      parameters: ['a', 'b'],
      namevars: ['a', 'b'],
      titlePatterns: [{ pattern: '(?mi-x:\\A([^\\/(]+)\\/(?:b|c)\\z)', groups: ['a', 'b'], converts: false }],
      titleError: null,
      isomorphic: false,
      applyTo: 'both',
      hasProvider: true,
    });
  });

  it('says what the resource API declares', () => {
    const type = describeType(
      api(`features: ['remote_resource'],
  title_patterns: [{ pattern: %r{^(?<package>.*[^-])-(?<manager>.*)$}, desc: 'both' }],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'x', default: 'present' },
    package: { type: 'String', desc: 'x', behaviour: :namevar },
    manager: { type: 'String', desc: 'x', behavior: :namevar },
    force: { type: 'Boolean', desc: 'x', behaviour: :parameter },
    uid: { type: 'Integer', desc: 'x', behaviour: :read_only },
    mode: { type: 'String', desc: 'x', behaviour: :init_only },
  }`),
    );
    expect(type).toEqual({
      properties: ['ensure', 'mode'],
      parameters: ['package', 'manager', 'force', 'uid'],
      namevars: ['package', 'manager'],
      titlePatterns: [{ pattern: '(?-mix:^(.*[^-])-(.*)$)', groups: ['package', 'manager'], converts: false }],
      titleError: null,
      isomorphic: true,
      applyTo: 'device',
      hasProvider: false,
    });
  });

  it('makes a type ensurable that has the methods for it', () => {
    const type = describeType(newtype('newparam(:name)\ndef exists?; end\ndef create; end\ndef destroy; end'));
    expect(type.properties).toEqual(['ensure']);
  });

  it('loads what the definition requires from modules, by name and by place', () => {
    const type = describeType(
      `require 'puppet_x/m/mixin'\n${newtype("require File.expand_path(File.join(File.dirname(__FILE__), '..', '..', 'puppet_x', 'other'))\nextend PuppetX::M::Mixin\ndeclare")}`,
      'thing',
      {
        'modules/n/lib/puppet_x/m/mixin.rb':
          'module PuppetX; module M; module Mixin\ndef declare; newparam(:key, namevar: true); newproperty(:value); end\nend; end; end',
        'modules/m/lib/puppet_x/other.rb': 'module PuppetX; OTHER = 1; end',
      },
    );
    expect([type.namevars, type.properties]).toEqual([['key'], ['value']]);
  });

  it('tells which attributes titles give converted', () => {
    const type = describeType(
      newtype('newparam(:name)\ndef self.title_patterns\n[[/(.*)/, [[:name, lambda { |x| x.upcase }]]]]\nend'),
    );
    expect(type.titlePatterns.map(({ converts }) => converts)).toEqual([true]);
  });

  it('tells that patterns are lacking', () => {
    const type = describeType(newtype('newparam(:a, namevar: true)\nnewparam(:b, namevar: true)'));
    expect([type.titlePatterns, type.titleError]).toEqual([
      [],
      'you must specify title patterns when there are two or more key attributes',
    ]);
  });

  it('answers a definition that asks for facts as of no certain system', () => {
    const body =
      "newproperty(:size) do\nnewvalues(:a) if Facter.value(:os)['name'].downcase == 'x'\nend\nFacter.value(:kernel) == 'Linux' && newparam(:name) { defaultto(Facter.value(:networking)['domain']) }";
    expect(describeType(newtype(body)).parameters).toEqual(['name']);
  });

  it.each([
    [
      'a type of another name',
      newtype('newparam(:name)').replace(':thing', ':other'),
      "Understudy::NoSuchType: /code/modules/m/lib/puppet/type/thing.rb does not define the resource type 'thing'",
    ],
    [
      'nothing',
      '',
      "Understudy::NoSuchType: /code/modules/m/lib/puppet/type/thing.rb does not define the resource type 'thing'",
    ],
    [
      'an attribute twice',
      newtype('newproperty(:a)\nnewproperty(:a)'),
      'Puppet::DevError: Class thing already has a property named a',
    ],
    [
      'a parameter twice',
      newtype('newparam(:a)\nnewparam(:a)'),
      'Puppet::ConstantAlreadyDefined: Class ParameterA is already defined in Puppet::Type::Thing',
    ],
    ['a library that is not there', `require 'nosuch'\n${newtype('')}`, 'LoadError: cannot load such file -- nosuch'],
    [
      'a reserved attribute',
      api("attributes: { tag: { type: 'String', desc: 'x' } }"),
      'Puppet::DevError: must not define an attribute called `:tag`',
    ],
    ['an attribute without type', api('attributes: { a: { desc: 1 } }'), 'Puppet::DevError: `thing.a` has no type'],
  ])('fails for %s', (_what, text, message) => {
    expect(failure(() => describeType(text))).toBe(message);
  });

  it('fails for an endless loop', () => {
    const hurried = createWasmRuby({ timeLimitMs: 500 });
    const message = 'RubyBroken: Ruby was stopped in thing: it took more than 500 milliseconds';
    expect(failure(() => describeType(newtype('loop {}'), 'thing', {}, hurried))).toBe(message);
    hurried.close();
  });

  it('records every file that the definition loads, the second time as the first', () => {
    const files = {
      [`${TYPES}/thing.rb`]: `require 'puppet_x/a'\n${newtype('newparam(:name)')}`,
      'modules/m/lib/puppet_x/a.rb': "require 'puppet_x/b'",
      'modules/m/lib/puppet_x/b.rb': 'B = 1',
    };
    ruby.beginCompile('a test');
    const read = [1, 2].map(() => {
      const inputs = new Inputs();
      const text = files[`${TYPES}/thing.rb`] ?? '';
      const callbacks = callbacksOutside(environmentWith(files, inputs));
      ruby.describeType('thing', { path: `/code/${TYPES}/thing.rb`, text }, callbacks);
      return Object.keys(inputs.getResult().files).filter((path) => path.includes('puppet_x'));
    });
    const all = ['modules/m/lib/puppet_x/a.rb', 'modules/m/lib/puppet_x/b.rb'];
    expect(read).toEqual([all, all]);
  });
});
