import { afterAll, describe, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby();
afterAll(() => ruby.close());

const functionFile = (name: string, body: string) => ({
  [`lib/puppet/functions/${name}.rb`]: `Puppet::Functions.create_function(:${name}) do\n  def ${name}\n${body}\n  end\nend\n`,
});

describe('Ruby code that logs while native code waits for it', () => {
  it('runs to its end, and finds what it attached to the catalog', () => {
    ruby.beginCompile('code');
    const files = {
      ...functionFile('attached', "call_function('attach')\nclosure_scope.find_global_scope.catalog.kept"),
      ...functionFile(
        'attach',
        `catalog = closure_scope.find_global_scope.catalog
        unless catalog.respond_to?(:kept)
          catalog.instance_eval("def kept = @kept")
          Puppet.debug('attaches')
          catalog.instance_variable_set(:@kept, 'one')
        end`,
      ),
    };
    const result = compileSource('attached()', { files, ruby });
    expect(result.status === 'ok' ? result.lastValue : result).toBe('one');
  });

  it('logs once, after the lines before it', () => {
    ruby.beginCompile('code');
    const files = {
      ...functionFile('outer', "call_function('warning', 'first')\ncall_function('inner') + '!'"),
      ...functionFile('inner', "Puppet.warning('second')\nENV.key?('x') ? 'x' : 'y'"),
    };
    const result = compileSource('outer()', { files, ruby });
    if (result.status !== 'ok') throw new Error(JSON.stringify(result));
    expect(result.lastValue).toBe('y!');
    expect(result.log.map(({ message }) => message)).toEqual(['first', 'second']);
  });
});
