import { afterAll, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby();
afterAll(() => ruby.close());

const legacy = (name: string, body: string) => ({
  [`modules/m/lib/puppet/parser/functions/${name}.rb`]: `module Puppet::Parser::Functions
  newfunction(:${name}, :type => :rvalue) do |args|
    ENV.key?('x')
    ${body}
  end
end
`,
});

it('a reference to a resource of a module’s type crosses to Ruby and back more than once', () => {
  ruby.beginCompile('code');
  const files = {
    ...legacy('outer', "function_inner([{ 'require' => args[0] }])"),
    ...legacy('inner', "args[0]['require']"),
    'modules/m/manifests/thing.pp': 'define m::thing { }',
  };
  const code = "$r = outer(M::Thing['a b']) [$r, type($r), $r == M::Thing['a b']]";
  const result = compileSource(`m::thing { 'a b': } ${code}`, { files, ruby });
  expect(result.status === 'ok' ? String(result.lastValue) : result).toBe("M::Thing[a b],Type[M::Thing['a b']],true");
});
