import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Inputs } from '../../../../../shared/puppet/environment/inputs.ts';
import { NativeFunctions } from '../../../../../shared/puppet/ruby/native/native-functions.ts';
import { createProcessRuby } from '../../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { compileSource } from '../../../../helpers/compile-source.ts';

const native = createWasmRuby();
const judge = createWasmRuby({ rendersAll: true });
const others = createProcessRuby({ env: { PATH: process.env.PATH ?? '' }, rendersAll: true });
afterAll(() => {
  for (const ruby of [native, judge, others]) ruby.close();
});
afterEach(() => vi.restoreAllMocks());

const FACTS = PuppetHash.of([
  ['os', PuppetHash.of([['family', 'Debian']])],
  ['memorysize', '7.68 GiB'],
]);

/** Files of functions of the module `m`, by name. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  bytes: `
  dispatch :readable do
    param 'Integer', :n
    optional_param 'Integer[0]', :digits
    return_type 'String'
  end
  def readable(n, digits = 1)
    units = %w[B KiB MiB GiB]
    i = 0
    f = n.to_f
    while f >= 1024 && i < 3
      f /= 1024
      i += 1
    end
    format("%.#{digits}f %s", f, units[i])
  end`,
  memory: `
  # Of the scope that is around all.
  def memory(share)
    size = closure_scope['facts']['memorysize']
    value, unit = *%r{([0-9.]*)\\s*([^bB]?)}.match(size)[1, 2]
    case unit
    when '', nil then value
    when 'G' then (value.to_f * (1 << 30) * share / 100.0).floor
    else raise Puppet::ParseError, "unknown unit #{unit}"
    end
  end`,
  every: `
  dispatch :all_of do
    required_param 'Any', :first
    repeated_param 'Any', :rest
  end
  def all_of(first, *rest)
    return [] if rest.empty?
    _both(first, *rest)
  end
  def _both(one, *more)
    result = [one, *more].map { |x| next 'none' if x.nil?; x }
    until result.length < 3
      result.shift
    end
    { 'result' => result, 'count' => more.size }
  end`,
  asks_puppet: `
  def asks_puppet(name, *rest)
    first = call_function('m::puppet', name)
    rest << first << call_function('m::puppet', name) << closure_scope['k::x']
  end`,
  asks_puppet_in_vain: `
  def asks_puppet_in_vain(name)
    [call_function('m::puppet', name), [1].pack('C').length, call_function('m::puppet', name)]
  end`,
  asks_puppet_behind: `
  def asks_puppet_behind(name)
    call_function('warning', 'before')
    call_function('m::puppet', name) + call_function('m::puppet', name)
  end`,
  calls: `
  def calls(x)
    call_function('m::bytes', x) + ' ' + call_function('sprintf', '%03d', 7)
  end`,
  declares: `
  dispatch :declare do
    param 'Hash', :what
  end
  def declare(what)
    what.each do |title, parameters|
      call_function('create_resources', 'notify', title => parameters)
    end
    call_function('notice', 'declared')
    what
  end`,
  ends: `
  def ends(title)
    call_function('create_resources', 'notify', { title => {} })
    call_function('m::bytes', 10)
  end`,
  reads_behind: `
  def reads_behind(name)
    call_function('include', name)
    closure_scope["#{name}::x"]
  end`,
  changes: `
  def changes(list, hash)
    list << 'c'
    hash.delete('a')
    list.length
  end`,
  changes_and_leaves: `
  def changes_and_leaves(list, hash)
    list << 'c'
    hash.delete('a')
    'x'.unpack('C')
  end`,
  warns: `
  def warns(x)
    Puppet.warning("about #{x}")
    call_function('warning', 'two')
    x
  end`,
  warns_and_leaves: `
  def warns_and_leaves(x)
    Puppet.warning("about #{x}")
    'x'.unpack('C')
  end`,
  fails: `
  def fails(x)
    raise ArgumentError, "not #{x}" unless x == 'good'
    'fine'
  rescue IndexError
    'never'
  end`,
  own_types: `
  local_types do
    type 'Few = Array[Integer, 0, 2]'
  end
  dispatch :few do
    param 'Few', :list
  end
  argument_mismatch :other do
    param 'Any', :list
  end
  def few(list) list.inject(0) { |sum, x| sum + x } end
  def other(list)
    "wants few, not #{list.inspect}"
  end`,
  share: `
  dispatch(:percent) do
    scope_param
    param 'Pattern[/%/]', :share
    optional_param 'String', :unit
  end
  UNITS = { 'B' => 1, 'M' => 1 << 20 }.freeze
  NAMES = [UNITS, %w[a b].freeze].freeze
  def percent(scope, share, unit = 'B')
    x = scope['x'] or raise ArgumentError, 'no x'
    [x, closure_scope['facts']['os']['family'], scope.include?('list'), share.chomp('%').to_f / UNITS.fetch(unit), NAMES]
  end`,
  changes_constant: `
  SEEN = []
  def changes_constant(x)
    SEEN << x
    SEEN.length
  end`,
  addresses: `
  def addresses(*all)
    require 'ipaddr'
    errors = IPAddr.const_defined?('InvalidAddressError') ? [IPAddr::Error, NoMethodError] : [ArgumentError]
    all.map do |one|
      parts = one.split(/[\\[\\]]/).reject(&:empty?)
      IPAddr.new(parts.first).ipv6? ? "[#{IPAddr.new(parts.first)}]" : one
    rescue *errors
      'none'
    end
  end`,
  rescued_later: `
  def rescued_later(x)
    Integer(x)
  rescue TypeError
    0
  end`,
  opens: `
  def opens(secret)
    secret.respond_to?(:unwrap) ? secret.unwrap.length : secret
  end`,
  asks_old: `
  def asks_old(*args)
    closure_scope.function_m_old(args)
  end`,
  returns: `
  def returns(x)
    return [x, 2].map do |one|
      one.to_s
    end
  end`,
  chooses: `
  def chooses(on)
    quoted(on ?'on':'off')
  end

  private

  def quoted(text)
    [text.dump, 'a"b\\\\#{c'.dump, on_line('x=1'), %w[b a].sort]
  end

  def on_line(text)
    text =~ /(\\w)=(\\d)/
    [Regexp.last_match(2), Regexp.last_match(3), Regexp.last_match[1]]
  end`,
  dump: `
  dispatch(:dump) do
    scope_param
    repeated_param 'String', :without
  end
  def dump(scope, *without)
    all = scope.resource.to_hash.collect { |k, v| [k.to_s, v] }.to_h
    all.delete('name') if scope.resource.type == 'Class'
    all.reject { |k, _| without.include?(k) }.inspect
  end`,
  describes: `
  dispatch(:describes) do
    scope_param
  end
  def describes(scope)
    scope.resource.ref
  end`,
  finds: `
  dispatch(:finds) do
    scope_param
    param 'String', :name
    param 'String', :parameter
  end
  def finds(scope, name, parameter)
    catalog = closure_scope.find_global_scope.catalog
    found = catalog.resource(name)
    return [name, scope.catalog.classes.include?('k'), closure_scope.topscope['facts']['memorysize']] unless found
    held = found.parameters[parameter.to_sym]
    [found.type, found.title, found.name, found[parameter], held && held.value, found.parameters.key?(:no),
     catalog.resource(found.type, found.title).nil?]
  end`,
  ends_well: `
  def ends_well(x)
    log = ['a']
    begin
      return log if x == 'return'
      raise ArgumentError, 'no' if x == 'raise'
      [1].each { break if x == 'break' }
    rescue ArgumentError => e
      log << e.message
    ensure
      log << 'end'
      'no value'
    end
    log << 0o17 << 0644 << (begin; x; ensure; log << 'at the very end'; end)
  end`,
  sets: `
  def sets
    begin
      strict = Puppet[:strict] if false
      [Puppet[:vardir], Puppet['environment'], Puppet[:no_such_setting], strict]
    ensure
      Puppet[:strict] = strict if strict
    end
  end`,
  strict: `
  def strict
    Puppet[:strict].to_s
  end`,
  draws: `
  def draws(x = 1)
    [rand(x), rand(5..5), rand(3...4)]
  end`,
  seeds: `
  def seeds(x)
    srand(x)
    rand(1_000_000)
  end`,
  draws_no_integer: `
  def draws_no_integer
    rand < 1 && rand(0) < 1
  end`,
  looks: `
  def looks(key)
    found = call_function('lookup', key, { 'default_value' => { 'port' => 1 } })
    [found['port'], call_function('file', 'm/no', 'm/text')]
  end`,
  looks_in_vain: `
  def looks_in_vain(key)
    call_function('lookup', key)
  end`,
  makes: `
  def makes(x)
    list = Array.new
    list << x
    [list, Array.new, Array.new(2), Array.new(2, x), Array.new(3) { |i| i * 2 },
     Hash['a', x, :b.to_s, 2], Hash[x, 1, x, 2]]
  end`,
  knows: `
  def knows(name)
    found = Puppet::Module.find(name, closure_scope.compiler.environment.to_s)
    return [name, found.nil?] unless found
    [found.path, Puppet::Util::Package.versioncmp(Puppet.version, '5.0.0'), block_given?,
     JSON.parse(File.read(File.join(found.path, 'metadata.json')))]
  end`,
  is_one: `
  dispatch(:is_one) do
    param 'Any', :value
    param 'Type', :type
  end
  def is_one(value, type)
    Puppet::Pops::Types::TypeCalculator.instance?(type, value)
  end`,
  seeded: `
  def seeded(seed)
    random = Random.new(Digest::SHA256.hexdigest(seed).to_i(16))
    Array.new(5) { random.rand(62) }
  end`,
  alters: `
  def alters
    'done'
  end`,
};

const INTERNAL: ReadonlySet<string> = new Set(['share', 'dump', 'describes', 'finds']);

/** Files of functions that set a constant of the same name. */
const RIVALS = ['one', 'two'].map(
  (name) => `Puppet::Functions.create_function(:'m::rival_${name}') do
    RIVAL = '${name}'
    def rival_${name}() RIVAL end
  end`,
);

const LEGACY: Readonly<Record<string, string>> = {
  m_old: `
module Puppet::Parser::Functions
  newfunction(:m_old, :type => :rvalue, :arity => -2, :doc => <<-EOS
    Joins \\d and "quotes" ( do |x|
    EOS
  ) do |args|
    raise(Puppet::ParseError, 'm_old(): ' \\
      'too many') if args.size > 3
    return args.reverse.join('-') if args[0].is_a?(String) and !args[0].empty?
    [args.length, lookupvar('x'), args[0]]
  end
end`,
  m_checks: `
require File.expand_path('../../../puppet_x/m/rules', __dir__)

Puppet::Parser::Functions.newfunction(:m_checks, doc: '') do |args|
  args.each do |arg|
    next if arg.is_a?(Hash)
    return PuppetX::M.check_all(arg) if arg.is_a?(Array)

    raise Puppet::ParseError, "#{arg.inspect} is no list"
  end
end`,
  m_wraps: `
$LOAD_PATH.unshift(File.join(File.dirname(__FILE__), '..', '..', '..'))

require 'puppet_x/m/text'

module Puppet::Parser::Functions
  newfunction(:m_wraps, type: :rvalue, doc: '') do |args|
    PuppetX::M::Text.wrap(args[0])
  end
end`,
  m_statement: `
Puppet::Parser::Functions.newfunction(:m_statement, type: :statement, doc: <<~'DOC') do |args|
  Does something.
DOC
  function_notice(["told #{args[0]}"])
  args[0]
end`,
};

const LIBRARIES: Readonly<Record<string, string>> = {
  'm/text': `
require 'json'

module PuppetX
  # All of it is called on the module.
  module M
    LIMIT = 2

    module Text
      MARKS = { 'open' => '<', 'close' => '>' }.freeze

      def self.wrap(text, mark = MARKS['open'])
        return text if text.nil?

        [mark, join([text]), MARKS.fetch('close'), LIMIT].join
      end

      def self.join(list)
        list.first(LIMIT).join(',')
      end
    end
  end
end`,
  'm/words': `
module Puppet::M
  module Words
    def self.all(hash, *known)
      @known = known << 'name'
      @marks = hash.select { |_, mark| mark }.keys
      hash.map { |word, mark| mark ? mark(word) : word }
    end

    def self.mark(word)
      @known.index { |one| @marks.include?(one) ? word =~ /^#{one}$/ : word =~ /^!?#{one}/ } ? word : word.dump
    end
  end
end`,
  'm/counts': `
module PuppetX
  module M
    module Counts
      def self.next
        @count ||= 0
        @count += 1
      end
    end
  end
end`,
  'm/first': "module PuppetX\n  module M\n    module Rival\n      def self.name_of() 'first' end\n    end\n  end\nend",
  'm/second':
    "module PuppetX\n  module M\n    module Rival\n      def self.name_of() 'second' end\n    end\n  end\nend",
  'm/rules': `
class PlainFailure < StandardError; end

module PuppetX
  module M
    class Rules
      KNOWN = %w[read write].freeze

      def refuse(text)
        raise(Puppet::ParseError, "refused: #{text.tr('"', "'")}")
      end

      def check(rules)
        rules.each do |rule|
          refuse("a rule that is no text: #{rule.inspect}") unless rule.is_a? String
          refuse("#{rule} is not one of #{KNOWN.inspect}") unless known?(rule)
        end
      end

      def known?(rule)
        KNOWN.include?(rule)
      end
    end

    def check_all(lists)
      rules = Rules.new
      lists.map { |list| rules.check(list).length }
    end
    module_function :check_all
  end
end`,
  'm/keeping':
    'module PuppetX\n  module M\n    class Keeping\n      def add(x)\n        @all = [*@all, x]\n      end\n    end\n  end\nend',
  'm/mixin': 'module PuppetX\n  module M\n    module Mixin\n      def two\n        2\n      end\n    end\n  end\nend',
  'm/other': 'module Other\n  def self.x() 1 end\nend',
};

/** Functions that call modules of required files: the requirement, and the body. */
const REQUIRING: Readonly<Record<string, readonly [string, string]>> = {
  wraps: ["require_relative '../../../puppet_x/m/text'", 'PuppetX::M::Text.wrap(x)'],
  wraps_here: ["require File.expand_path('../../../puppet_x/m/text', __dir__)", 'PuppetX::M::Text.wrap(x, "*")'],
  words: ["require_relative '../../../puppet_x/m/words.rb'", "Puppet::M::Words.all(x, 'b', 'd')"],
  marks: ["require_relative '../../../puppet_x/m/words'", 'Puppet::M::Words.mark(x)'],
  counts: ["require_relative '../../../puppet_x/m/counts'", 'PuppetX::M::Counts.next'],
  first: ["require_relative '../../../puppet_x/m/first'", 'PuppetX::M::Rival.name_of'],
  second: ["require_relative '../../../puppet_x/m/second'", 'PuppetX::M::Rival.name_of'],
  from_load_path: [
    "$LOAD_PATH.unshift(File.join(File.dirname(__FILE__), '..', '..', '..'))\nrequire 'puppet_x/m/text'",
    'PuppetX::M::Text.wrap(x)',
  ],
  from_text: [
    "require File.expand_path(File.dirname(__FILE__) + '/../../../puppet_x/m/text.rb')",
    'PuppetX::M::Text.wrap(x)',
  ],
  checks: ["require_relative File.join('..', '..', '..', 'puppet_x', 'm', 'rules')", 'PuppetX::M.check_all(x)'],
  keeps: ["require_relative '../../../puppet_x/m/keeping'", 'k = PuppetX::M::Keeping.new; k.add(1); k.add(2)'],
  mixes: ["require_relative '../../../puppet_x/m/mixin'", 'String.new.extend(PuppetX::M::Mixin).two'],
  shows: ["require_relative '../../../puppet_x/m/rules'", 'PuppetX::M::Rules.new.is_a?(PuppetX::M::Rules)'],
  other: ["require_relative '../../../puppet_x/m/other'", 'Other.x'],
  lacks: ["require_relative '../../../puppet_x/m/lacks'", 'PuppetX::M::Lacks.x'],
  unknown: ["require_relative '../../../puppet_x/m/text'", 'PuppetX::M::Text.cut(x)'],
};

const files: Record<string, string> = {
  'modules/k/manifests/init.pp': 'class k { $x = 1 }',
  'modules/m/functions/puppet.pp': `function m::puppet(String $name) {
    include k
    notice("asked for \${name}")
    ensure_packages([$name])
    if $name == 'bad' { fail('no such name') }
    [m::bytes(2000), inline_template('<%= scope.call_function("notice", ["inside"]) %>t'), inline_template('<%= [1].pack("C") %>')]
  }`,
  'modules/k/manifests/dumps.pp': `define k::dumps($list, $no = undef, $tag = 'x') { notify { "\${m::dump()} \${m::dump('list', 'tag')}": } }`,
  'modules/m/metadata.json':
    '{"name": "m-m", "version": "1.0.0", "author": "m", "license": "m", "summary": "1e3", "source": "https://example.com/x//y", "dependencies": []}',
  'modules/m/files/text': 'what the file holds',
  'modules/m/lib/puppet/functions/m/loads.rb':
    "class ::Integer\n  def to_s\n    'altered'\n  end\nend\nPuppet::Functions.create_function(:'m::loads') { def loads() 1 end }",
};
for (const [name, body] of Object.entries(FUNCTIONS))
  files[`modules/m/lib/puppet/functions/m/${name}.rb`] =
    `# A function.\nPuppet::Functions.create_function(:'m::${name}'${INTERNAL.has(name) ? ', Puppet::Functions::InternalFunction' : ''}) do${body}\nend\n`;
for (const [name, text] of Object.entries(LIBRARIES)) files[`modules/m/lib/puppet_x/${name}.rb`] = text;
for (const [name, [required, body]] of Object.entries(REQUIRING))
  files[`modules/m/lib/puppet/functions/m/${name}.rb`] =
    `${required}\n\nPuppet::Functions.create_function(:'m::${name}') do\n  def ${name}(x = nil)\n    ${body}\n  end\nend\n`;
RIVALS.forEach((text, index) => {
  files[`modules/m/lib/puppet/functions/m/rival_${['one', 'two'][index]}.rb`] = text;
});
for (const [name, text] of Object.entries(LEGACY)) files[`modules/m/lib/puppet/parser/functions/${name}.rb`] = text;

const FAILING: Readonly<Record<string, string>> = {
  'modules/m/lib/puppet/functions/m/fails_below.rb': `require_relative '../../../puppet_x/m/failing'
Puppet::Functions.create_function(:'m::fails_below') do
  def fails_below(x)
    PuppetX::M::Failing.read(x)
  end
end
`,
  'modules/m/lib/puppet_x/m/failing.rb': `module PuppetX; module M; module Failing
  def self.read(x) raise ArgumentError, "no #{x} here" end
end; end; end
`,
};

interface Outcome {
  readonly out: unknown;
  readonly resources: readonly string[];
  readonly log: readonly string[];
}

function compiled(body: string, ruby: typeof native): Outcome {
  ruby.beginCompile('code');
  const code = `class c { $x = 'v' $list = ['a', 'b'] $hash = { 'a' => 1, 'b' => 2 } ${body} }\ninclude c\n$c::r`;
  const result = compileSource(code, { files, ruby, facts: FACTS });
  if (result.status === 'needs') throw new Error('nothing is collected');
  const log = result.log.map(({ level, message }) => `${level}: ${message}`);
  if (result.status === 'failed') return { out: result.error.message, resources: [], log };
  const catalog: { resources: { type: string; title: string }[] } = JSON.parse(result.catalog);
  const resources = catalog.resources.map(({ type, title }) => `${type}[${title}]`);
  return {
    out: [...asList(result.lastValue)],
    resources: resources.filter((one) => /^(Notify|Class\[K)/.test(one)),
    log,
  };
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.map((item) => (item instanceof PuppetHash ? [...item] : item)) : [value];
}

it('marks the catalog of drawn numbers as volatile, as Ruby does', () => {
  const volatile = [native, judge].map((ruby) => {
    const inputs = new Inputs();
    ruby.beginCompile('code');
    compileSource('m::draws(9)', { files, ruby, facts: FACTS, inputs });
    return inputs.getResult().volatile;
  });
  expect(volatile[0]).toHaveLength(1);
  expect(volatile[0]).toEqual(volatile[1]);
});

describe('functions of modules do in a compile what they do in Ruby', () => {
  it.each([
    ['loops and formats', '$r = [m::bytes(10), m::bytes(3000000, 2), m::bytes(123456789012, 0)]', 0],
    ['a fact of the top scope', '$r = [m::memory(50)]', 0],
    ['all kinds of parameters', "$r = [m::every(1), m::every(1, undef), m::every(1, 2, 'x', undef)]", 0],
    ['functions that call functions', '$r = [m::calls(5000)]', 0],
    ['calls that nothing depends on', "$r = [m::declares({ 'one' => {}, 'two' => { 'message' => 'm' } })]", 0],
    ['a call in the end', "$r = [m::ends('t')]", 0],
    ['what is read behind a call', "$r = [m::reads_behind('k')]", 1],
    ['a change of values', '$r = [m::changes($list, $hash), $list, $hash]', 0],
    ['a change of values, when Ruby takes over', '$r = [m::changes_and_leaves($list, $hash), $list, $hash]', 1],
    ['lines of the log', '$r = [m::warns(1)]', 0],
    ['lines of the log, when Ruby takes over', '$r = [m::warns_and_leaves(1)]', 1],
    ['what does not fail', "$r = [m::fails('good')]", 0],
    ['an error', "$r = [m::fails('bad')]", 1],
    ['types of its own', '$r = [m::own_types([1, 2])]', 0],
    ['arguments that nothing takes', '$r = [m::own_types([1, 2, 3])]', 0],
    ['arguments of another type', "$r = [m::bytes('x')]", 0],
    ['a wrong number of arguments', '$r = [m::calls(1, 2)]', 0],
    ['a function of the old kind', "$r = [m_old('a', 'b'), m_old('', 'b')]", 0],
    ['the number of arguments of an old one', '$r = [m_old()]', 0],
    ['an error of an old one', "$r = [m_old('a', 1, 2, 3)]", 1],
    ['a statement', "m_statement('x') $r = [1]", 0],
    ['code that changes a class of Ruby', '$r = [m::bytes(1), m::loads(), m::bytes(1)]', 1],
    ['a class as it was, in the next compile', '$r = [m::bytes(1)]', 0],
    ['what is called from a template', "$r = [inline_template('<%= scope.call_function(%q(m::calls), [2000]) %>')]", 0],
    ['the scope of the call, and constants', "$r = [m::share('50%'), m::share('10%', 'M')]", 0],
    ['a key that a constant lacks', "$r = [m::share('50%', 'X')]", 1],
    ['a constant that is changed', '$r = [m::changes_constant(1), m::changes_constant(2)]', 2],
    ['one constant of two files', '$r = [m::rival_one(), m::rival_two(), m::rival_one(), m::rival_two()]', 1],
    [
      'errors that are rescued',
      "$r = [m::addresses('::1', 'fe80:0::0:1', '10.0.0.1', '[2001:db8::1]:80', 'host', '', undef, '300.1.1.1')]",
      0,
    ],
    ['the resource of the scope', "k::dumps { 'one': list => $list } $r = [m::dump()]", 0],
    ['what is not known of a resource', '$r = [m::describes()]', 1],
    [
      'resources of the catalog',
      "include k notify { 'n': message => $list, tag => undef } file { '/F/x': owner => 1 } $r = [m::finds('Notify[n]', 'message'), m::finds('file[/F/x]', 'title'), m::finds('Class[::K]', 'name'), m::finds('Class[no::such]', 'x'), m::finds('Class[M::D[a b/c]]', 'x'), m::finds('File[/f/x]', 'x')]",
      0,
    ],
    [
      'a parameter that is an object',
      "notify { 'n': require => Class['c'] } $r = [m::finds('Notify[n]', 'require')]",
      1,
    ],
    ['what is no reference', "$r = [m::finds('Notify', 'message')]", 1],
    ['what Puppet code does', "$r = [m::asks_puppet('a'), m::asks_puppet('b', 1)]", 1],
    ['what Puppet code does before Ruby goes on', "$r = [m::asks_puppet_in_vain('a')]", 1],
    ['what Puppet code does behind a line of the log', "$r = [m::asks_puppet_behind('a')]", 1],
    ['an error of Puppet code', "$r = [m::asks_puppet('bad')]", 1],
    ['what is done in the end', "$r = ['', 'return', 'raise', 'break'].map |$x| { m::ends_well($x) }", 0],
    ['settings', '$r = [m::sets()]', 0],
    ['a setting that code changes', '$r = [m::strict()]', 1],
    ['modules that are there and that are not', "$r = [m::knows('m'), m::knows('nosuch')]", 0],
    [
      'values of a type',
      "$r = [m::is_one(1, Integer), m::is_one(undef, Optional[String]), m::is_one({ 'a' => [1] }, Hash[String, Array[String]])]",
      0,
    ],
    ['numbers of a generator', "$r = [m::seeded('a'), m::seeded('b')]", 0],
    ['numbers that are drawn', '$r = [m::draws(), m::draws(1)]', 0],
    ['numbers of a seed', '$r = [m::seeds(3), m::draws(1000), m::seeds(3), m::draws(1000)]', 2],
    ['numbers between 0 and 1', '$r = [m::draws_no_integer()]', 1],
    ['a lookup', "$r = [m::looks('nothing'), m::looks('c::nothing')]", 0],
    ['a lookup of what is not there', "$r = [m::looks_in_vain('nothing')]", 1],
    ['new lists, and hashes of keys and values', "$r = [m::makes('x')]", 0],
    ['an error that is not rescued', "$r = [m::rescued_later('x')]", 1],
    ['an error that is', '$r = [m::rescued_later(undef), m::rescued_later(7)]', 0],
    ['a secret', "$r = [m::opens(Sensitive('abc')), m::opens('abc')]", 0],
    ['a function of the old kind, by a method', "$r = [m::asks_old('a', 'b'), m::asks_old('c')]", 0],
    ['its error', '$r = [m::asks_old()]', 1],
    [
      'tags and classes of the catalog',
      "include k $r = [inline_template('<%= all_tags.sort.inspect %> <%= classes.sort.inspect %>')]",
      0,
    ],
    ['a block behind return', "$r = [m::returns('x')]", 0],
    ['private methods, and texts chosen', '$r = [m::chooses(true), m::chooses(false)]', 0],
    ['a module of a file that is required', "$r = [m::wraps('a'), m::wraps(undef), m::wraps('b')]", 0],
    ['a file required by its folder', "$r = [m::wraps_here('a')]", 0],
    [
      'a module that sets its variables',
      "$r = [m::words({ 'a' => true, 'b.c' => true, '!d' => true, 'x' => false })]",
      0,
    ],
    ['a variable that an earlier call set', "$r = [m::marks('a')]", 1],
    ['a module that counts', '$r = [m::counts(), m::counts()]', 2],
    ['one module in two files', '$r = [m::first(), m::second(), m::first(), m::second()]', 0],
    [
      'a module that Ruby uses, too',
      "$r = [m::wraps('a'), inline_template('<%= [67].pack(%q(C)) + PuppetX::M::Text.join(%w[a b c]) %>')]",
      0,
    ],
    ['a file from a folder of the load path', "$r = [m::from_load_path('a'), m::from_text('b')]", 0],
    ['objects of a class that is required', "$r = [m::checks([['read'], ['read', 'write'], []])]", 0],
    ['an error of such an object', "$r = [m::checks([['read', 'erase']])]", 1],
    ['objects that keep values', '$r = [m::keeps()]', 1],
    ['methods that are mixed in', '$r = [m::mixes()]', 1],
    ['what every object can', '$r = [m::shows()]', 1],
    ['an old function that requires a class', "m_checks({}, [['read']]) $r = [1]", 0],
    ['its error about the rules', "m_checks([['read', '\"']]) $r = [1]", 1],
    ['an old function that requires from the load path', "$r = [m_wraps('a'), m_wraps('b')]", 0],
    [
      'an old function that requires, by a method',
      "$r = [inline_template('<%= scope.function_m_wraps([%q(c)]) %>')]",
      0,
    ],
    [
      'an old function that requires, for a template that uses the same module',
      "$r = [inline_template('<% [1].pack(%q(C)) %><%= scope.call_function(%q(m_wraps), [%q(c)]) + PuppetX::M::Text.join(%w[a b c]) %>')]",
      1,
    ],
    ['a module of any name', '$r = [m::other()]', 1],
    ['a file that is not there', '$r = [m::lacks()]', 1],
    ['a method that the module lacks', "$r = [m::unknown('a')]", 1],
    ['data as YAML', "$r = [inline_template('<%= { %q(a) => @list, %q(b) => @hash }.to_yaml %>')]", 0],
    [
      'arguments that are no list',
      "$r = [inline_template('<%= scope.call_function(%q(m::calls), 2000) + scope.call_function(%q(m::every), %q(x)).inspect + scope.call_function(%q(m::draws), nil).inspect %>')]",
      0,
    ],
    [
      'what Ruby calls',
      "$r = [inline_template('<% [1].pack(%q(C)) %><%= scope.call_function(%q(m::calls), [2000]) %>')]",
      0,
    ],
  ])('%s', (_, body, inRuby) => {
    const spies = [vi.spyOn(NativeFunctions.prototype, 'call'), vi.spyOn(NativeFunctions.prototype, 'callLegacy')];
    const ours = compiled(body, native);
    const left = spies.flatMap((spy) => spy.mock.results).filter(({ value }) => value === null).length;
    expect(ours).toEqual(compiled(body, judge));
    expect(ours).toEqual(compiled(body, others));
    expect(left).toBe(inRuby);
  });

  it('do what they do in order, and once', () => {
    const { resources, log } = compiled("$r = [m::declares({ 'one' => {} })]", native);
    expect([resources, log]).toEqual([['Notify[one]'], ['notice: declared']]);
    expect(compiled('$r = [m::warns_and_leaves(1)]', native).log).toEqual(['warning: about 1']);
    expect(compiled("$r = [m::ends('t')]", native)).toEqual({ out: ['10.0 B'], resources: ['Notify[t]'], log: [] });
  });

  it('record the files that they require, in each compile', () => {
    const paths = [1, 2].map(() => {
      const inputs = new Inputs();
      native.beginCompile('code');
      compileSource("$r = m::wraps('a')", { files, ruby: native, facts: FACTS, inputs });
      return Object.keys(inputs.getResult().files).filter((path) => path.includes('puppet_x'));
    });
    const text = 'environments/production/modules/m/lib/puppet_x/m/text.rb';
    expect(paths).toEqual([[text], [text]]);
  });

  it('say beside their error which lines of Ruby it comes from', () => {
    native.beginCompile('code');
    const options = { files: { ...files, ...FAILING }, ruby: native, facts: FACTS };
    const { error } = { error: undefined, ...compileSource("[1].each |$x| { m::fails_below('x') }", options) };
    expect(error).toMatchObject({
      message:
        'Evaluation Error: Error while evaluating a Function Call, no x here (line: 1, column: 17) on node node.example.com',
      backtrace: [
        expect.stringMatching(/^modules\/m\/lib\/puppet_x\/m\/failing\.rb:2:in [`'].*read'$/),
        expect.stringMatching(/^modules\/m\/lib\/puppet\/functions\/m\/fails_below\.rb:4:in [`'].*fails_below'$/),
      ],
    });
  });

  it('record the facts that they read by path', () => {
    const inputs = new Inputs();
    native.beginCompile('code');
    const code = '$r = m::memory(10)';
    expect(compileSource(code, { files, ruby: native, facts: inputs.recordFacts(FACTS), inputs }).status).toBe('ok');
    expect(Object.keys(inputs.getResult().facts)).toContain('["memorysize"]');
    expect(Object.keys(inputs.getResult().facts).filter((path) => path.startsWith('["os"'))).toEqual([]);
  });
});
