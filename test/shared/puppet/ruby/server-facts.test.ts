import { afterAll, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby({ timeLimitMs: 10_000 });
afterAll(() => ruby.close());

it.each([
  ['Facter.value(:hostname)', 'compile1'],
  ["Facter.value('fqdn')", 'compile1.example.com'],
  ["Facter.value('networking.domain')", 'example.com'],
  ['Facter.fact(:hostname).value', 'compile1'],
])('%s is of the server', (code, value) => {
  const source = `$servername = 'compile1.example.com'\nnotice(inline_template('<%= ${code.replaceAll("'", '"')} %>'))`;
  const result = compileSource(source, { ruby });
  expect(result.status === 'ok' && result.log.map(({ message }) => message)).toEqual([value]);
});

it('other facts of the server are refused', () => {
  const result = compileSource("notice(inline_template('<%= Facter.value(:os) %>'))", { ruby });
  const message = result.status === 'failed' ? result.error.message : result.status;
  expect(message).toContain('Facter.value(os) is not available to the template (erb): the Ruby of modules has no host');
});

it('a template that names a variable without @ gets a hint', () => {
  const result = compileSource("$myvar = 1\nnotice(inline_template('<%= myvr %>'))", { ruby });
  expect(result.status === 'failed' && result.error.message).toMatch(
    /method `myvr' for #<Puppet::.*>\nDid you mean\? {2}@myvar/,
  );
});
