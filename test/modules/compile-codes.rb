# Real Puppet's compiles: takes a folder of modules and a file of facts; reads lines of JSON with a
# name and Puppet code, prints a line of JSON for each with the message of Notify[out], or the
# error's message. With the argument `anew` no code sees what was loaded for that before it.
require 'json'
require 'puppet'
require 'puppet/parser/compiler'

Puppet.initialize_settings([], false)
Puppet::Util::Log.level = :crit
Puppet[:strict] = :warning
Puppet[:strict_variables] = true

modules, facts_file, anew = ARGV
facts = JSON.parse(File.read(facts_file)).fetch('values')
# As agents have them after pluginsync: some functions require others by name.
$LOAD_PATH.concat(Dir.glob(File.join(modules, '*', 'lib')))
create = -> { Puppet::Node::Environment.create(:production, [modules], Puppet::Node::Environment::NO_MANIFEST) }
shared = create.call

# As an agent gets it: bytes and other values that JSON lacks are rich data.
def message_of(catalog)
  resources = JSON.parse(catalog.render(:rich_data_json))['resources']
  resources.find { |it| it.values_at('type', 'title') == %w[Notify out] }['parameters']['message']
end

$stdin.set_encoding(Encoding::UTF_8)
$stdin.each_line do |line|
  item = JSON.parse(line)
  environment = anew ? create.call : shared
  # Code that is the same as the last is not evaluated anew.
  Puppet[:code] = "#{item['code']}\n# #{item['name'].tr("\n", ' ')}"
  node = Puppet::Node.new('n.example.com', environment: environment, facts: Puppet::Node::Facts.new('n.example.com', facts))
  node.merge(facts)
  answer =
    begin
      { message: message_of(Puppet::Parser::Compiler.compile(node)) }
    rescue StandardError, ScriptError, SecurityError, SystemStackError => e
      { error: e.message }
    end
  puts JSON.generate({ name: item['name'] }.merge(answer))
end
