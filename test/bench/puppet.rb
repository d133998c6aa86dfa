# Real Puppet's side of the benchmark: ruby puppet.rb compile DIR RUNS, ruby puppet.rb nodes DIR
# RUNS [SETTINGS], or ruby puppet.rb parse LIST. SETTINGS: a JSON object. Prints one JSON line with
# CPU times in milliseconds.
require 'json'
require 'puppet'
require 'tmpdir'

def cpu_ms
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) * 1000
end

def initialize_puppet(dir, settings = {})
  scratch = Dir.mktmpdir('bench')
  at_exit { FileUtils.rm_rf(scratch) }
  Puppet.initialize_settings(['--confdir', "#{scratch}/conf", '--vardir', "#{scratch}/var", '--codedir', dir,
                              '--environmentpath', "#{dir}/environments", '--vendormoduledir', '', '--basemodulepath', ''], false)
  settings.each { |name, value| Puppet[name.to_sym] = value }
  Puppet::Util::Log.level = :err
end

def compile_once(environment, facts)
  node = Puppet::Node.new(facts.name, facts: facts, environment: environment)
  node.merge(facts.values)
  node.trusted_data = { 'authenticated' => 'local', 'certname' => facts.name, 'extensions' => {}, 'hostname' => facts.name[/\A[^.]*/],
                        'domain' => facts.name[/\.(.*)/, 1] }
  catalog = Puppet::Parser::Compiler.compile(node)
  catalog.filter(&:virtual?).render(:rich_data_json)
  catalog.resources.size
end

def compile(dir, runs)
  initialize_puppet(dir)
  document = JSON.parse(File.read("#{dir}/facts.json"))
  facts = Puppet::Node::Facts.new(document['name'], document['values'])
  environments = Puppet::Environments::Directories.new("#{dir}/environments", [])
  environment = environments.get!(:production)
  times = []
  resources = 0
  Puppet.override(environments: environments, current_environment: environment) do
    runs.times do
      start = cpu_ms
      resources = compile_once(environment, facts)
      times << cpu_ms - start
    end
  end
  { resources: resources, warm_ms: times.drop(runs > 3 ? 3 : 0).sort[times.size > 3 ? (times.size - 3) / 2 : 0], first_ms: times.first,
    process_ms: cpu_ms }
end

# The times of each node's compiles, in turns with the others; the error of a node that does not
# compile.
def nodes(dir, runs, settings = '{}')
  initialize_puppet(dir, JSON.parse(settings))
  environments = Puppet::Environments::Directories.new("#{dir}/environments", [])
  environment = environments.get!(:production)
  facts = Dir.glob("#{dir}/facts/*.json").sort.map do |path|
    Puppet::Node::Facts.new(File.basename(path, '.json'), JSON.parse(File.read(path)))
  end
  times = Hash.new { |all, name| all[name] = [] }
  failed = {}
  Puppet.override(environments: environments, current_environment: environment) do
    runs.times do
      facts.each do |one|
        next if failed.key?(one.name)

        start = cpu_ms
        compile_once(environment, one)
        times[one.name] << cpu_ms - start
      rescue StandardError, ScriptError => e
        failed[one.name] = e.message
      end
    end
  end
  times.merge(failed)
end

def parse(list)
  parser = Puppet::Pops::Parser::Parser.new
  texts = File.readlines(list, chomp: true).map { |path| File.read(path) }
  start = cpu_ms
  texts.each do |text|
    parser.parse_string(text, 'bench.pp')
  rescue StandardError
    nil
  end
  { bytes: texts.sum(&:bytesize), ms: cpu_ms - start }
end

mode, argument, runs, *more = ARGV
puts JSON.generate(mode == 'parse' ? parse(argument) : __send__({ 'compile' => :compile, 'nodes' => :nodes }.fetch(mode), argument, Integer(runs), *more))
