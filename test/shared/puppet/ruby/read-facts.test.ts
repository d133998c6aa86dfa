/**
 * What Ruby code of modules reads of facts, however it comes by them, is an input of the catalog:
 * that, and no more.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const hosts = [
  ['wasm', createWasmRuby({ rendersAll: true })],
  ['process', createProcessRuby({ rendersAll: true, env: { PATH: process.env.PATH ?? '' } })],
  ['wasm, or none', createWasmRuby()],
] as const;
afterAll(() => {
  for (const [, ruby] of hosts) ruby.close();
});

const FACTS = PuppetHash.of([
  [
    'os',
    PuppetHash.of([
      ['family', 'Debian'],
      ['name', 'Debian'],
    ]),
  ],
  ['uptime', 5n],
]);

const ALWAYS: readonly string[] = ['["name"]', '["title"]'];

/** The message of the notify that `code` is the value of, and the facts that the compile read. */
function compiled(ruby: (typeof hosts)[number][1], code: string, files: Readonly<Record<string, string>>) {
  const inputs = new Inputs();
  ruby.beginCompile('code');
  const manifest = `notify { 'n': message => ${code} }`;
  const result = compileSource(manifest, { files, ruby, facts: inputs.recordFacts(FACTS), inputs });
  if (result.status !== 'ok') throw new Error(JSON.stringify(result));
  const catalog: { resources: { type: string; parameters?: { message?: unknown } }[] } = JSON.parse(result.catalog);
  const message = catalog.resources.find(({ type }) => type === 'Notify')?.parameters?.message;
  return { message, read: Object.keys(inputs.getResult().facts).filter((path) => !ALWAYS.includes(path)) };
}

function functionFile(body: string, before = '', more = ''): Readonly<Record<string, string>> {
  const text = `${before}\nPuppet::Functions.create_function(:f) do
  dispatch(:f) { optional_param 'Any', :arg }
  ${more}
  def f(arg = nil)
    ${body}
  end
end`;
  return { 'modules/m/lib/puppet/functions/f.rb': text };
}

const FAMILY = ['["os","family"]'];
const scoped = "closure_scope['facts']['os']['family']";

describe.each(hosts)('with Ruby in the host %s', (_, ruby) => {
  it.each([
    ['facts of its scope', 'f()', `OpenStruct.new(a: ${scoped}).a`, FAMILY],
    ['a hash of facts of its scope', 'f()', "OpenStruct.new(a: closure_scope['os']['family']).a", FAMILY],
    ['facts that it is given', 'f($facts)', "OpenStruct.new(a: arg['os']['family']).a", FAMILY],
    ['a hash of facts that it is given', 'f([$facts["os"]])', "OpenStruct.new(a: arg[0].fetch('family')).a", FAMILY],
    ['facts in a hash', 'f({ a => $facts })', "arg['b'] = 1; OpenStruct.new(a: arg['a']['os']['family']).a", FAMILY],
    [
      'facts that another function gives',
      'f()',
      "OpenStruct.new(a: call_function('getvar', 'facts.os')).a['family']",
      FAMILY,
    ],
    ['variables', 'f()', "OpenStruct.new(a: closure_scope.to_hash['os']).a['family']", FAMILY],
    [
      'whether there is a variable',
      'f()',
      "OpenStruct.new(a: closure_scope.to_hash).a.key?('no').to_s + 'Debian'[9..].to_s",
      ['["no"]'],
    ],
  ])('a function reads %s', (_what, code, body, expected) => {
    const { message, read } = compiled(ruby, code, functionFile(body));
    expect(message).toBe(expected === FAMILY ? 'Debian' : 'false');
    expect(read).toEqual(expected);
  });

  it('facts that a function gives back are read by who looks at them', () => {
    const files = functionFile("OpenStruct.new(a: closure_scope['facts']).a");
    expect(compiled(ruby, 'f()["os"]["name"]', files)).toEqual({ message: 'Debian', read: ['["os","name"]'] });
  });

  it('facts that a function keeps for its next call are the same then', () => {
    const body =
      "@kept ||= OpenStruct.new(a: closure_scope['facts'], b: closure_scope.to_hash); [arg, @kept.a['os']['family'], @kept.b.key?('uptime')].join(' ')";
    const code = '[f(1), f(2)].join(" ")';
    expect(compiled(ruby, code, functionFile(body))).toEqual({
      message: '1 Debian true 2 Debian true',
      read: ['["os","family"]', '["uptime"]'],
    });
  });

  it('variables are those that there were, also behind more lists than are kept', () => {
    const body = `all = OpenStruct.new(a: closure_scope.to_hash).a
    70.times { |index| closure_scope["v#{index}"] = index; closure_scope.to_hash.key?('v1') }
    [all.key?('none'), closure_scope.to_hash['v69']].join(' ')`;
    expect(compiled(ruby, 'f()', functionFile(body)).message).toBe('false 69');
  });

  it.each([
    ['spreads them', functionFile("{ **OpenStruct.new(a: closure_scope['facts']).a }['os']['family']")],
    ['spreads a part of them', functionFile("{ **OpenStruct.new(a: closure_scope['facts']['os']).a }['family']")],
    [
      'gives them to a library that does',
      {
        ...functionFile(
          "Spreading.merge(closure_scope['facts'])['os']['family']",
          "require_relative '../../puppet_x/m/spreading'",
        ),
        'modules/m/lib/puppet_x/m/spreading.rb': 'module Spreading\n  def self.merge(hash) = { **hash }\nend',
      },
    ],
  ])('a function that %s has them', (_what, files) => {
    const { message, read } = compiled(ruby, 'f()', files);
    expect(message).toBe('Debian');
    expect(read).toEqual(['[]']);
  });

  it('code that reads facts when it is loaded is loaded again where they are others', () => {
    const files = functionFile('LOADED', '', "LOADED = Puppet::Parser::Scope.new['facts']['os']['family']");
    expect(compiled(ruby, 'f()', files).message).toBe('Debian');
    const inputs = new Inputs();
    ruby.beginCompile('code');
    const facts = inputs.recordFacts(PuppetHash.of([['os', PuppetHash.of([['family', 'RedHat']])]]));
    const result = compileSource("notify { 'n': message => f() }", { files, ruby, facts, inputs });
    expect(JSON.stringify(result)).toContain('RedHat');
  });
});
