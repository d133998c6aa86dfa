# Real Puppet's syntax trees: reads paths from standard input, prints a line of JSON for each: its
# PN, or the error's message. Positions are given as [class, offset, length] of every node, in
# order.
require 'json'
require 'digest'
require 'puppet'
require 'puppet/pops'
require 'puppet/pops/pn'

Puppet.initialize_settings([], false)
Puppet::Util::Log.level = :crit

# 64 bits of a digest.
def digest(text)
  Digest::SHA256.hexdigest(text)[0, 16]
end

def places(node, found = [])
  return found unless node.is_a?(Puppet::Pops::Model::PopsObject)

  name = node.class.name.split('::').last
  found << (node.is_a?(Puppet::Pops::Model::Positioned) ? [name, node.offset, node.length] : [name])
  node._pcore_contents { |child| places(child, found) }
  found
end

plain = Puppet::Pops::Parser::Parser.new
$stdin.each_line(chomp: true) do |path|
  text = File.read(path, encoding: 'UTF-8')
  answer =
    begin
      model = plain.parse_string(text, path).model
      pn = Puppet::Pops::Model::PNTransformer.transform(model).to_s
      { pn: digest(pn), nodes: digest(JSON.generate(places(model))) }
    rescue Puppet::ParseError => e
      { error: e.message }
    end
  puts JSON.generate(answer.merge(path: path))
end
