# Real Puppet's resource types: takes a folder of modules, prints a line of JSON for each type that
# they bring.
require 'json'
require 'puppet'

Puppet.initialize_settings([], false)
Puppet::Util::Log.level = :crit

modules = ARGV.fetch(0)
# As agents have them after pluginsync: some providers require others by name.
$LOAD_PATH.concat(Dir.glob(File.join(modules, '*', 'lib')))
environment = Puppet::Node::Environment.create(:production, [modules])

def patterns_of(type)
  type.title_patterns.map { |pattern, groups| [pattern.to_s, groups.map { |name, *| name.to_s }] }
rescue StandardError => e
  e.message
end

def describe(type)
  {
    properties: type.properties.map { |property| property.name.to_s },
    parameters: type.parameters.map(&:to_s),
    namevars: type.key_attributes.map(&:to_s),
    patterns: patterns_of(type),
    isomorphic: type.isomorphic?,
    apply_to: type.apply_to.to_s
  }
end

loaders = Puppet::Pops::Loaders.new(environment)
Puppet.override(current_environment: environment, loaders: loaders) do
  Dir.glob(File.join(modules, '*', 'lib', 'puppet', 'type', '*.rb')).map { |path| File.basename(path, '.rb') }.uniq.sort.each do |name|
    described =
      begin
        type = Puppet::Type.type(name)
        type ? describe(type) : { error: 'no such type' }
      rescue StandardError, LoadError => e
        { error: e.message }
      end
    puts JSON.generate({ name: name }.merge(described))
  end
end
