import { afterAll, describe, expect, it } from 'vitest';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { catalogOf, compileSource } from '../../../helpers/compile-source.ts';

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

describe.each(hosts)('a variable that is not set, in the host %s', (name, ruby) => {
  const code = (body: string): string => `Puppet::Functions.create_function(:asks) do
  def asks
    scope = closure_scope
    ${body}
  end
end
`;
  const compiled = (body: string, strict: 'warning' | 'error') => {
    ruby.beginCompile(`${name} ${body}`);
    const more = {
      'lib/puppet/functions/asks.rb': code(body),
      'modules/m/templates/missing.erb': "<%= scope['missing'].inspect %>",
      'modules/m/manifests/later.pp': 'class m::later { $x = 1 }',
    };
    const result = compileSource('asks()', { files: more, ruby, settings: { strict } });
    if (result.status === 'failed') return [result.error.message];
    if (result.status !== 'ok') throw new Error(result.status);
    return [result.lastValue, ...result.log.map(({ message }) => message)];
  };
  const UNDEFINED =
    "Evaluation Error: Error while evaluating a Function Call, Undefined variable 'missing';  (line: 1, column: 1) on node node.example.com";
  const warning = (what: string) => `Undefined variable '${what}'; \n   (file & line not available)`;

  it.each<[body: string, warned: readonly unknown[], strict: readonly unknown[]]>([
    ["catch(:undefined_variable) { scope['missing'] ; 'found' }", [null], [null]],
    [
      "catch(:undefined_variable) { scope.lookupvar('m::later::x') ; 'found' }",
      ['class m::later has not been evaluated'],
      ['class m::later has not been evaluated'],
    ],
    [
      "catch(:undefined_variable) { scope.lookupvar('::no::x') ; 'found' }",
      ['class no could not be found'],
      ['class no could not be found'],
    ],
    [
      "[catch(:undefined_variable) { call_function('template', 'm/missing.erb') }, 1.+(1), call_function('md5', 'x')[0]]",
      [[null, 2n, '9']],
      [[null, 2n, '9']],
    ],
    [
      "[scope['missing'], call_function('template', 'm/missing.erb')]",
      [[null, 'nil'], warning('missing')],
      [UNDEFINED],
    ],
    [
      "was = Puppet[:strict]; Puppet[:strict] = :off; found = [scope['missing'], Puppet[:strict].to_s]; Puppet[:strict] = was; found",
      [[null, 'off']],
      [[null, 'off']],
    ],
  ])('%s', (body, warned, strict) => {
    expect(compiled(body, 'warning')).toEqual(warned);
    expect(compiled(body, 'error')).toEqual(strict);
  });
});
