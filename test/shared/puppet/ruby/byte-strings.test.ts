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
