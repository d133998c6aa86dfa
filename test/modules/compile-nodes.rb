# frozen_string_literal: true

# compile-nodes.rb JOB.json OUT.jsonl: compiles all nodes of a job with real Puppet in one process,
# one line of JSON a node.
#
# Job: {codedir, environment, strict, strict_variables, nodes: [{certname, facts, trusted,
# parameters, classes, exports}]}. Exports are what other nodes exported, as a catalog has it and
# with its `certname`; they are found as PuppetDB finds them. The nodes share one environment, as in
# a server: what parsing warns of is said for the first node that needs the file.

require 'json'
require 'tmpdir'
require 'fileutils'
Encoding.default_external = 'UTF-8'
require 'puppet'
require 'puppet/pops'
require 'puppet/node'

# In what Puppet 8.10 differs from the 7.23 that Debian has.
module Puppet
  module Pops
    module Evaluator
      class LiteralEvaluator
        def literal_QualifiedReference(node)
          node.value
        end

        def literal_AccessExpression(node)
          throw :not_literal if node.keys.size == 1 && node.keys[0].is_a?(Model::LiteralList)
          node.keys.map { |key| literal(key) }
        end
      end
    end
  end

  def self.minor_version
    '8.10'
  end
end

# Where Puppet's messages go.
class Sink
  attr_reader :messages

  def initialize
    @messages = []
  end

  def <<(message)
    @messages << message
  end
end

Puppet::Util::Log.newdesttype(:sink) do
  match 'Sink'
  define_method(:initialize) { |sink| @sink = sink }
  define_method(:handle) { |message| @sink << message }
end

# What each ERB template gave, with the variables that the node really has.
module Renders
  class << self
    attr_accessor :seen
  end
  self.seen = []

  def result(string = nil)
    source = string || Puppet::FileSystem.read_preserve_line_endings(@__file__)
    super.tap { |text| Renders.seen << [@__file__ || '(erb)', text] if source.include?('<%') }
  end
end
Puppet::Parser::TemplateWrapper.prepend(Renders)

# The answers to a collector of exported resources.
module Exports
  class << self
    attr_accessor :known

    def search(type, options)
      found = known.select { |it| it['type'] == type && it['certname'] != options[:host] && match?(it, options[:filter]) }
      found.map { |it| resource(it, options[:scope]) }
    end

    private

    def match?(it, filter)
      return true if filter.nil?

      left, operator, right = filter
      case operator
      when 'and' then match?(it, left) && match?(it, right)
      when 'or' then match?(it, left) || match?(it, right)
      else values(it, left).include?(right) == (operator == '==')
      end
    end

    def values(it, name)
      case name
      when 'title' then [it['title']]
      when 'tag' then it['tags'] || []
      else [it['parameters'][name]].flatten
      end
    end

    def resource(it, scope)
      parameters = it['parameters'].map { |name, value| Puppet::Parser::Resource::Param.new(name: name, value: value) }
      made = Puppet::Parser::Resource.new(it['type'], it['title'], parameters: parameters, scope: scope)
      made.collector_id = "#{it['certname']}|#{it['type']}|#{it['title']}"
      made
    end
  end
end

def start(job, scratch)
  folders = %w[conf var code log run pub].map { |name| "#{scratch}/#{name}" }
  Puppet.initialize_settings(%w[--confdir --vardir --codedir --logdir --rundir --publicdir].zip(folders).flatten)
  Puppet::Util::Log.close_all
  Puppet::Util::Log.level = :info
  code = job['codedir']
  hiera = "#{code}/hiera.yaml"
  { certname: 'puppet', server: 'puppet', vendormoduledir: '', storeconfigs: true, strict: job['strict'].to_sym,
    strict_variables: job['strict_variables'], hiera_config: File.exist?(hiera) ? hiera : "#{scratch}/none.yaml", codedir: code,
    environmentpath: "#{code}/environments", basemodulepath: "#{code}/modules", environment: job['environment'] }
    .each { |name, value| Puppet[name] = value }
  Puppet::Resource.indirection.define_singleton_method(:search) { |type, options| Exports.search(type.to_s, options) }
end

def node_of(given, environment)
  name = given['certname']
  facts = Puppet::Node::Facts.new(name, given['facts'])
  parameters = given['parameters'] || {}
  node = Puppet::Node.new(name, facts: facts, environment: environment, classes: given['classes'] || [], parameters: parameters)
  node.merge(facts.values)
  node.add_server_facts('serverversion' => '8.10.0', 'servername' => 'puppet', 'serverip' => '127.0.0.1')
  node.trusted_data = given['trusted']
  node
end

def compile(given, environment)
  Exports.known = given['exports'] || []
  catalog = Puppet::Parser::Compiler.compile(node_of(given, environment)).filter(&:virtual?)
  made = JSON.parse(catalog.render(:rich_data_json))
  %w[catalog_uuid version catalog_format code_id].each { |name| made.delete(name) }
  { status: 'ok', catalog: made }
rescue StandardError => e
  { status: 'failed', message: e.message }
end

def answer(given, environment, sink)
  sink.messages.clear
  Renders.seen = []
  Puppet.clear_deprecation_warnings
  outcome = compile(given, environment)
  shown = sink.messages.reject { |it| %i[debug err].include?(it.level) }
  outcome.merge(certname: given['certname'], log: shown.map { |it| "#{it.level}: #{it.message}" }, renders: Renders.seen)
end

job = JSON.parse(File.read(ARGV[0]))
Dir.mktmpdir('compile-nodes') do |scratch|
  start(job, scratch)
  sink = Sink.new
  Puppet::Util::Log.newdestination(sink)
  loader = Puppet::Environments::Cached.new(Puppet::Environments::Directories.new("#{job['codedir']}/environments", []))
  environment = Puppet.override(environments: loader) { loader.get(job['environment'].to_sym) }
  Puppet.override(environments: loader, current_environment: environment) do
    File.open(ARGV[1], 'w') { |out| job['nodes'].each { |given| out.puts(JSON.generate(answer(given, environment, sink))) } }
  end
end
