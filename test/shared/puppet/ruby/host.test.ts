import { afterAll, describe, expect, it, vi } from 'vitest';
import { PuppetError } from '../../../../shared/puppet/errors/puppet-error.ts';
import type { RubyError } from '../../../../shared/puppet/errors/ruby-error.ts';
import type { RubyCallbacks } from '../../../../shared/puppet/evaluator/ruby-callbacks.ts';
import type { RubyPort } from '../../../../shared/puppet/evaluator/ruby-port.ts';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { RubySession } from '../../../../shared/puppet/ruby/ruby-session.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { looselyEquals } from '../../../../shared/puppet/types/equality.ts';
import { Timespan } from '../../../../shared/puppet/types/time/timespan.ts';
import { Timestamp } from '../../../../shared/puppet/types/time/timestamp.ts';
import { parseType } from '../../../../shared/puppet/types/type-parser.ts';
import { Uri } from '../../../../shared/puppet/types/uri/uri.ts';
import { Binary } from '../../../../shared/puppet/types/values/binary.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../../shared/puppet/types/values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from '../../../../shared/puppet/types/values/values.ts';
import { SemVer } from '../../../../shared/puppet/types/versions/sem-ver.ts';
import { SemVerRange } from '../../../../shared/puppet/types/versions/sem-ver-range.ts';
import { NO_CALLBACKS, withCallbacks } from '../../../helpers/ruby-callbacks.ts';

type ClosableRuby = RubyPort & { close(): void };

const TIME_LIMIT_MS = 2_500;
/** For code that never ends: until then it computes. */
const HURRIED_MS = 500;

function functionOf(name: string, body: string): { path: string; text: string } {
  const text = `Puppet::Functions.create_function(:${name}) do
  dispatch :run do
    repeated_param 'Any', :args
    optional_block_param
  end
  def run(*args, &block)
    ${body}
  end
end`;
  return { path: `/modules/m/lib/puppet/functions/${name}.rb`, text };
}

function call(
  ruby: RubyPort,
  body: string,
  args: readonly Value[] = [],
  block: ((args: readonly Value[]) => Value) | null = null,
  callbacks: Partial<RubyCallbacks> = {},
): Value {
  const all = withCallbacks(NO_CALLBACKS, callbacks);
  const description = ruby.describeFunction('probe', functionOf('probe', body), all);
  return ruby.callFunction(description, 'run', args, block, all);
}

function render(ruby: RubyPort, text: string, callbacks: Partial<RubyCallbacks> = {}): string {
  return String(
    ruby.renderTemplate({ path: '/modules/m/templates/t.erb', text }, withCallbacks(NO_CALLBACKS, callbacks)),
  );
}

/** The class and message of the error that `body` throws. */
function failure(body: () => unknown): string {
  try {
    return `no error: ${String(body())}`;
  } catch (error) {
    const { rubyClass, name, message } = error as RubyError;
    return `${rubyClass ?? name}: ${message}`;
  }
}

function hash(...entries: readonly (readonly [Value, Value])[]): PuppetHash {
  return PuppetHash.of(entries);
}

const VALUES: readonly (readonly [string, Value])[] = [
  ['undef', null],
  ['true', true],
  ['false', false],
  ['an integer', 42n],
  ['a large integer', -(2n ** 63n)],
  ['a float', 1.5],
  ['a whole float', 3],
  ['a small float', 1e-12],
  ['a large float', 1e300],
  ['a string', 'a\n"b"\\ \u0000 é 😀 \u2028'],
  ['an empty string', ''],
  ['a long string', 'ab€'.repeat(300_000)],
  ['an array', [1n, 'two', [null, [3.5]]]],
  ['a hash', hash(['b', 1n], ['a', hash(['10', 'x'], ['2', []])])],
  ['a hash of other keys', hash([1n, 'one'], [1.5, 'float'], [['a'], hash()])],
  ['a hash with a key like a tag', hash(['$t', 'Sensitive'], ['$h', []])],
  ['Sensitive', new Sensitive(hash(['password', 'x']))],
  ['default', DEFAULT],
  ['a regexp', new PuppetRegexp('^a/b\\d+$')],
  ['a type', parseType('Hash[String[1], Array[Integer[1, 2]]]')],
  ['a resource reference', parseType("File['/x']")],
  ['a version', SemVer.parse('1.2.3-rc1')],
  ['a range of versions', SemVerRange.parse('>=1.0.0 <2.0.0')],
  ['a time', new Timestamp(1_700_000_000_123_456_789n)],
  ['a span', new Timespan(-90_000_000_001n)],
  ['bytes', new Binary(Uint8Array.from([0, 255, 10, 13]))],
  ['a URI', Uri.parse('https://example.com:8140/a?b=c')],
];

const HOSTS: readonly (readonly [string, (timeLimitMs?: number) => ClosableRuby])[] = [
  ['WebAssembly', (timeLimitMs = TIME_LIMIT_MS) => createWasmRuby({ rendersAll: true, timeLimitMs })],
  [
    'a process',
    (timeLimitMs = TIME_LIMIT_MS) =>
      createProcessRuby({
        rendersAll: true,
        timeLimitMs,
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
      }),
  ],
];

describe.each(HOSTS)('Ruby in %s', (_, create) => {
  const ruby = create();
  afterAll(() => ruby.close());

  it.each(VALUES)('takes and gives %s', (_name, value) => {
    const result = call(ruby, 'args[0]', [value]);
    if (typeof value === 'number') expect(result).toBe(value);
    expect(looselyEquals(result, value) || [result, value]).toBe(true);
  });

  it('keeps the order of hashes and tells integers from floats', () => {
    const body = '[args[0].keys, args[0].values.map { |v| v.class.name }]';
    expect(call(ruby, body, [hash(['2', 1n], ['1', 1])])).toEqual([
      ['2', '1'],
      ['Integer', 'Float'],
    ]);
  });

  it('calls lambdas, functions with blocks, and functions of its own in between', () => {
    const inner = functionOf('inner', 'args[0] * 10');
    const callFunction: RubyCallbacks['callFunction'] = (name, args, block) => {
      if (name === 'map') return (args[0] as readonly Value[]).map((item) => block?.([item]) ?? null);
      const description = ruby.describeFunction('inner', inner, NO_CALLBACKS);
      return ruby.callFunction(description, 'run', args, null, NO_CALLBACKS);
    };
    const body = "call_function('map', args[0]) { |x| yield(call_function('inner', x)) }";
    const result = call(ruby, body, [[1n, 2n]], ([value]) => `<${String(value)}>`, { callFunction });
    expect(result).toEqual(['<10>', '<20>']);
  });

  it('renders variables', () => {
    const variable = (name: string) => (name === 'who' ? 'world' : undefined);
    expect(render(ruby, 'hello <%= @who %>', { getVariable: variable })).toBe('hello world');
  });

  it('renders variables of classes that a template looks up by name: plain ones, containers, and none', () => {
    const values: Readonly<Record<string, Value>> = {
      'a::text': 'T',
      'a::undef': null,
      'a::list': [1n, 2n],
      '::a::n': 7n,
    };
    const demanded: string[] = [];
    const variable = (name: string, isDemanded: boolean) => {
      if (isDemanded) demanded.push(name);
      return values[name];
    };
    const text =
      "<%= [scope['a::text'], scope['a::undef'], scope.lookupvar('a::list'), scope['::a::n'], scope['a::no']].inspect %>";
    expect(render(ruby, text, { getVariable: variable })).toBe('["T", nil, [1, 2], 7, nil]');
    expect(demanded).toEqual(['a::no']);
  });

  it('names class, message and place of an error', () => {
    expect(() => render(ruby, "one\n<% raise ArgumentError, 'no good' %>")).toThrow(
      expect.objectContaining({
        rubyClass: 'ArgumentError',
        message: 'no good',
        file: '/modules/m/templates/t.erb',
        line: 2,
        traits: expect.objectContaining({
          frames: [expect.stringMatching(/^\/modules\/m\/templates\/t\.erb:2:in [`']__render_\d+__'$/)],
        }),
      }),
    );
  });

  it('throws the very error of the compile that crossed Ruby', () => {
    const error = new PuppetError('from Puppet');
    const callFunction = () => {
      throw error;
    };
    let thrown: unknown;
    try {
      call(ruby, "call_function('x')", [], null, { callFunction });
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBe(error);
    expect(call(ruby, "begin; call_function('x'); rescue => e; e.message; end", [], null, { callFunction })).toContain(
      'from Puppet',
    );
  });

  it('hides no abort of the compile behind a rescue', () => {
    const callFunction = () => {
      throw new TypeError('abort');
    };
    const body = "begin; call_function('x'); rescue Exception; 1; end";
    expect(() => call(ruby, body, [], null, { callFunction })).toThrow(new TypeError('abort'));
    expect(call(ruby, '1 + 1')).toBe(2n);
  });

  describe('within a short time', () => {
    const hurried = create(HURRIED_MS);
    afterAll(() => hurried.close());

    it('stops an endless loop, and works on', () => {
      const description = hurried.describeFunction('kept', functionOf('kept', 'args[0] + 1'), NO_CALLBACKS);
      const message = `Ruby was stopped in /modules/m/templates/t.erb: it took more than ${HURRIED_MS} milliseconds`;
      expect(failure(() => render(hurried, '<% loop {} %>'))).toBe(`RubyBroken: ${message}`);
      expect(hurried.callFunction(description, 'run', [1n], null, NO_CALLBACKS)).toBe(2n);
    });

    it('stops a loop of calls back', () => {
      const message = `Ruby was stopped in probe: it took more than ${HURRIED_MS} milliseconds`;
      expect(failure(() => call(hurried, 'loop { yield }', [], () => 1n))).toBe(`RubyBroken: ${message}`);
    });
  });

  it('fails cleanly when Ruby ends in a nested call, even where the caller goes on', () => {
    const callFunction = () => {
      try {
        return render(ruby, '<% Process.exit!(3) %>');
      } catch {
        return 'hidden';
      }
    };
    expect(failure(() => call(ruby, "call_function('x')", [], null, { callFunction }))).toMatch(
      /^RubyEnded: Ruby was stopped in probe: /,
    );
    expect(render(ruby, '<%= 1 + 1 %>')).toBe('2');
  });

  it('forgets code that the next compile does not have', () => {
    const description = ruby.describeFunction('kept', functionOf('kept', '1'), NO_CALLBACKS);
    ruby.beginCompile('other code');
    expect(failure(() => ruby.callFunction(description, 'run', [], null, NO_CALLBACKS))).toMatch(/kept is not loaded$/);
  });
});

describe.each(HOSTS)('Compiles one after the other with Ruby in %s', (_, create) => {
  const ruby = create();
  afterAll(() => ruby.close());

  const LEAKS: readonly (readonly [what: string, leak: string, find: string])[] = [
    ['a global variable', '$leak = args[0]', '$leak.nil?'],
    ['a class variable', 'String.class_variable_set(:@@leak, args[0])', '!String.class_variable_defined?(:@@leak)'],
    ['a method of a core class', 'String.class_eval { def leak = 1 }; 1', "!''.respond_to?(:leak)"],
    ['a constant', 'Object.const_set(:LEAK, args[0])', '!Object.const_defined?(:LEAK)'],
    ['a constant that is there', 'ERB.const_set(:Leak, 1)', '!ERB.const_defined?(:Leak)'],
    [
      'state of the function itself',
      'self.class.instance_variable_set(:@leak, 1)',
      'self.class.instance_variable_get(:@leak).nil?',
    ],
    ['a library', "require 'abbrev'", '$LOADED_FEATURES.grep(/abbrev/).empty?'],
    ['an environment variable', "ENV['LEAK'] = 'x'", "!ENV.key?('LEAK')"],
    ['a frozen core class', 'String.freeze; 1', '!String.frozen?'],
    [
      'a method of our own side',
      'Understudy.singleton_class.define_method(:ask) { |*| 1 }; 1',
      'Understudy.method(:ask).arity == -2',
    ],
    [
      'a value',
      '$leak = args[0]; 1',
      "ObjectSpace.each_object(String).none? { |s| s.bytesize == 11 && s.start_with?('of one') && s.end_with?('node') }",
    ],
  ];

  it.each(LEAKS)('hides %s of one from the next', (_what, leak, find) => {
    const body = `if call_function('leaks'); ${leak}; else; ${find}; end`;
    const run = (leaks: boolean) => {
      ruby.beginCompile('code');
      return call(ruby, body, [leaks ? 'of one node' : 'of another'], null, { callFunction: () => leaks });
    };
    expect(run(false)).toBe(true);
    for (const _round of [1, 2, 3]) {
      run(true);
      expect(run(false)).toBe(true);
    }
  });

  it('hides what a template did', () => {
    const leaking = '<% $leak = 1; self.class.define_method(:leak) { 1 } %>';
    for (const _round of [1, 2, 3]) {
      ruby.beginCompile('code');
      render(ruby, leaking);
      ruby.beginCompile('code');
      expect(render(ruby, '<%= $leak.inspect %><%= respond_to?(:leak) %>')).toBe('nilfalse');
    }
  });

  it('loads code once, and records in each compile what it read', () => {
    const files: Readonly<Record<string, string>> = {
      '/modules/m/lib/puppet_x/m/a.rb': "require_relative 'b'; $loads = ($loads || 0) + 1; A = B",
      '/modules/m/lib/puppet_x/m/b.rb': 'B = 7',
    };
    const use = (name: string) => {
      const reads = new Set<string>();
      const callbacks: RubyCallbacks = withCallbacks(NO_CALLBACKS, {
        readFile: (path) => {
          reads.add(path);
          return files[path] ?? null;
        },
        kindOf: (path) => (path in files ? 'file' : null),
      });
      const { path, text } = functionOf(name, '[A, $loads]');
      const source = { path, text: `require_relative '../../puppet_x/m/a'\n${text}` };
      const result = ruby.callFunction(ruby.describeFunction(name, source, callbacks), 'run', [], null, callbacks);
      return { result, reads: [...reads].sort() };
    };
    const expected = { result: [7n, 1n], reads: Object.keys(files) };
    for (const names of [['one'], ['one'], ['other'], ['other'], ['one', 'other']]) {
      ruby.beginCompile('code with libraries');
      for (const name of names) expect(use(name)).toEqual(expected);
    }
  });

  describe('files that running code requires', () => {
    const PATH = '/modules/m/lib/puppet_x/m/late.rb';
    const REQUIRING = `$LOAD_PATH.unshift('/modules/m/templates/../lib')
      begin
        require 'puppet_x/m/late'
        [PuppetX::M.constants, $loads, respond_to?(:late), respond_to?(:late, true)].inspect
      rescue ScriptError => e
        e.message
      end`;
    const definesName = (name: string) =>
      `$loads = ($loads || 0) + 1\nmodule PuppetX; module M; ${name} = 1; end; end\ndef late() = 1\n`;

    /** Runs the code in a compile. `file`: the text that it may require; null for none. */
    const compile = (file: string | null, body = REQUIRING, runs = ruby) => {
      const asked: string[] = [];
      const answer = <T>(name: string, path: string, found: T): T | null => {
        asked.push(`${name} ${path}`);
        return path === PATH && file !== null ? found : null;
      };
      const callbacks: RubyCallbacks = withCallbacks(NO_CALLBACKS, {
        readFile: (path) => answer('read', path, file),
        kindOf: (path) => answer('kind', path, 'file' as const),
        getSetting: () => '/modules',
        list: (path) => answer('list', path, null),
      });
      runs.beginCompile(`late code ${file}`);
      const exchange = vi.spyOn(RubySession.prototype, 'exchange');
      const description = runs.describeFunction('late', functionOf('late', body), NO_CALLBACKS);
      const run = () => runs.callFunction(description, 'run', [], null, callbacks);
      const result = failure(run).replace(/^no error: /, '');
      const compiled = exchange.mock.calls.filter(([request]) => request.startsWith('{"op":"keep_code"')).length;
      exchange.mockRestore();
      return { result, asked, compiled };
    };
    const asked = [`kind ${PATH}`, `read ${PATH}`];

    it('are compiled once, run in each compile that requires them, and recorded there', () => {
      const result = '[[:FIRST], 1, false, true]';
      const runs = Array.from({ length: 19 }, () => compile(definesName('FIRST')));
      expect(runs).toEqual(runs.map(({ compiled }) => ({ result, asked, compiled })));
      expect(runs.map(({ compiled }) => compiled).sort()).toEqual([...Array(18).fill(0), 1]);
      expect(compile(definesName('FIRST'), 'defined?(PuppetX::M).inspect').result).toBe('nil');
    });

    it('are what they are now, also when they change', () => {
      for (const name of ['FIRST', 'SECOND', 'SECOND', 'FIRST'])
        expect(compile(definesName(name)).result).toBe(`[[:${name}], 1, false, true]`);
      const missing = compile(null);
      expect(missing.result).toBe('cannot load such file -- puppet_x/m/late');
      expect(new Set(missing.asked)).toEqual(new Set([asked[0], 'list /modules']));
    });

    it('are recorded also when the code that requires them does not end', () => {
      const hurried = create(400);
      const body = "$LOAD_PATH.unshift('/modules/m/lib'); require 'puppet_x/m/late'; loop {}";
      const bodies = [...Array<string>(18).fill(REQUIRING), body];
      const last = bodies.map((one) => compile(definesName('FIRST'), one, hurried)).at(-1);
      hurried.close();
      expect(last?.result).toBe('RubyBroken: Ruby was stopped in late: it took more than 400 milliseconds');
      expect(last?.asked).toEqual(asked);
    });

    it('fail in each compile when they are no Ruby', () => {
      const results = [1, 2, 3].map(() => compile('def late(').result);
      expect(results).toEqual(Array(3).fill(expect.stringMatching(/^\/modules\/m\/lib\/puppet_x\/m\/late\.rb:1: /)));
      expect(new Set(results).size).toBe(1);
    });
  });

  it('has nothing of other code', () => {
    const described = (codeId: string, text: string) => {
      ruby.beginCompile(codeId);
      const source = { path: '/modules/m/lib/puppet/functions/f.rb', text };
      const description = ruby.describeFunction('f', source, NO_CALLBACKS);
      return ruby.callFunction(description, 'f', [], null, NO_CALLBACKS);
    };
    const old = 'class Old; end; Puppet::Functions.create_function(:f) { def f = 1 }';
    expect(described('old code', old)).toBe(1n);
    expect(described('old code', old)).toBe(1n);
    expect(described('new code', 'Puppet::Functions.create_function(:f) { def f = defined?(Old).inspect }')).toBe(
      'nil',
    );
    expect(described('old code', old)).toBe(1n);
  });

  it('does what it did in a Ruby that was started anew meanwhile', () => {
    ruby.beginCompile('code');
    expect(render(ruby, '<%= 1 + 2 %>')).toBe('3');
    ruby.close();
    expect(render(ruby, '<%= 1 + 2 %>')).toBe('3');
    ruby.beginCompile('code');
    expect(render(ruby, '<%= 1 + 2 %>')).toBe('3');
  });
});

describe('Ruby in WebAssembly is confined', () => {
  const ruby = createWasmRuby({ rendersAll: true, timeLimitMs: 20_000, memoryLimitBytes: 1 << 27 });
  afterAll(() => ruby.close());

  it.each([
    ["File.read('/etc/passwd')", /^Errno::ENOENT: /],
    ["IO.read('/proc/self/environ')", /^Errno::ENOENT: /],
    ["File.open('/etc/passwd') { |f| f.read }", /^Errno::ENOENT: /],
    ["IO.sysopen('/etc/passwd')", /^Errno::/],
    ["File.open('/understudy/../etc/passwd')", /^Errno::/],
    ["File.write('/tmp/x', 'x')", /^Errno::/],
    ["File.write('/understudy/main.rb', 'x')", /^Errno::/],
    [
      "require 'socket'; TCPSocket.new('127.0.0.1', 22)",
      /TCPSocket\.new is not available to the template .*t\.erb: the Ruby of modules has no network$/,
    ],
    [
      "system('id')",
      /Kernel#system \(id\) is not available to the template .*: the Ruby of modules has no other processes$/,
    ],
    ["Kernel.system('id')", / has no other processes$/],
    ['`id`', /A command in backquotes \(id\) .* has no other processes$/],
    ["IO.popen('id')", /IO\.popen \(id\) .* has no other processes$/],
    ["exec('id')", / has no other processes$/],
    ["Process.spawn('id')", / has no other processes$/],
    ["system('id') rescue nil", / has no other processes$/],
    ["require 'open3'; Open3.capture2('id')", /Open3\.capture2 \(id\) .* has no other processes$/],
    ['Process.kill(0, 1)', / has no other processes$/],
    ['Thread.new { 1 }', /Thread\.new .* has no threads$/],
    ["Net::HTTP.get(URI('http://a.example/'))", /Net::HTTP\.get .* has no network$/],
    ["Net::HTTP.new('a.example', 80).get('/')", /Net::HTTP#request|Net::HTTP#start .* has no network$/],
    [
      "h = Net::HTTP.new('a.example', 443); h.use_ssl = true; h.verify_mode = OpenSSL::SSL::VERIFY_PEER; h.get('/')",
      /Net::HTTP#request|Net::HTTP#start .* has no network$/,
    ],
    ["require 'open-uri'; URI.open('http://a.example/')", /URI\.open .* has no network$/],
    ["Resolv.getaddress('a.example')", /Resolv\.getaddress .* has no network$/],
    ["Resolv::DNS.new.getaddresses('a.example')", /Resolv::DNS#getaddresses .* has no network$/],
    ["require 'net/ftp'; Net::FTP.new('a.example')", /Net::FTP\.new .* has no network$/],
    ["Etc.getpwnam('root')", /Etc\.getpwnam\(root\) .* has no host to ask$/],
    ["Tempfile.new('x')", /Tempfile\.new .* has no files to write$/],
    ['Dir.mktmpdir', /Dir\.mktmpdir .* has no files to write$/],
    ["FileUtils.mkdir_p('/a/b')", /^Errno::EROFS: Read-only file system - \/a/],
    ["File.rename('/a', '/b')", /^Errno::EROFS: Read-only file system - \/a$/],
    [
      "Puppet::Util::Execution.execute(['id', '-u'])",
      /Puppet::Util::Execution\.execute \(id -u\) .* has no other processes$/,
    ],
    ["Facter.value('os')", /Facter\.value\(os\) .* has no host to ask; facts of the node are in its scope$/],
    [
      "require 'hocon'",
      /^LoadError: cannot load such file -- hocon \(the template .* needs a gem, and the Ruby of modules has none\)$/,
    ],
    ["require 'nosuch'", /^LoadError: cannot load such file -- nosuch$/],
    ["require 'js'; JS.eval('return process.env')", /^(RubyBroken: .*JavaScript is not reachable|LoadError)/],
    ['f = ->(x) { f.(x + 1) }; f.(1)', /^SystemStackError: stack level too deep$/],
  ])('%s', (code, expected) => {
    expect(failure(() => render(ruby, `<% ${code} %>`))).toMatch(expected);
  });

  it.each([
    ["require 'rexml/document'; REXML::Document.new('<a b=\"1\"><c>t</c></a>').root.elements['c'].text", 't'],
    ["require 'csv'; CSV.parse(\"a;b\\n1;2\", col_sep: ';', headers: true).first['b']", '2'],
    ["require 'bigdecimal/util'; ('1.1'.to_d * 3).to_s('F')", '3.3'],
    ["require 'matrix'; Matrix[[1, 2], [3, 4]].determinant", '-2'],
    ["require 'prime'; Prime.first(4).inspect", '[2, 3, 5, 7]'],
    [
      "DeepMerge.deep_merge!({ 'a' => [2], 'b' => '--x' }, { 'a' => [1], 'b' => 'x' }).inspect",
      '{"a"=>[1, 2], "b"=>"--x"}',
    ],
    [
      "require 'deep_merge'; { 'a' => { 'x' => 1 } }.deep_merge({ 'a' => { 'x' => 2, 'y' => 3 } }).inspect",
      '{"a"=>{"x"=>1, "y"=>3}}',
    ],
    ['Timeout.timeout(5) { |seconds| seconds + 1 }', '6'],
    ['begin; Timeout.timeout(1) { sleep(3) }; rescue Timeout::Error => e; e.message; end', 'execution expired'],
    [
      "begin; Timeout.timeout(9) { Timeout.timeout(1, ArgumentError, 'late') { sleep } }; rescue ArgumentError => e; e.message; end",
      'late',
    ],
    ['Timeout.timeout(3) { sleep(1) }', '1'],
    ["Net::HTTP::Get.new('/a').method", 'GET'],
    ["Resolv::IPv6::Regex.match?('fe80::1')", 'true'],
    ["Gem::Specification.find_all_by_name('x').inspect", '[]'],
    ["Puppet::Util.withenv('A' => 'b') { ENV['A'] } + ENV['A'].inspect", 'bnil'],
  ])('has of its own: %s', (code, expected) => {
    expect(render(ruby, `<%= ${code} %>`)).toBe(expected);
  });

  it('has no environment variables', () => {
    expect(render(ruby, '<%= ENV.to_h.inspect %>')).toBe('{}');
  });

  it('has a clock that stands still but for sleep', () => {
    const now = '(Process.clock_gettime(Process::CLOCK_MONOTONIC))';
    expect(render(ruby, `<% t = ${now}; sleep 5 %><%= (${now} - t).round %>`)).toBe('5');
  });

  it('has bounded memory, and works on', () => {
    const failed = failure(() => render(ruby, "<% a = []; loop { a << 'x' * 10_000_000 } %>"));
    expect(failed).toMatch(/^(NoMemoryError: failed to allocate memory|RubyBroken: Ruby was stopped in )/);
    expect(render(ruby, '<%= 2 + 1 %>')).toBe('3');
  });
});
