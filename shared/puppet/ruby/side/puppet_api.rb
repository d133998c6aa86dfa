# frozen_string_literal: true

# The module Puppet itself: settings, messages, version.
module Puppet
  # `Puppet.settings`: answered by the host.
  class Settings
    def [](name)
      value = Understudy::Wire.decode(Understudy::RepeatedQuestions.ask('setting', 'name', name.to_s))
      %w[strict].include?(name.to_s) && value.is_a?(String) ? value.to_sym : value
    end
    alias value []

    def include?(name)
      !self[name].nil?
    end
    alias setting include?
  end

  # `Puppet.features`: only features that this interpreter has.
  class Features
    def posix?
      true
    end

    def root?
      false
    end

    def method_missing(name, *args)
      name.end_with?('?') ? false : super
    end

    def respond_to_missing?(name, include_private = false)
      name.end_with?('?') || super
    end
  end

  module Util
    # Messages of a module or a class with the names of their levels.
    module Logging
      LEVELS = %i[debug info notice warning err alert emerg crit].freeze

      # The second line of a warning; nil when the caller wants none.
      def self.place(file, line)
        return '' if file == :default && line == :default

        place = Errors.error_location(file, line)
        "\n   #{place.empty? ? '(file & line not available)' : place}"
      end

      LEVELS.each do |level|
        define_method(level) do |*args, &block|
          args = [block.call] if block && args.empty?
          Understudy.ask('log', 'level' => level.to_s, 'message' => args.join(' '), 'source' => log_source)
          nil
        end
      end

      # The source of a message; nil for Puppet itself.
      def log_source
        nil
      end

      def send_log(level, message)
        __send__(level, message)
      end

      def warn_once(_kind, key, message, file = nil, line = nil, level = :warning)
        Understudy.ask('log', 'level' => level.to_s, 'message' => "#{message}#{Logging.place(file, line)}", 'key' => key.to_s)
        nil
      end

      def deprecation_warning(message, key = nil)
        from = caller.find { |entry| Understudy::Loaded.paths.include?(entry[/\A(.+?):\d+/, 1]) }
        place = from ? "\n   (location: #{from})" : ''
        Understudy.ask('log', 'level' => 'warning', 'message' => "#{message}#{place}", 'key' => (key || message).to_s)
        nil
      end

      def puppet_deprecation_warning(message, options = {})
        deprecation_warning(message, options[:key])
      end

      def log_exception(error, message = nil, **)
        err(message || error.message)
      end
      alias log_and_raise log_exception
    end
  end

  extend Util::Logging
  @settings = Settings.new
  @features = Features.new

  class << self
    attr_reader :settings, :features

    # Code that is loaded without a compile gets that of the default level.
    def version
      @settings['language.release'] || '8.28.1'
    end

    def minor_version
      version.split('.')[0..1].join('.')
    end

    # They differ between environments, so they are no constants of the process.
    def const_missing(name)
      return version if name == :PUPPETVERSION

      (name == :IMPLEMENTATION && openvox) || super
    end

    # Puppet 8.10 has no `implementation`.
    def method_missing(name, *arguments)
      (name == :implementation && arguments.empty? && openvox) || super
    end

    def respond_to_missing?(name, include_private = false)
      (name == :implementation && !openvox.nil?) || super
    end

    # The name of the implementation; nil at the level of Puppet 8.10.
    def openvox
      @settings['language.release'] ? @settings['language.implementation'] : 'openvox'
    end
    private :openvox

    def [](name)
      name.to_sym == :strict && @strict ? @strict : @settings[name]
    end

    # Code may turn `strict` off while it looks for variables.
    def []=(name, value)
      raise DevError, "Setting '#{name}' cannot be changed by code of a module" unless name.to_sym == :strict

      @strict = value.to_sym == @settings[:strict] ? nil : value.to_sym
    end

    # Whether code turned `strict` off for now.
    def lenient?
      @strict == :off
    end

    # Returns a value set by `override` or `push_context`, else Puppet's own value during a compile.
    def lookup(name, &block)
      given = contexts.reverse.find { |context| context.key?(name.to_sym) }
      return given[name.to_sym] if given

      offered = OFFERED[name.to_sym]
      return offered.call if offered
      return block.call if block

      raise Context::UndefinedBindingError, "Unable to lookup '#{name}'"
    end

    def override(bindings, _description = '')
      contexts.push(bindings)
      yield
    ensure
      contexts.pop
    end

    def push_context(bindings, _description = '')
      contexts.push(bindings)
    end

    def pop_context
      contexts.pop
    end

    def runtime
      Runtime
    end

    def run_mode
      RunMode.instance
    end

    private

    def contexts
      @contexts ||= []
    end
  end

  module Context
    class UndefinedBindingError < Puppet::Error; end
  end

  OFFERED = {
    current_environment: -> { Node::Environment.instance }, root_environment: -> { Node::Environment.remote('*root*') },
    environments: -> { Environments.instance }, global_scope: -> { Parser::Compiler.instance.topscope },
    loaders: -> { Pops::Loaders.instance }, trusted_information: -> { Node.of_compile.trusted_data }
  }.freeze

  # `Puppet.runtime[:http]`.
  module Runtime
    def self.[](name)
      Understudy.unavailable!("Puppet.runtime[:#{name}]", 'network')
    end
  end

  # A compile runs in the server's run mode.
  class RunMode
    def self.instance
      @instance ||= new
    end

    def name
      :server
    end

    def server?
      true
    end
    alias master? server?

    def agent?
      false
    end
    alias user? agent?
  end
end

# Facts are those that the node sent. Of the server, a function can ask for its name alone.
module Facter
  # Facts that follow from a host name, by the dotted name.
  OF_NAME = {
    'fqdn' => ->(name) { name }, 'hostname' => ->(name) { name.split('.').first }, 'domain' => ->(name) { name.split('.', 2)[1] }
  }.freeze

  Fact = Struct.new(:name, :value)

  # Facts for the definition of a resource type, which is for nodes of all kinds.
  DEFINING = {
    kernel: 'Linux',
    os: Hash.new('').merge!('release' => Hash.new('')).freeze,
    **%i[
      disks dmi identity load_averages memory mountpoints networking partitions processors ruby ssh
      system_uptime
    ].to_h { |name| [name, Hash.new('').freeze] }
  }.freeze

  class << self
    def value(name)
      return DEFINING[name.to_sym] if Understudy.defining_type?

      of_name = OF_NAME[name.to_s.delete_prefix('networking.')]
      return of_name.call(server_name) if of_name

      Understudy.unavailable!("Facter.value(#{name})", 'host to ask; facts of the node are in its scope')
    end

    def fact(name)
      found = value(name)
      found.nil? ? nil : Fact.new(name.to_s, found)
    end
    alias [] fact

    def add(*); end

    def version
      '4.10.0'
    end

    def to_hash
      value('*')
    end

    private

    def server_name
      scope = Puppet::Parser::Compiler.instance.topscope
      scope.include?('servername') ? scope.lookupvar('servername') : Puppet[:server]
    end
  end

  module Core
    module Execution
      extend Understudy::Refusing
      refuse_all :which, :absolute_path?, lacking: 'other processes'

      # Returns what the command prints, without blanks around it.
      def self.execute(command, *)
        outcome = Understudy::Commands.outcome(command)
        outcome ? outcome.stdout.strip : Understudy.unavailable!("Facter::Core::Execution.execute (#{command})", 'other processes')
      end
      singleton_class.alias_method :exec, :execute

      ExecutionFailure = Class.new(StandardError)
    end
  end

  module Util
    class Resolution
      extend Understudy::Refusing
      refuse_all :which, lacking: 'other processes'

      def self.exec(command, *)
        Core::Execution.execute(command)
      end
    end
  end
end

# Translation functions of modules: texts remain unchanged.
module Kernel
  private

  def _(text)
    text
  end

  def n_(one, many, count)
    count == 1 ? one : many
  end
end

# A named reference without a value remains in the text, as in Puppet's translation library
# (fast_gettext).
class String
  alias format_strictly %

  def %(values)
    format_strictly(values)
  rescue KeyError
    self
  end
end

# Only definitions of resource types need the first ones, and few functions versions of gems.
module Gem
  { Version: 'version', Requirement: 'requirement', Dependency: 'dependency' }
    .each { |name, file| autoload name, "rubygems/#{file}" unless const_defined?(name, false) }

  unless const_defined?(:LoadError, false)
    LoadError = Class.new(::LoadError)
    MissingSpecError = Class.new(LoadError)
    @loaded_specs = {}.freeze

    class << self
      attr_reader :loaded_specs
    end

    # There are no gems.
    module Specification
      def self.find_by_name(name, *)
        raise MissingSpecError, "Could not find '#{name}' (>= 0) among 0 total gem(s)"
      end

      def self.find_all_by_name(*)
        []
      end
    end

    module ::Kernel # rubocop:disable Style/ClassAndModuleChildren
      private

      def gem(name, *)
        Gem::Specification.find_by_name(name)
      end
    end
  end
end

module Puppet
  { Type: 'resource_types', Provider: 'resource_types', Parameter: 'resource_parameters', Property: 'resource_parameters',
    ResourceApi: 'resource_api' }.each { |name, file| autoload name, "#{__dir__}/#{file}.rb" }
end

module Understudy
  autoload :TypeDescriptions, "#{__dir__}/resource_types.rb"

  class << self
    # Whether the code of a resource type runs.
    attr_accessor :defining_type
    alias defining_type? defining_type
  end
end

module Puppet
  module Parser
    module Files
      module_function

      def find_file(name, _environment = nil)
        Puppet::Util.absolute_path?(name) ? name : Understudy.call_function('find_file', [name])
      end

      def find_template(name, _environment = nil)
        Puppet::Util.absolute_path?(name) ? name : Understudy.call_function('find_template', [name])
      end
    end
  end
end

class Object
  # Replaced by that of YAML at its first use.
  def to_yaml(...)
    Object.__send__(:remove_method, :to_yaml)
    require 'yaml'
    to_yaml(...)
  end
end

class Time
  # Replaced by those of `time` at their first use.
  %i[parse strptime iso8601 xmlschema httpdate rfc2822].each do |name|
    define_singleton_method(name) do |*args, **options|
      Understudy.load_time
      public_send(name, *args, **options)
    end
  end

  %i[iso8601 xmlschema httpdate rfc2822].each do |name|
    define_method(name) do |*args|
      Understudy.load_time
      public_send(name, *args)
    end
  end
end

module Understudy
  def self.load_time
    require 'time'
  end
end
