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

  describe.each([
    ['a function', ''],
    ['a function below another one', "call_function('between')\n"],
  ])('and only the first time, and native code is left to Ruby after that, in %s', (_, more) => {
    const files = {
      // Nothing that is done here knows `unpack`.
      ...functionFile('outer', `${more}value = call_function('once', ['a'])\n"#{value}#{'x'.unpack('C').first}"`),
      ...functionFile('between', "call_function('once', ['b'])"),
      ...functionFile('direct', "call_function('once', ['a'])"),
      'lib/puppet/functions/once.rb': `Puppet::Functions.create_function(:once) do
  def once(names)
    catalog = closure_scope.catalog
    unless catalog.instance_variable_defined?(:@told)
      catalog.instance_variable_set(:@told, true)
      Puppet.warning('only once')
    end
    raise Puppet::ParseError, 'no such name' if names == ['wrong']
    names.first
  end
end
`,
    };

    it.each([['outer()'], ['[direct(), outer()][1]'], ['[outer(), direct()][0]']])('logs once: %s', (code) => {
      ruby.beginCompile(`code with ${more}`);
      const result = compileSource(code, { files, ruby });
      if (result.status !== 'ok') throw new Error(JSON.stringify(result));
      expect(result.lastValue).toBe('a120');
      expect(result.log.map(({ message }) => message)).toEqual(['only once']);
    });
  });

  it('logs before its error, which the code above it rescues', () => {
    ruby.beginCompile('code that fails');
    const files = {
      ...functionFile('rescues', "call_function('fails')\nrescue Puppet::ParseError => e\n  e.message"),
      ...functionFile(
        'fails',
        `catalog = closure_scope.catalog
        Puppet.warning('fails once') unless catalog.instance_variable_defined?(:@failed)
        catalog.instance_variable_set(:@failed, true)
        raise Puppet::ParseError, 'no'`,
      ),
    };
    const result = compileSource('rescues()', { files, ruby });
    if (result.status !== 'ok') throw new Error(JSON.stringify(result));
    expect(result.lastValue).toBe('no');
    expect(result.log.map(({ message }) => message)).toEqual(['fails once']);
  });
});
