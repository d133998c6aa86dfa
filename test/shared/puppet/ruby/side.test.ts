import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SIDE_FOLDER } from '../../../../shared/puppet/ruby/side-folder.ts';
import { RecordedAnswers } from '../../../helpers/recorded-answers.ts';
import { treeDigest } from '../../../helpers/reference-sources.ts';

/** What the side wrote, recorded: to start a Ruby takes longer than all that it does here. */
const answers = new RecordedAnswers({
  name: 'ruby-side',
  test: import.meta.filename,
  sources: () => ({ side: treeDigest(SIDE_FOLDER, /\.(?:rb|txt)$/) }),
});
afterAll(() => answers.finish());

/** Feeds lines to a native Ruby; what it wrote. */
function runSide(input: string): string {
  const { stdout, stderr, error } = spawnSync('ruby', ['--disable=gems', join(SIDE_FOLDER, 'main.rb')], {
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (error) throw error;
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}

/**
 * Feeds frames to a native Ruby (requests, and answers in the order in which they are asked for);
 * what it wrote, but for the answer to the compiling of a template at the beginning.
 */
function talk(...frames: readonly object[]): readonly unknown[] {
  const sent = frames.flatMap((frame) =>
    'compile' in frame && 'render' in frame ? [frame.compile, frame.render] : [frame],
  );
  const input = sent.map((frame) => `${JSON.stringify(frame)}\n`).join('');
  const stdout = answers.get(input, () => runSide(input));
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .slice(sent.length - frames.length);
}

/** Compiles a template and renders it with these variables. */
const erb = (source: string, vars?: object) => ({
  compile: { op: 'compile', id: 1, path: '/m/templates/t.erb', source },
  render: { op: 'erb', id: 1, ...(vars && { vars }) },
});
const set = (value: unknown) => ({ ret: { set: true, value } });

describe('templates', () => {
  it.each([
    ['lines without `-%>`', '<% [1, 2].each do |n| -%>\n<%= n %>\n<% end -%>\nü', '1\n2\nü'],
    [
      'libraries that Puppet has loaded',
      "<%= [1].to_yaml %><%= Digest::MD5.hexdigest('x') %>",
      '---\n- 1\n9dd4e461268c8034f5c8564e155c67a6',
    ],
    ['the order of versions', "<%= scope.function_versioncmp(['1.10', '1.9']) %>", '1'],
    ['addresses', "<%= IPAddr.new('10.0.0.0/8').to_range.last %>", '10.255.255.255'],
    ['a class of its own', '<% class Local; end %><%= Local.name %>', 'Puppet::Parser::TemplateWrapper::Local'],
  ])('renders %s', (_what, source, expected) => {
    expect(talk(erb(source))).toEqual([{ ret: expected }]);
  });

  it('tells which variables a template names', () => {
    const { compile } = erb(
      "<%= @b %><%= @a %><%= defined?(@c) %><%= scope['::d'] %><%= @@d %><%= scope['e::f'] %><%= scope.lookupvar('::g::h') %>",
    );
    expect(talk(compile)).toEqual([{ ret: { names: ['b', 'a', 'c'], looked_up: ['e::f', '::g::h'] } }]);
  });

  it('has the variables that it is given; undef is not defined', () => {
    const source = "<%= @b %><%= @a %><%= defined?(@c).inspect %><%= defined?(@e).inspect %><%= scope['::d'] %>";
    expect(talk(erb(source, { b: 'B', a: 'A', e: null }), set(1))).toEqual([
      { call: 'var', name: '::d', explained: true },
      { ret: 'BAnilnil1' },
    ]);
  });

  it('asks for no variable of a class whose value came with the request, and changes that of nobody', () => {
    const source =
      "<%= scope['a::b'] << '!' %><%= scope.lookupvar('a::b') %><%= scope['a::c'].inspect %><%= scope['a::d'] %>";
    const { compile, render } = erb(source);
    const foreseen = { 'a::b': 'B', 'a::c': null };
    expect(talk({ compile, render: { ...render, foreseen } }, set('D'))).toEqual([
      { call: 'var', name: 'a::d', explained: true },
      { ret: 'B!BnilD' },
    ]);
  });

  it('asks for all variables when a template may look at any', () => {
    const written = talk(erb('<%= instance_variable_get("@x") %>'), { ret: { x: 'X' } });
    expect(written).toEqual([{ call: 'vars' }, { ret: 'X' }]);
  });

  it.each([
    ["\n<%= 'a'.nosuch %>", 'NoMethodError', 'undefined method `nosuch\' for "a":String', 2],
    ['<%= tags %>', 'NotImplementedError', "Call 'all_tags' instead.", 1],
    ['<% raise Puppet::ParseError, "bad" %>', 'Puppet::ParseError', 'bad', 1],
  ])('places the error of %j', (source, name, message, line) => {
    const kind = name.startsWith('Puppet::') ? { puppet: true } : name === 'NoMethodError' ? {} : { bare: true };
    const file = '/m/templates/t.erb';
    const frames = [`${file}:${line}:in \`__render_1__'`];
    expect(talk(erb(source))).toEqual([{ err: { class: name, message, file, line, frames, ...kind } }]);
  });

  it.each([
    ['[1].shuffle', 'Array#shuffle'],
    ['rand(1)', 'rand'],
    ['Kernel.rand(1)', 'rand'],
    ['Random.rand(1)', 'Random.rand'],
    ['Random.random_number(1)', 'Random.random_number'],
    ['Random.seed', 'Random.seed'],
  ])('tells that %s is volatile', (code, name) => {
    expect(talk(erb(`<%= ${code} %>`), { ret: null }, { ret: null })[0]).toEqual({ call: 'volatile', name });
  });

  it.each(['srand(5); rand(100)', 'Random.srand(5); [1, 2, 3].shuffle; Random.rand(100)'])(
    'takes what follows from a seed of its own for no chance: %s',
    (code) => {
      // Another text each time, so that Ruby is asked twice.
      const [one, other] = [' ', '  '].map((space) => talk(erb(`<%= (${code}).to_s${space}%>`), { ret: null }));
      expect(one).toEqual([{ call: 'altered' }, { ret: expect.stringMatching(/^\d+$/) }]);
      expect(other).toEqual(one);
    },
  );

  it('takes what follows from no seed for chance again', () => {
    expect(talk(erb('<% srand(5); srand %><%= rand(1) %>'), { ret: null }, { ret: null }).slice(0, 2)).toEqual([
      { call: 'altered' },
      { call: 'volatile', name: 'rand' },
    ]);
  });

  it.each([
    ['Time.now.utc', '2001-09-09 01:46:40 UTC'],
    ['Time.new.utc.usec', '123456'],
    ['Date.today', '2001-09-09'],
    ['DateTime.now.year', '2001'],
    ['Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)', '1000000000123'],
  ])('asks for the time of the compile: %s', (code, text) => {
    const written = talk(erb(`<%= ${code} %>`), { ret: 1_000_000_000_123_456_000 });
    expect(written).toEqual([{ call: 'now', name: 'Time.now' }, { ret: text }]);
  });
});

const describe4 = (name: string, body: string) => ({
  op: 'describe',
  name,
  path: `/m/lib/puppet/functions/${name}.rb`,
  source: `Puppet::Functions.create_function(:'${name}'${body.startsWith(',') ? '' : ') do\n'}${body}\nend`,
});
const call4 = (name: string, method: string, args: readonly unknown[], block: number | null = null) => ({
  op: 'call',
  name,
  method,
  args,
  block,
});
const dispatch = (method: string, parameters: readonly unknown[], more: object = {}) => ({
  method,
  parameters,
  block: null,
  returns: null,
  isMismatch: false,
  ...more,
});
const param = (name: string, type: string, kind = 'required') => ({ name, type, kind });

describe('functions of the 4.x API', () => {
  it('describes dispatches', () => {
    const body = `local_types { type 'T = Integer' }
      dispatch(:a) { param 'T', :x; optional_param 'Any', :y; repeated_param 'Any', :z; optional_block_param 'Callable[1]', :b; return_type 'Any' }
      argument_mismatch(:no) { required_repeated_param 'String', :x }
      def a(*); end
      def no(*); end`;
    const parameters = [param('x', 'T'), param('y', 'Any', 'optional'), param('z', 'Any', 'repeated')];
    expect(talk(describe4('f', body))).toEqual([
      {
        ret: {
          name: 'f',
          dispatches: [
            dispatch('a', parameters, {
              block: { name: 'b', type: 'Callable[1]', isOptional: true },
              returns: 'Any',
            }),
            dispatch('no', [param('x', 'String', 'required_repeated')], { isMismatch: true }),
          ],
          localTypes: ['T = Integer'],
        },
      },
    ]);
  });

  it('takes the method of the name when there is no dispatch', () => {
    const [described, called] = talk(describe4('m::f', 'def f(a, b = 2) = [a, b]'), call4('m::f', 'f', [1]));
    expect(described).toMatchObject({
      ret: { dispatches: [dispatch('f', [param('a', 'Any'), param('b', 'Any', 'optional')])] },
    });
    expect(called).toEqual({ ret: [1, 2] });
  });

  it('calls blocks, functions with blocks, and answers requests that come meanwhile', () => {
    const body = "dispatch(:f) { block_param }\ndef f = call_function('map', [1]) { |x| yield(x) }";
    const written = talk(
      describe4('f', body),
      call4('f', 'f', [], 7),
      { op: 'block', id: 1, args: [1] },
      { ret: 'a' },
      { ret: ['a'] },
    );
    expect(written.slice(1)).toEqual([
      { call: 'function', name: 'map', args: [[1]], block: 1, arity: [0, 1], in: '', own: true },
      { call: 'block', id: 7, args: [1] },
      { ret: 'a' },
      { ret: ['a'] },
    ]);
  });

  it('injects the scope', () => {
    const body =
      ", Puppet::Functions::InternalFunction) do\ndispatch(:f) { scope_param; param 'Any', :x }\ndef f(scope, x) = scope[x]";
    expect(talk(describe4('f', body), call4('f', 'f', ['v']), set('V')).at(-1)).toEqual({ ret: 'V' });
  });

  it('injects a cache that lasts for the compile', () => {
    const body =
      ', Puppet::Functions::InternalFunction) do\ndispatch(:f) { cache_param }\ndef f(cache) = (cache.retrieve(Puppet)[:calls] = cache.retrieve(Puppet)[:calls].to_i + 1)';
    expect(talk(describe4('f', body), call4('f', 'f', []), call4('f', 'f', [])).slice(-2)).toEqual([
      { ret: 1 },
      { ret: 2 },
    ]);
  });

  it('hands the exception of a call back as it came', () => {
    const written = talk(describe4('f', "def f = call_function('g')"), call4('f', 'f', []), {
      err: { message: 'no', original: 3 },
    });
    const place = { file: '/m/lib/puppet/functions/f.rb', line: 2 };
    const frames = [`${place.file}:${place.line}:in \`f'`];
    const err = { class: 'Puppet::ParseError', message: 'no', ...place, frames, original: 3, puppet: true };
    expect(written.at(-1)).toEqual({ err });
  });

  it.each([
    ['1 + 1', 'The code loaded from /f.rb does not seem to be a Puppet 4x API function - no create_function call.'],
    [
      'Puppet::Functions.create_function(:g) { def g; end }',
      "The code loaded from /f.rb produced mis-matched name, expected 'f', got g",
    ],
    [
      'Puppet::Functions.create_function(:f) {}',
      "Function Load Error for function 'f': Function Creation Error, cannot create a default dispatcher for function 'f', no method with this name found",
    ],
  ])('refuses %s', (source, message) => {
    expect(talk({ op: 'describe', name: 'f', path: '/f.rb', source })).toMatchObject([
      { err: { class: 'ArgumentError', message } },
    ]);
  });
});

describe('values', () => {
  it.each([
    [{ $t: 'Sensitive', v: ['x'] }],
    [{ $t: 'Default' }],
    [{ $t: 'Regexp', v: '^a+$' }],
    [{ $t: 'Type', v: 'Integer[1, 2]' }],
    [{ $t: 'Type', v: "File['/x']" }],
    [{ $t: 'SemVer', v: '1.2.3-a' }],
    [{ $t: 'Timestamp', v: '1500000000000000001' }],
    [{ $t: 'Timespan', v: '-90000000000' }],
    [{ $t: 'Binary', v: 'AP8=' }],
    [
      {
        $h: [
          [1, 'a'],
          ['$b', null],
        ],
      },
    ],
    [{ a: [1, 1.5, true, null, 'é'] }],
  ])('go both ways: %j', (value) => {
    expect(talk(describe4('f', 'def f(x) = x'), call4('f', 'f', [value])).at(-1)).toEqual({ ret: value });
  });
});

const describe3 = (name: string, source: string) => ({
  op: 'describe3',
  name,
  path: `/m/lib/puppet/parser/functions/${name}.rb`,
  source,
});

describe('functions of the 3.x API', () => {
  const source =
    'module Puppet::Parser::Functions\n newfunction(:f, :type => :rvalue, :arity => -2) do |args|\n return args.inspect\n end\nend';

  it('gives values as that API has them', () => {
    const args = [null, [null], { $t: 'Regexp', v: 'a' }, { $t: 'Type', v: "File['/x']" }, { $t: 'Default' }];
    const titled = { ret: { path: '/x' } };
    expect(talk(describe3('f', source), { op: 'call3', name: 'f', args }, titled)).toEqual([
      { ret: { name: 'f', type: 'rvalue', arity: -2 } },
      { call: 'title', type: 'File', title: '/x' },
      { ret: '["", [nil], "/a/", File[/x]{:path=>"/x"}, :default]' },
    ]);
  });

  it('checks how many arguments there are', () => {
    const [, answer] = talk(describe3('f', source), { op: 'call3', name: 'f', args: [] });
    expect(answer).toMatchObject({
      err: { class: 'ArgumentError', message: 'f(): Wrong number of arguments given (0 for minimum 1)' },
    });
  });

  it('loads another function when it is called', () => {
    const caller = 'Puppet::Parser::Functions.newfunction(:g, :type => :rvalue) { |args| function_f([args[0]]) }';
    const written = talk(
      describe3('g', caller),
      { op: 'call3', name: 'g', args: [1] },
      { ret: { path: '/f.rb', source } },
    );
    expect(written.slice(1)).toEqual([{ call: 'source', name: 'f', api: 3 }, { ret: '[1]' }]);
  });

  it('says which of Puppet’s functions have another API', () => {
    const caller = 'Puppet::Parser::Functions.newfunction(:g) { |args| function_each([args]) }';
    const [, answer] = talk(describe3('g', caller), { op: 'call3', name: 'g', args: [] });
    const message = 'each() can only be called using the 4.x function API. See Scope#call_function';
    expect(answer).toMatchObject({ err: { class: 'Puppet::ParseError', message } });
  });
});

describe('code of modules', () => {
  it('reads files of the environment only through the host', () => {
    const written = talk(erb("<%= File.exist?('/m/x') %><%= File.read('/m/x') %>"), { ret: 'file' }, { ret: 'text' });
    expect(written).toEqual([{ call: 'kind', path: '/m/x' }, { call: 'read', path: '/m/x' }, { ret: 'truetext' }]);
  });

  it.each([
    ['/m/{b,a}/*.yaml', ['/m/b/y.yaml', '/m/a/x.yaml'], '/m/b/y.yaml /m/a/x.yaml'],
    ['/m/a/../*/x', ['/m/c/x'], '/m/a/../c/x'],
    ['/m//*/', ['/m/a', '/m/b'], '/m//a/ /m//b/'],
    ['/m/./a/../b/y', ['/m/b/y'], '/m/./a/../b/y'],
  ])('asks the host once for the paths that match %s', (pattern, ret, found) => {
    expect(talk(erb(`<%= Dir.glob('${pattern}').join(' ') %>`), { ret })).toEqual([
      { call: 'glob', pattern },
      { ret: found },
    ]);
  });

  it('catches an undefined variable, which is an error where nothing catches', () => {
    const missing = { err: { class: 'ArgumentError', message: "Undefined variable '::m_x'; no class" } };
    const source = "<%= catch(:undefined_variable) { scope.lookupvar('::m_x') } %>";
    const unset = { ret: { set: false, value: null, reason: 'no class' } };
    expect(talk(erb(source), unset).at(-1)).toEqual({ ret: 'no class' });
    expect(talk(erb("<%= scope.lookupvar('::m_x') %>"), unset, missing).at(-1)).toMatchObject({
      err: { message: "Undefined variable '::m_x'; no class" },
    });
  });

  it('loads what other files of its module define', () => {
    const path = '/mods/m/lib/puppet/functions/f.rb';
    const source =
      "require_relative '../../puppet_x/m/a'\nPuppet::Functions.create_function(:f) { def f = PuppetX::M::A }";
    const written = talk(
      { op: 'describe', name: 'f', path, source },
      { ret: 'module PuppetX; module M; A = 1; end; end' },
      call4('f', 'f', []),
    );
    expect(written).toMatchObject([
      { call: 'read', path: '/mods/m/lib/puppet_x/m/a.rb' },
      { ret: { name: 'f' } },
      { ret: 1 },
    ]);
  });

  it('is refused facts of the host', () => {
    const message =
      'Facter.value(os) is not available to the template /m/templates/t.erb: the Ruby of modules has no host to ask; facts of the node are in its scope';
    expect(talk(erb('<%= Facter.value(:os) %>'))).toMatchObject([{ err: { message } }]);
  });

  it('is refused a command that the host does not compute', () => {
    expect(talk(erb("<%= Puppet::Util::Execution.execute('x') %>"), { ret: null })).toMatchObject([
      { call: 'command', argv: ['x'] },
      {
        err: {
          message:
            'Puppet::Util::Execution.execute (x) is not available to the template /m/templates/t.erb: the Ruby of modules has no other processes',
        },
      },
    ]);
  });

  it('logs', () => {
    expect(talk(erb("<% Puppet.warning('w') %>"), { ret: null })[0]).toEqual({
      call: 'log',
      level: 'warning',
      source: null,
      message: 'w',
    });
  });
});
