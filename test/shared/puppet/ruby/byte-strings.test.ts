/** Texts in Ruby's binary encoding cross the border with it, whichever Ruby is behind it. */
import { afterAll, describe, expect, it } from 'vitest';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';
import { type JudgedCase, readJudgedCases } from '../../../helpers/judged-cases.ts';

interface CatalogResource {
  readonly type: string;
  readonly title: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

const fixture = readJudgedCases('bytes.json');
const OF_RUBY = /^bytes-(?:function|legacy|ruby|template)/;
const cases = fixture.cases.filter(({ id, outcome }) => OF_RUBY.test(id) && outcome.status === 'ok');

const hosts = [
  ['WebAssembly', createWasmRuby()],
  ['WebAssembly without native runs', createWasmRuby({ rendersAll: true })],
  ['a process', createProcessRuby({ rendersAll: true, env: { PATH: process.env.PATH ?? '' } })],
] as const;
afterAll(() => {
  for (const [, ruby] of hosts) ruby.close();
});

function messagesOf(catalog: string): unknown {
  const { resources }: { readonly resources: readonly CatalogResource[] } = JSON.parse(catalog);
  return resources.filter(({ type }) => type === 'Notify').map(({ title, parameters }) => [title, parameters]);
}

describe.each(hosts)('in %s', (_, ruby) => {
  it.each(cases.map((judged): [string, JudgedCase] => [judged.id, judged]))('%s is what Puppet has', (_id, judged) => {
    const files = Object.entries({ ...fixture.files, ...judged.files }).map(
      ([path, text]) => [path.replace(/^env\//, ''), text] as const,
    );
    const result = compileSource(judged.source, { ruby, files: Object.fromEntries(files) });
    if (result.status !== 'ok') throw result.status === 'failed' ? result.error : new Error(result.status);
    expect(messagesOf(result.catalog)).toEqual(messagesOf(JSON.stringify(judged.outcome.catalog)));
  });
});

const BROKEN = {
  'modules/m/files/latin1': Buffer.from('caf\xe9\n', 'latin1'),
  'modules/m/templates/l.erb': Buffer.from('caf\xe9 <%= 1+1 %>\n', 'latin1'),
  'modules/m/lib/puppet/functions/m/parts.rb':
    'Puppet::Functions.create_function(:"m::parts") do\n' +
    '  def parts(text)\n    [text.encoding.name, text.valid_encoding?, text.length, text.b, text + "x"]\n  end\nend\n',
};

// Recorded from Puppet 8.10.
describe.each(hosts)('a text that is no UTF-8 in %s', (_, ruby) => {
  it.each([
    ["md5(template('m/l.erb'))", '125b12a7fd91b7f862fa8d74fe59c7ce'],
    ["template('m/l.erb').length", '7'],
    [`inline_template("<%= scope.function_file(['m/latin1']).bytesize %>")`, '5'],
    ["inline_template('<%= @x.valid_encoding? %><%= @x.encoding %> <%= @x.length %>')", 'falseUTF-8 5'],
    ['inline_template(\'<%= @x.unpack1("H*") %>\')', '636166e90a'],
    [`inline_template('<%= "a" + @x %>').length`, '6'],
    [`md5(inline_template('<%= @x %>'))`, '70941b2a2a6a84556c97b2a3220ef4be'],
    ['m::parts($x)[0]', 'UTF-8'],
    ['m::parts($x)[1]', 'false'],
    ['m::parts($x)[3].length', '5'],
    ['md5(m::parts($x)[3])', '70941b2a2a6a84556c97b2a3220ef4be'],
    ['m::parts($x)[4].length', '6'],
  ])('%s', (code, expected) => {
    const result = compileSource(`$x = file('m/latin1') notice(${code})`, { ruby, files: BROKEN });
    if (result.status !== 'ok') throw result.status === 'failed' ? result.error : new Error(result.status);
    expect(result.log.map(({ message }) => message)).toEqual([expected]);
  });

  it('cannot be in a catalog', () => {
    const code = `notify { a: message => inline_template('<%= "caf\\xE9".dup.force_encoding("UTF-8") %>') }`;
    const result = compileSource(code, { ruby });
    if (result.status !== 'failed') expect.unreachable();
    expect(result.error.basic).toBe('Could not render to rich_data_json: partial character in source, but hit end');
  });
});
