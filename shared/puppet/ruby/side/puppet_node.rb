# frozen_string_literal: true

module Puppet
  # A node: the compile's node, or one that code creates.
  class Settings
    # environment.conf as code reads it itself; of all settings it has the modulepath.
    class EnvironmentConf
      attr_reader :path_to_env

      def self.load_from(path_to_env, _global_modulepath = [])
        new(path_to_env)
      end

      def initialize(path_to_env)
        @path_to_env = path_to_env
      end

      def modulepath
        Node::Environment.instance.modulepath.join(File::PATH_SEPARATOR)
      end
    end
  end

  class Node
    extend Understudy::Refusing
    # Facts of a node by name.
    class Facts
      extend Understudy::Refusing
      attr_accessor :name, :values

      def initialize(name, values = {})
        @name = name
        @values = values
      end

      def to_data_hash
        { 'name' => name, 'values' => values }
      end

      refuse_all :indirection, lacking: 'facts but those of the node'
    end

    # Properties of the compile's node; one for each compile.
    module OfCompile
      def facts
        @facts ||= Facts.new(name, topscope.lookupvar('::facts'))
      end

      # Top-scope variables from the node.
      def parameters
        @asked ||= Hash.new { |known, name| known[name] = topscope.lookupvar("::#{name}") if topscope.include?("::#{name}") }
      end

      def trusted_data
        topscope.lookupvar('::trusted')
      end

      private

      def topscope
        Parser::Compiler.instance.topscope
      end
    end

    attr_accessor :name, :facts, :parameters, :classes

    def self.of_compile
      @of_compile ||= new(Parser::Scope.new(top: true).lookupvar('::trusted')&.fetch('certname', nil)).extend(OfCompile)
    end

    def initialize(name, options = {})
      @name = name
      @facts = options[:facts]
      @parameters = options[:parameters] || {}
      @classes = options[:classes] || []
    end

    def environment
      Environment.instance
    end

    def environment_name
      environment.name
    end

    def names
      [name]
    end

    refuse_all :indirection, lacking: 'nodes but that of the compile'

    # The environment as module code sees it.
    class Environment
      attr_reader :given_name

      class << self
        def instance
          @instance ||= new
        end

        # Another environment has only a name.
        def remote(name)
          allocate.tap { |made| made.__send__(:called, name.to_sym) }
        end

        def create(name, _modulepath = [], *)
          remote(name)
        end
      end

      def name
        @given_name || Understudy::RepeatedQuestions.ask('setting', 'name', 'environment').to_s.to_sym
      end

      def to_s
        name.to_s
      end

      def ==(other)
        other.is_a?(Environment) && other.name == name
      end
      alias eql? ==

      def hash
        name.hash
      end

      def module(name)
        Puppet::Module.find(name, self)
      end

      # Puppet: unqualified names of classes and defines.
      def known_resource_types
        @known_resource_types ||= Resource::TypeCollection.new
      end

      def modules
        @given_name ? [] : Understudy.ask('modules').map { |name, path| Puppet::Module.new(name, path) }
      end

      def modules_by_path
        modulepath.to_h { |folder| [folder, modules.select { |found| File.dirname(found.path) == folder }] }
      end

      def modulepath
        @given_name ? [] : Understudy::RepeatedQuestions.ask('setting', 'name', 'modulepath').to_s.split(File::PATH_SEPARATOR)
      end
      alias full_modulepath modulepath

      def manifest
        Understudy::RepeatedQuestions.ask('setting', 'name', 'manifest') || :no_manifest
      end

      def config_version
        nil
      end

      def loaders
        Pops::Loaders.instance
      end

      def rich_data?
        true
      end

      def static_catalogs?
        true
      end

      private

      def called(name)
        @given_name = name
      end
    end
  end

  # `Puppet.lookup(:environments)`.
  class Environments
    class EnvironmentNotFound < Puppet::Error
      def initialize(name, original = nil)
        path = Node::Environment.instance.modulepath.first.to_s[%r{\A(.*)/[^/]+/[^/]+\z}, 1]
        super("Could not find a directory environment named '#{name}' anywhere in the path: #{path}. Does the directory exist?", original)
      end
    end

    def self.instance
      @instance ||= new
    end

    # A compile sees only its own environment.
    def get(name)
      environment = Node::Environment.instance
      environment if environment.name == name.to_sym
    end

    def get!(name)
      get(name) || raise(EnvironmentNotFound, name)
    end

    def list
      [Node::Environment.instance]
    end
  end

  # A module, by its folder.
  class Module
    class Error < Puppet::Error; end
    class MissingModule < Error; end
    class IncompatibleModule < Error; end

    attr_reader :name, :path

    def self.find(name, _environment = nil)
      path = Understudy.call_function('module_directory', [name.to_s])
      path.nil? ? nil : new(name.to_s, path)
    end

    def initialize(name, path)
      @name = name
      @path = path
    end

    def environment
      Node::Environment.instance
    end

    def to_s
      "Module #{name}(#{path})"
    end

    { template: 'templates', file: 'files', manifest: 'manifests', plugin: 'lib', locale: 'locales', script: 'scripts' }
      .each do |kind, folder|
        define_method(:"#{kind}s") { "#{path}/#{folder}" }
        define_method(:"#{kind}s?") { !existing(folder).nil? }
        define_method(kind) { |name| existing("#{folder}/#{name}") }
      end

    { templates: 'templates', files: 'files', manifests: 'manifests', lib: 'lib' }.each do |method, folder|
      define_method(:"#{method}_path") { "#{path}/#{folder}" }
    end

    { plugin: 'lib', locales: 'locales', plugin_fact: 'facts.d' }.each do |method, folder|
      define_method(:"#{method}_directory") { "#{path}/#{folder}" }
    end

    def metadata_file
      "#{path}/metadata.json"
    end

    def metadata
      Puppet::Util::Json.load_file(metadata_file)
    end

    %w[version author summary source license project_page].each { |field| define_method(field) { metadata[field] } }

    def forge_name
      metadata['name'].to_s.tr('-', '/')
    end

    def dependencies
      metadata['dependencies'] || []
    end

    def has_metadata?
      metadata.is_a?(Hash) && !metadata.empty?
    rescue Errno::ENOENT, Puppet::Error, Puppet::Util::Json::ParseError
      false
    end

    # Returns manifest paths that match the rest of a name after its module.
    def match_manifests(rest)
      wanted = "#{path}/manifests/#{rest || 'init'}"
      wanted += '.pp' if File.extname(wanted).empty?
      Dir.glob(wanted).reject { |found| File.directory?(found) }
    end

    private

    def existing(name)
      found = "#{path}/#{name}"
      Understudy::Files.kind(found) ? found : nil
    end
  end
end
