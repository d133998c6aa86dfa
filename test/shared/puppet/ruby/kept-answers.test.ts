import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { KeptAnswers } from '../../../../shared/puppet/ruby/kept-answers.ts';
import { ObjectTable } from '../../../../shared/puppet/ruby/object-table.ts';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { Sensitive } from '../../../../shared/puppet/types/values/values.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ENTRIES = 57;
const LOOKUPS = 600;
const DATA = Array.from(
  { length: ENTRIES },
  (_, i) =>
    `"k${i}":\n  re: !ruby/regexp '/^node${i}\\d+$/'\n  list: ["a${i}", b]\n  nested: { k: { l: [x, "y${i}"] } }\n`,
).join('');

const backend = (name: string, body: string): Readonly<Record<string, string>> => ({
  [`modules/m/lib/puppet/functions/m/${name}.rb`]: `require 'yaml'
Puppet::Functions.create_function(:'m::${name}') do
  dispatch :${name} do
    param 'String', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
  def ${name}(key, options, context)
    data = context.cached_file_data(options['path']) { |text| YAML.safe_load(text, permitted_classes: [Regexp]) }
    ${body}
  end
end
`,
});
const files = {
  'hiera.yaml': `version: 5
hierarchy:
  - { name: finds, lookup_key: 'm::finds', path: big.yaml, datadir: data }
  - { name: counts, lookup_key: 'm::counts', path: small.yaml, datadir: data }
  - { name: shows, lookup_key: 'm::shows', path: small.yaml, datadir: data }
`,
  'data/big.yaml': DATA,
  'data/small.yaml': 'calls: [0]\n',
  ...backend(
    'finds',
    'found = data.find { |name, _| "x::#{name}" == key }\n    found ? found[1][\'nested\'] : context.not_found',
  ),
  ...backend(
    'counts',
    "context.not_found unless key.start_with?('x::count')\n    data['calls'] << data['calls'].last + 1\n    data['calls'].last",
  ),
  ...backend('shows', "key == 'x::shown' ? data['calls'].join(',') : context.not_found"),
};

const RUBIES = [
  ['WebAssembly', createWasmRuby({ rendersAll: true })],
  ['a process', createProcessRuby({ env: { PATH: process.env.PATH ?? '' }, rendersAll: true })],
] as const;
afterAll(() => {
  for (const [, ruby] of RUBIES) ruby.close();
});

describe.each(RUBIES)('what a backend of Hiera makes of a file, in %s', (_, ruby) => {
  beforeEach(() => ruby.beginCompile('code'));

  function compileValue(code: string, more: Readonly<Record<string, string>> = {}, inputs = new Inputs()): unknown {
    const result = compileSource(code, { files: { ...files, ...more }, ruby, inputs });
    if (result.status !== 'ok') throw new Error(JSON.stringify(result));
    return result.lastValue;
  }

  it('is there for any number of lookups, crosses once, and is an input', () => {
    const print = vi.spyOn(KeptAnswers.prototype, 'print');
    const inputs = new Inputs();
    const missed = `$missed = Integer[1, ${LOOKUPS}].map |$i| { lookup("x::none\${i}", default_value => 1) }`;
    expect(compileValue(`${missed}\n[$missed.length, lookup('x::k3')['k']['l'][1]]`, {}, inputs)).toEqual([
      BigInt(LOOKUPS),
      'y3',
    ]);
    const answers = print.mock.results.map(({ value }) => String(value));
    print.mockRestore();
    const large = answers.filter((answer) => answer.length > 100);
    expect(answers.length).toBeGreaterThan(3 * LOOKUPS);
    expect(large).toHaveLength(1);
    expect(Object.keys(inputs.getResult().files)).toContain('environments/production/data/big.yaml');
  });

  it('is what code changed it to', () => {
    const counts = `[1, 2, 3].map |$i| { lookup("x::count\${i}") }`;
    expect(compileValue(`$counts = ${counts}\n[$counts, lookup('x::shown')]`)).toEqual([[1n, 2n, 3n], '0,1,2,3']);
  });

  it('is of the compile', () => {
    expect(compileValue("[lookup('x::count'), lookup('x::count2')]")).toEqual([1n, 2n]);
    ruby.beginCompile('code');
    expect(compileValue("lookup('x::count')", { 'data/small.yaml': 'calls: [7]\n' })).toBe(8n);
  });
});

describe('an answer that Ruby keeps', () => {
  const hash = (list: bigint[]): PuppetHash => PuppetHash.of([['list', list]]);

  it('crosses again when it is another one, or Ruby has none', () => {
    const kept = new KeptAnswers();
    const first = hash([1n]);
    const print = (value: PuppetHash, has: bigint | null) => kept.print('a', has, value, new ObjectTable());
    expect(print(first, null)).toBe('{"$a":1,"v":{"$n":0,"e":2,"v":{"list":[1]}}}');
    expect(print(first, 1n)).toBe('{"$a":1,"$n":0,"e":2}');
    expect(print(hash([1n]), 1n)).toBe('{"$a":1,"$n":0,"e":2}');
    expect(print(hash([2n]), 1n)).toBe('{"$a":2,"v":{"$n":0,"e":2,"v":{"list":[2]}}}');
    expect(print(hash([2n]), 1n)).toBe('{"$a":3,"v":{"$n":0,"e":2,"v":{"list":[2]}}}');
    expect(print(hash([2n]), null)).toBe('{"$a":4,"v":{"$n":0,"e":2,"v":{"list":[2]}}}');
    kept.clear();
    expect(print(hash([2n]), 4n)).toBe('{"$a":1,"v":{"$n":0,"e":2,"v":{"list":[2]}}}');
  });

  it('has the numbers of the request, in which it may have crossed', () => {
    const [kept, objects] = [new KeptAnswers(), new ObjectTable()];
    const [first, other] = [hash([1n]), hash([1n])];
    kept.print('a', null, first, objects);
    expect(kept.print('a', 1n, first, objects)).toBe('{"$r":0}');
    expect(kept.print('a', 1n, other, objects)).toBe('{"$a":1,"$n":2,"e":4}');
  });

  it('is no text, and nothing that refers to what else has crossed', () => {
    const [kept, objects] = [new KeptAnswers(), new ObjectTable()];
    expect(kept.print('a', null, 'text', objects)).toBe('"text"');
    expect(kept.print('a', null, new Sensitive('text'), objects)).toBe('{"$t":"Sensitive","v":"text"}');
    const list = [1n];
    kept.print('b', null, list, objects);
    expect(kept.print('a', null, hash(list), objects)).toBe('{"$n":1,"e":2,"v":{"list":{"$r":0}}}');
  });
});
