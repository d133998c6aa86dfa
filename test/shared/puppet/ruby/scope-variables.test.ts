import { afterAll, describe, expect, it } from 'vitest';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { catalogOf } from '../../../helpers/compile-source.ts';

const hosts = [
  ['wasm', createWasmRuby({ rendersAll: true })],
  ['process', createProcessRuby({ rendersAll: true, env: { PATH: process.env.PATH ?? '' } })],
] as const;
afterAll(() => {
  for (const [, ruby] of hosts) ruby.close();
});

const ASKS = "<% hash = scope.to_hash %><%= hash.has_key?('x') %> <%= hash.key?('y') %> <%= hash['x'].inspect %>";

const files = {
  'modules/m/manifests/has.pp': "class m::has { $x = 'of has' notify { 'has': message => template('m/asks.erb') } }",
  'modules/m/manifests/lacks.pp': "class m::lacks { $y = 1 notify { 'lacks': message => template('m/asks.erb') } }",
  'modules/m/manifests/outer.pp': `class m::outer {
  $y = 1
  notify { 'outer': message => template('m/outer.erb') }
}`,
  'modules/m/manifests/grows.pp': `class m::grows {
  $before = template('m/asks.erb')
  $x = 'later'
  notify { 'grows': message => "\${before}, then \${template('m/asks.erb')}" }
}`,
  'modules/m/templates/asks.erb': ASKS,
  'modules/m/templates/outer.erb': `${ASKS}, <% scope.call_function('include', ['m::has']) %>${ASKS}`,
};

function messages(code: string, ruby: (typeof hosts)[number][1]): Readonly<Record<string, unknown>> {
  const resources = catalogOf(code, { files, ruby }).resources.filter(({ type }) => type === 'Notify');
  return Object.fromEntries(resources.map(({ title, parameters }) => [title, parameters?.message]));
}

describe.each(hosts)('the variables of a scope, in the host %s', (_, ruby) => {
  const [has, lacks] = ['true false "of has"', 'false true nil'];

  it.each([
    ['include m::has include m::lacks', { has, lacks }],
    ['include m::lacks include m::has', { lacks, has }],
  ])('are those of the template that asks: %s', (code, expected) => {
    expect(messages(code, ruby)).toEqual(expected);
  });

  it('are those of the same scope when it has got more', () => {
    expect(messages('include m::grows', ruby)).toEqual({ grows: 'false false nil, then true false "later"' });
  });

  it('are the own ones again when another template was rendered in the middle', () => {
    expect(messages('include m::outer', ruby)).toEqual({ has, outer: `${lacks}, ${lacks}` });
  });
});
