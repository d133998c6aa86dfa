/** Types as templates see them. The texts are those of Puppet 7.23; Puppet 8 has the same. */
import { afterAll, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { catalogOf } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby({ rendersAll: true });
afterAll(() => ruby.close());

it.each([
  ["Enum['b', 'a']", '<% @t.each do |x| %><%= x %>,<% end %>', 'a,b,'],
  ["Enum['b', 'a']", '<%= @t.values.inspect %> <%= @t.respond_to?(:each) %>', '["a", "b"] true'],
  ['Tuple[String, Integer]', "<%= @t.map { |x| x.to_s }.join('-') %> <%= @t.types.size %>", 'String-Integer 2'],
  ['Variant[String, Integer]', "<%= @t.map(&:to_s).join('-') %>", 'String-Integer'],
  ['Integer[1, 3]', '<% @t.each { |x| %><%= x %>,<% } %><%= @t.from %>', '1,2,3,1'],
])('%s and an alias of it render %s as %s', (type, template, expected) => {
  const code = `type Alias = ${type}
    [${type}, Alias].each |$index, $t| {
      notify { "of ${'$'}{index}": message => inline_template(${JSON.stringify(template)}) }
    }`;
  const { resources } = catalogOf(code, { ruby });
  const messages = resources.filter((one) => one.type === 'Notify').map(({ parameters }) => parameters?.message);
  expect(messages).toEqual([expected, expected]);
});
