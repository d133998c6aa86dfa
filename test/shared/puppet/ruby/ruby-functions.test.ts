import { describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import type { RubyCallbacks } from '../../../../shared/puppet/evaluator/ruby-callbacks.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';
import { compileSource, errorOf, type SourceOptions } from '../../../helpers/compile-source.ts';
import { type Block, type FakeRubyCode, fakeRuby, rubyError } from '../../../helpers/fake-ruby.ts';

const FUNCTION = 'modules/m/lib/puppet/functions';
const LEGACY = 'modules/m/lib/puppet/parser/functions';
const PLACE = '(line: 1, column: 1) on node node.example.com';

function lastValue(code: string, options: SourceOptions): unknown {
  const result = compileSource(code, options);
  if (result.status !== 'ok') throw new Error(JSON.stringify(result));
  return result.lastValue;
}

function withRuby(code: FakeRubyCode, paths: readonly string[]): SourceOptions {
  return { ruby: fakeRuby(code), files: Object.fromEntries(paths.map((path) => [path, 'ruby'])) };
}

const required = (type: string, name = 'x') => ({ kind: 'required', type, name }) as const;

describe('functions of the 4.x API', () => {
  it.each([
    ['f', `${FUNCTION}/f.rb`],
    ['f', 'lib/puppet/functions/f.rb'],
    ['m::a::f', `${FUNCTION}/m/a/f.rb`],
    ['environment::f', 'lib/puppet/functions/environment/f.rb'],
  ])('finds %s in %s', (name, path) => {
    const functions = { [name]: { dispatches: [{ parameters: [required('Integer')] }], body: () => 'ruby' } };
    expect(lastValue(`${name}(1)`, withRuby({ functions }, [path]))).toBe('ruby');
  });

  it('prefers built-in functions, and the 4.x API to the 3.x one', () => {
    const code: FakeRubyCode = {
      functions: {
        abs: { dispatches: [{ parameters: [required('Integer')] }], body: () => 0n },
        f: { dispatches: [{}], body: () => 'typed' },
      },
      legacy: { f: { type: 'rvalue', arity: 0, body: () => 'legacy' } },
    };
    const options = withRuby(code, [`${FUNCTION}/abs.rb`, `${FUNCTION}/f.rb`, `${LEGACY}/f.rb`]);
    expect(lastValue('[abs(-1), f()]', options)).toEqual([1n, 'typed']);
  });

  it('prefers them in a module to functions in Puppet of the same name', () => {
    const functions = { 'm::f': { dispatches: [{}], body: () => 'ruby' } };
    const options = withRuby({ functions }, [`${FUNCTION}/m/f.rb`]);
    const files = {
      ...options.files,
      'modules/m/functions/f.pp': "function m::f() { 'puppet' }",
      'modules/m/functions/g.pp': "function m::g() { 'puppet' }",
    };
    expect(lastValue('[m::f(), m::g()]', { ...options, files })).toEqual(['ruby', 'puppet']);
  });

  it('calls the first dispatch that fits, with types of the function and of modules', () => {
    const functions = {
      f: {
        dispatches: [
          { method: 'small', parameters: [required('Small')] },
          { method: 'path', parameters: [required('M::Path')] },
        ],
        localTypes: ['Small = Integer[0, 9]'],
        body: (method: string) => method,
      },
    };
    const options = withRuby({ functions }, [`${FUNCTION}/f.rb`]);
    const files = { ...options.files, 'modules/m/types/path.pp': 'type M::Path = Pattern[/^\\//]' };
    expect(lastValue("[f(5), f('/x')]", { ...options, files })).toEqual(['small', 'path']);
    expect(errorOf('f(10)', { ...options, files })).toBe(
      `Evaluation Error: Error while evaluating a Function Call, 'f' parameter 'x' expects a value of type Small = Integer[0, 9] or M::Path = Pattern[/^\\//], got Integer[10, 10] ${PLACE}`,
    );
  });

  it('lets argument_mismatch handlers word the error', () => {
    const functions = {
      f: {
        dispatches: [
          { parameters: [required('Integer')] },
          { method: 'wrong', parameters: [required('Any')], isMismatch: true },
        ],
        body: (method: string) => (method === 'wrong' ? 'wants a number' : null),
      },
    };
    expect(errorOf("f('x')", withRuby({ functions }, [`${FUNCTION}/f.rb`]))).toBe(
      `Evaluation Error: Error while evaluating a Function Call, 'f' wants a number ${PLACE}`,
    );
  });

  it('checks what a dispatch says it returns', () => {
    const functions = { f: { dispatches: [{ method: 'm', returns: 'String' }], body: () => 1n } };
    expect(errorOf('f()', withRuby({ functions }, [`${FUNCTION}/f.rb`]))).toBe(
      `Evaluation Error: Error while evaluating a Function Call, value returned from function 'm' has wrong type, expects a String value, got Integer ${PLACE}`,
    );
  });

  it('calls functions and lambdas of the compile', () => {
    const block = { name: 'block', type: 'Callable[1, 1]', isOptional: false };
    const functions = {
      f: {
        dispatches: [{ parameters: [required('Integer')], block }],
        body: (_method: string, [x = null]: readonly Value[], lambda: Block) =>
          lambda?.([BigInt(String(x)) * 2n]) ?? null,
      },
      g: {
        dispatches: [{}],
        body: (_method: string, _args: readonly Value[], _block: Block, callbacks: RubyCallbacks) =>
          callbacks.callFunction('map', [[1n, 2n]], ([x = null]) => BigInt(String(x)) + 1n, null),
      },
    };
    const options = withRuby({ functions }, [`${FUNCTION}/f.rb`, `${FUNCTION}/g.rb`]);
    expect(lastValue('[f(2) |$x| { $x + 1 }, g()]', options)).toEqual([5n, [2n, 3n]]);
    expect(lastValue('[1, 2].map |$y| { if $y == 1 { f(2) |$x| { next(9) } } else { $y } }', options)).toEqual([
      9n,
      2n,
    ]);
    expect(lastValue('[1, 2].map |$y| { f(2) |$x| { break() } }', options)).toEqual([]);
  });

  it('calls functions in the top scope where Ruby code asks for that', () => {
    const functions = {
      f: {
        dispatches: [{}],
        body: (_method: string, _args: readonly Value[], _block: Block, callbacks: RubyCallbacks) => {
          callbacks.callFunction('include', ['c'], null, '');
          return [null, ''].map((where) => callbacks.getVariable('x', false, where) ?? null);
        },
      },
    };
    const code = `
      class c { notify { 'c': } }
      class d { $x = 'inner' notify { 'd': message => f() } }
      $x = 'top'
      include d`;
    const result = compileSource(code, withRuby({ functions }, [`${FUNCTION}/f.rb`]));
    const { edges, resources } = JSON.parse(result.status === 'ok' ? result.catalog : '{}');
    expect(edges).toContainEqual({ source: 'Stage[main]', target: 'Class[C]' });
    expect(resources).toContainEqual(
      expect.objectContaining({ title: 'd', parameters: { message: ['inner', 'top'] } }),
    );
  });

  it('tells errors of Ruby code as Puppet does, and passes on those of Puppet code', () => {
    const functions = {
      f: {
        dispatches: [{}],
        body: () => {
          throw rubyError('it broke');
        },
      },
      g: {
        dispatches: [{}],
        body: (_method: string, _args: readonly Value[], _block: Block, callbacks: RubyCallbacks) =>
          callbacks.callFunction('fail', ['failed'], null, null),
      },
      h: {
        dispatches: [{}],
        body: (_method: string, _args: readonly Value[], _block: Block, callbacks: RubyCallbacks) =>
          callbacks.callFunction('nowhere', [], null, null, true),
      },
    };
    const options = withRuby(
      { functions },
      ['f', 'g', 'h'].map((name) => `${FUNCTION}/${name}.rb`),
    );
    const failure = 'Evaluation Error: Error while evaluating a Function Call,';
    expect(errorOf('f()', options)).toBe(`${failure} it broke ${PLACE}`);
    expect(errorOf('g()', options)).toBe(`${failure} failed ${PLACE}`);
    expect(errorOf('h()', options)).toBe(`${failure} Function h(): Unknown function: 'nowhere' ${PLACE}`);
  });

  it('records the files and facts that were read', () => {
    const inputs = new Inputs();
    const functions = {
      f: {
        dispatches: [{}],
        body: (_method: string, _args: readonly Value[], _block: Block, callbacks: RubyCallbacks) => {
          const seen = callbacks.getVariable('facts', false, null);
          if (seen instanceof PuppetHash) seen.get('a');
          return null;
        },
      },
    };
    const facts = inputs.recordFacts(PuppetHash.of([['a', 1n]]));
    const options = withRuby({ functions }, [`${FUNCTION}/f.rb`]);
    lastValue('f()', { ...options, inputs, facts });
    const { files, facts: seen } = inputs.getResult();
    expect(files[`environments/production/${FUNCTION}/f.rb`]).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.keys(seen)).toContain('["a"]');
  });

  it('names the function and its file when there is no Ruby', () => {
    expect(errorOf('f()', { files: { [`${FUNCTION}/f.rb`]: '' } })).toBe(
      `Evaluation Error: Error while evaluating a Function Call, The function 'f' is written in Ruby (/code/environments/production/${FUNCTION}/f.rb), which needs Ruby support ${PLACE}`,
    );
  });
});

describe('functions of the 3.x API', () => {
  const legacy: FakeRubyCode['legacy'] = {
    f: { type: 'rvalue', arity: 1, body: ([x = null]) => (x === '' ? 'nothing' : x) },
    say: { type: 'statement', arity: -1, body: () => 'unseen' },
  };
  const options = withRuby({ legacy }, [`${LEGACY}/f.rb`, `${LEGACY}/say.rb`]);

  it.each([
    ['f(undef)', 'nothing'],
    ['f(/a/)', '/a/'],
    ["f(Timespan('1-0:0:0'))", '1-00:00:00.0'],
    ['say()', null],
  ])('converts what %s gives', (code, expected) => {
    expect(lastValue(code, options)).toEqual(expected);
  });

  it('checks the number of arguments', () => {
    expect(errorOf('f(1, 2)', options)).toBe(
      `Evaluation Error: Error while evaluating a Function Call, f(): Wrong number of arguments given (2 for 1) ${PLACE}`,
    );
  });
});

describe('ERB templates', () => {
  const files = { 'modules/m/templates/a.erb': '<%= 1 %>', 'modules/m/templates/b': 'plain' };
  const render: FakeRubyCode['render'] = ({ text, path }) => `${path}|${text}|`;

  it('joins what several templates give; text without tags is not given to Ruby', () => {
    const options = { files, ruby: fakeRuby({ render }) };
    const path = '/code/environments/production/modules/m/templates/a.erb';
    expect(lastValue("template('m/a.erb', 'm/b')", options)).toBe(`${path}|<%= 1 %>|plain`);
    expect(lastValue("inline_template('<%= 2 %>', 'x')", options)).toBe('(erb)|<%= 2 %>|x');
  });

  it.each([
    [
      "template('m/a.erb')",
      'Failed to parse template m/a.erb:\n  Filepath: /code/environments/production/modules/m/templates/a.erb\n  Line: 3\n  Detail: it broke\n',
    ],
    ["inline_template('<% x %>')", 'Failed to parse inline template: it broke'],
    ["template('m/none')", "Could not find template 'm/none'"],
  ])('words the failure of %s', (code, message) => {
    const fail = () => {
      throw rubyError('it broke', 'RuntimeError', 3);
    };
    expect(errorOf(code, { files, ruby: fakeRuby({ render: fail }) })).toBe(
      `Evaluation Error: Error while evaluating a Function Call, ${message} ${PLACE}`,
    );
  });
});
