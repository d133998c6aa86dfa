# Real Puppet's functions: takes a folder of modules, prints a line of JSON for each function that
# they bring in Ruby, with its signatures.
require 'json'
require 'puppet'

Puppet.initialize_settings([], false)
Puppet::Util::Log.level = :crit

modules = ARGV.fetch(0)
# As agents have them after pluginsync: some functions require others by name.
$LOAD_PATH.concat(Dir.glob(File.join(modules, '*', 'lib')))
environment = Puppet::Node::Environment.create(:production, [modules])

def names_of(modules, folder)
  Dir.glob(File.join(modules, '*', 'lib', folder, '**', '*.rb')).map do |path|
    path.split("/lib/#{folder}/", 2).last.delete_suffix('.rb').gsub('/', '::')
  end.uniq.sort
end

def describe(function)
  function.class.dispatcher.dispatchers.map do |dispatch|
    {
      type: dispatch.type.to_s,
      parameters: dispatch.param_names.map(&:to_s),
      block: dispatch.block_name&.to_s,
      mismatch: dispatch.argument_mismatch_handler?
    }
  end
end

def outcome(name, api)
  { name: name, api: api }.merge(yield)
rescue StandardError, LoadError, SyntaxError => e
  { name: name, api: api, error: e.message }
end

loaders = Puppet::Pops::Loaders.new(environment)
Puppet.override(current_environment: environment, loaders: loaders) do
  names_of(modules, 'puppet/functions').each do |name|
    described = outcome(name, '4.x') do
      # Not by the loader: Puppet's own functions would come first.
      path = Dir.glob(File.join(modules, '*', 'lib', 'puppet', 'functions', "#{name.gsub('::', '/')}.rb")).min
      loader = loaders.private_loader_for_module(path.delete_prefix("#{modules}/")[/\A\w+/])
      typed = Puppet::Pops::Loader::TypedName.new(:function, name)
      { dispatches: describe(Puppet::Pops::Loader::RubyFunctionInstantiator.create(loader, typed, path, File.read(path))) }
    end
    puts JSON.generate(described)
  end
  names_of(modules, 'puppet/parser/functions').each do |name|
    described = outcome(name, '3.x') do
      Puppet::Parser::Functions.function(name)
      info = Puppet::Parser::Functions.environment_module(environment).get_function_info(name.to_sym)
      info ? { type: info[:type].to_s, arity: info[:arity] } : { error: 'no such function' }
    end
    puts JSON.generate(described)
  end
end
