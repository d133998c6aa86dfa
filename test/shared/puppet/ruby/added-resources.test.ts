import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby();
beforeEach(() => ruby.beginCompile('code'));
afterAll(() => ruby.close());

const MADE = { type: 'Notify', title: 'made', exported: false, kind: 'compilable_type' };
const IN_CLASS = { source: 'Class[P]', target: 'Notify[made]' };
const COMPILER = 'compiler.add_resource(self, r)';
const CATALOG = 'catalog.add_resource(r)';

/** What Puppet 8 makes of a resource that a function adds in a class. */
const ADDED: readonly (readonly [code: string, resource: object, edges: readonly object[]])[] = [
  [COMPILER, { ...MADE, tags: ['notify', 'made', 'class', 'p', 'mine'], parameters: { noop: true } }, [IN_CLASS]],
  [CATALOG, { ...MADE, tags: ['notify', 'made'], parameters: { noop: true } }, []],
  [
    `r.file = '/x.pp'; r.line = 7; ${COMPILER}`,
    { ...MADE, tags: ['notify', 'made', 'class', 'p', 'mine'], file: '/x.pp', line: 7, parameters: { noop: true } },
    [IN_CLASS],
  ],
  [
    `r.tag('early'); ${CATALOG}; r[:message] = 'later'; r.tag('late')`,
    { ...MADE, tags: ['notify', 'made', 'early', 'late'], parameters: { noop: true, message: 'later' } },
    [],
  ],
];

function compileWith(code: string, source = 'include p') {
  const files = {
    'lib/puppet/parser/functions/add.rb': `module Puppet::Parser::Functions
      newfunction(:add) do |args|
        r = Puppet::Parser::Resource.new('notify', 'made', :scope => self, :source => source)
        ${code}
      end
    end`,
    'modules/p/manifests/init.pp': "class p {\n  tag('mine')\n  Notify { noop => true }\n  add()\n}",
  };
  return compileSource(source, { certname: 'web1.example.com', files, ruby });
}

describe('a resource that a function adds', () => {
  it.each(ADDED)('is as in Puppet: %s', (code, resource, edges) => {
    const result = compileWith(code);
    if (result.status !== 'ok') throw new Error(JSON.stringify(result));
    const catalog: { resources: { title: string }[]; edges: { target: string }[] } = JSON.parse(result.catalog);
    expect(catalog.resources.find(({ title }) => title === 'made')).toEqual(resource);
    expect(catalog.edges.filter(({ target }) => target === 'Notify[made]')).toEqual(edges);
  });

  it('cannot have the name of another', () => {
    const result = compileWith(CATALOG, "notify { 'made': }\ninclude p");
    const place = '(file: /code/environments/production/modules/p/manifests/init.pp, line: 4, column: 3)';
    expect(result.status === 'failed' ? result.error.message : result.status).toBe(
      `Evaluation Error: Error while evaluating a Function Call, Duplicate declaration: Notify[made] is already declared at (line: 1); cannot redeclare ${place} on node web1.example.com`,
    );
  });
});
