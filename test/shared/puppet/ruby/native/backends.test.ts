import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RubySession } from '../../../../../shared/puppet/ruby/ruby-session.ts';
import { createWasmRuby } from '../../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../../helpers/compile-source.ts';

const native = createWasmRuby();
const judge = createWasmRuby({ rendersAll: true });
afterAll(() => {
  for (const ruby of [native, judge]) ruby.close();
});

const backend = (name: string, body: string): readonly [string, string] => [
  `modules/m/lib/puppet/functions/m/${name}.rb`,
  `require 'yaml'
Puppet::Functions.create_function(:'m::${name}') do
  dispatch :${name} do
    param 'String[1]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
${body}
end
`,
];

const PATTERNS = `  def patterns(key, options, context)
    return context.cached_value(key) if context.cache_has_key(key)
    data = load_hash(options['path'], context)
    data.each do |label, values|
      pattern = values['match']
      Puppet.debug("#{label}: #{pattern}")
      next unless pattern.match(options['node'])
      next unless values.include?(key)
      return context.cache(key, context.interpolate(values[key]))
    end
    context.not_found
  rescue => detail
    Puppet.debug(detail)
    nil
  end

  def load_hash(path, context)
    return {} unless File.exist?(path)
    context.cached_file_data(path) do |content|
      begin
        if Gem::Version.new(RUBY_VERSION) >= Gem::Version.new('2.7') && RUBY_PLATFORM != 'java'
          YAML.safe_load(content, permitted_classes: [Regexp], filename: path, aliases: true)
        else
          YAML.load(content, path)
        end
      rescue YAML::SyntaxError => ex
        raise Puppet::DataBinding::LookupError, ex.message
      end
    end
  end
`;

/** Reads `FOLDER/first/second.yaml` for `first::second::key`. */
const FOLDERS = `  def folders(key, options, context)
    parts = key.split('::')
    parts.pop
    path = parts.empty? ? "#{options['path']}.yaml" : File.join(options['path'], parts) + '.yaml'
    context.not_found unless File.exist?(path) && File.file?(path) && !File.directory?(path)
    context.explain { "reads #{path}" }
    data = context.cached_file_data(path) { |text| YAML.safe_load(text) }
    context.not_found unless data.include?(key)
    data[key]
  end
`;

const COUNTS = `  def counts(key, _options, context)
    context.not_found unless key.start_with?('count')
    context.cache_all({ 'count' => 7, 'counted' => { 'as' => [1] } })
    context.cached_value(key)
  end
`;

const WRITES = `  def writes(key, options, context)
    context.not_found unless key.start_with?('writes')
    context.cached_file_data(options['path']) do |text|
      Puppet.warning('read once')
      YAML.safe_load(text)['writes']
    end
  end
`;

/** Changes what it got of a file, so that the next call sees it. */
const changes = (name: string, more: string): string => `  def ${name}(key, options, context)
    context.not_found unless key.start_with?('${name}')
    data = context.cached_file_data(options['path']) { |text| YAML.safe_load(text) }
    data['list'] << ${more}
    data['list'].join(',')
  end
`;

const files: Readonly<Record<string, string>> = {
  'hiera.yaml': `version: 5
defaults: { datadir: data }
hierarchy:
  - { name: patterns, lookup_key: 'm::patterns', path: patterns.yaml, options: { node: web07 } }
  - { name: counts, lookup_key: 'm::counts' }
  - { name: writes, lookup_key: 'm::writes', path: list.yaml }
  - { name: appends, lookup_key: 'm::appends', path: list.yaml }
  - { name: roots, lookup_key: 'm::roots', path: list.yaml }
  - { name: folders, lookup_key: 'm::folders', path: folders }
  - { name: plain, data_hash: yaml_data, path: plain.yaml }
`,
  'data/patterns.yaml': `databases:
  match: !ruby/regexp /^db\\d+$/
  only: db
web servers:
  match: !ruby/regexp /^web(0[1-9]|1\\d)$/
  rack: 'A%{lookup("unit")}'
  disks: &disks [sda, 'sd%{letter}', 1.5, 2024]
  nested: { list: *disks, none: ~ }
  warned: '%{lookup("missing")}'
`,
  'data/folders.yaml': 'top: 1\nrack: of the folder\n',
  'data/folders/a/b.yaml': 'a::b::c: deep\na::b::when: 2020-01-01x\n',
  'data/list.yaml': 'list: [1, 2]\nwrites: [w]\n',
  'data/plain.yaml': 'unit: 3\nplain: yes it is\n',
  ...Object.fromEntries([
    backend('patterns', PATTERNS),
    backend('folders', FOLDERS),
    backend('counts', COUNTS),
    backend('writes', WRITES),
    backend('appends', changes('appends', "data['list'].length")),
    backend('roots', changes('roots', 'Integer.sqrt(16)')),
  ]),
};

describe('backends of Hiera without Ruby', () => {
  beforeEach(() => {
    for (const ruby of [native, judge]) ruby.beginCompile('code');
  });
  afterEach(() => vi.restoreAllMocks());

  function outcome(code: string, ruby: typeof native) {
    const result = compileSource(code, { files, ruby });
    if (result.status === 'needs') throw new Error('the code collects nothing');
    const error = result.status === 'ok' ? null : result.error.message;
    return { value: result.status === 'ok' ? result.lastValue : null, error, log: result.log };
  }

  it.each([
    ['a value of a pattern, interpolated', "lookup('rack')"],
    ['a value that was cached', "[lookup('rack'), lookup('rack')]"],
    ['arrays and hashes with aliases', "$letter = 'z'\n[lookup('disks'), lookup('nested')]"],
    ['a key of a folder', "[lookup('a::b::c'), lookup('a::b::when'), lookup('top')]"],
    ['keys that no backend has', "[lookup('a::b::none', default_value => 1), lookup('x::y', default_value => 2)]"],
    ['what a backend caches at once', "[lookup('count'), lookup('counted')]"],
    ['a key of another level', "lookup('plain')"],
  ])('find %s', (_, code) => {
    const theirs = outcome(code, judge);
    const exchange = vi.spyOn(RubySession.prototype, 'exchange');
    expect(outcome(code, native)).toEqual(theirs);
    expect(theirs.error).toBeNull();
    expect(exchange).not.toHaveBeenCalled();
  });

  it.each([
    ['a lookup that fails in an interpolation', "lookup('warned')"],
    ['a line of the log while a file is read', "[lookup('writes'), lookup('writes::more', default_value => 0)]"],
    [
      'data of a file that is changed',
      "[lookup('roots'), lookup('appends'), lookup('roots::x'), lookup('appends::y')]",
    ],
  ])('leave to Ruby %s', (_, code) => {
    expect(outcome(code, native)).toEqual(outcome(code, judge));
  });

  it('change data of a file for their own compile only', () => {
    const exchange = vi.spyOn(RubySession.prototype, 'exchange');
    const changed = [1, 2].map(() => {
      native.beginCompile('code');
      return outcome("[lookup('appends'), lookup('appends::x')]", native).value;
    });
    expect(changed).toEqual([
      ['1,2,2', '1,2,2,3'],
      ['1,2,2', '1,2,2,3'],
    ]);
    expect(exchange).not.toHaveBeenCalled();
  });
});
