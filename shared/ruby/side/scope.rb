# frozen_string_literal: true

module Understudy
  # A block of Ruby that the host may call while the call runs that it was given to.
  module Blocks
    @blocks = {}
    @next_id = 0

    class << self
      def with(block)
        return yield(nil) if block.nil?

        id = (@next_id += 1)
        @blocks[id] = block
        begin
          yield(id)
        ensure
          @blocks.delete(id)
        end
      end

      def call(id, args)
        block = @blocks.fetch(id) { raise Puppet::DevError, "no block #{id}" }
        block.call(*args)
      end
    end
  end

  # Calls a function by name through the host.
  def self.call_function(name, args, in_top_scope: false, &block)
    if Puppet::Parser::Functions.helper?(name.to_s)
      return Puppet::Parser::Scope.new(top: in_top_scope).__send__("function_#{name}", Legacy.arguments(args))
    end

    Blocks.with(block) do |id|
      asked = { 'name' => name.to_s, 'args' => args.map { |arg| Wire.encode(arg) }, 'block' => id }
      asked['top'] = true if in_top_scope
      ask_value('function', asked)
    end
  end

  # A resource of the catalog.
  class DeclaredResource < Puppet::Parser::Resource
    # The resource of that name, or that of the scope; nil when there is none.
    def self.find(type = nil, title = nil)
      found = Understudy.ask('resource', type.nil? ? {} : { 'type' => type, 'title' => title })
      found && new(found['about'], found['parameters'])
    end

    def initialize(about, parameters)
      super(*about['name'])
      @about = about
      @parameters = parameters.to_h { |name, value| [name.to_sym, Wire.decode(value)] }
    end

    # With what the title stands for: of a class or a define its name.
    def to_hash
      @about['named'] ? @parameters.dup : { name: title }.merge(@parameters)
    end
    alias to_h to_hash

    def tags
      Set.new(@about['tags'])
    end

    %w[file line].each { |name| define_method(name) { @about[name] } }
    %w[virtual exported].each { |name| define_method(:"#{name}?") { @about[name] } }

    def tagged?(*tags)
      tags.any? { |tag| @about['tags'].include?(tag.to_s.downcase) }
    end

    def []=(name, _value)
      raise Puppet::DevError, "parameter #{name} of #{ref} can't be changed by code of modules"
    end
    alias set_parameter []=
  end

  # Calls a method of an object of the host.
  def self.call_method(object, name, args, &block)
    Blocks.with(block) do |id|
      ask_value('method', 'object' => Wire.encode(object), 'name' => name.to_s, 'args' => args.map { |arg| Wire.encode(arg) },
                          'block' => id, 'arity' => block&.arity)
    end
  end

  # The catalog under compilation.
  class Catalog
    def tags
      Understudy.ask('tags', 'which' => 'all')
    end

    def classes
      Understudy.ask('tags', 'which' => 'classes')
    end

    # The resource of a reference, or nil.
    def resource(type, title = nil)
      DeclaredResource.find(*Puppet::Resource.type_and_title(type, title))
    end

    # All that was declared so far.
    def resources
      Understudy.ask('resources').filter_map { |name| DeclaredResource.find(*name) }
    end

    def resource_refs
      Understudy.ask('resources').map { |type, title| "#{type}[#{title}]" }
    end

    # Declares resources in the scope of the caller.
    def add_resource(*resources)
      resources.each do |resource|
        Understudy.call_function('create_resources', [resource.type.downcase, { resource.title => resource.to_hash.transform_keys(&:to_s) }])
      end
    end

    def environment_instance
      Environment.instance
    end

    def name
      Puppet::Parser::Scope.new(top: true).lookupvar('trusted')&.fetch('certname', nil)
    end

    def environment
      environment_instance.name
    end
  end

  # What `scope.compiler` offers.
  class Compiler
    attr_reader :topscope

    def initialize(scope)
      @topscope = scope
    end

    def environment
      Environment.instance
    end

    def catalog
      @topscope.catalog
    end

    def node
      @node ||= Node.new(@topscope)
    end

    def add_resource(_scope, resource)
      catalog.add_resource(resource)
    end

    def findresource(*args)
      catalog.resource(*args)
    end
  end

  # What `compiler.node` offers.
  class Node
    Facts = Struct.new(:name, :values)

    def initialize(scope)
      @scope = scope
    end

    def name
      @scope.lookupvar('::trusted')&.fetch('certname', nil)
    end

    def facts
      Facts.new(name, @scope.lookupvar('::facts'))
    end

    # Variables of top scope that come with the node.
    def parameters
      @parameters ||= Hash.new { |known, name| known[name] = @scope.lookupvar("::#{name}") if @scope.include?("::#{name}") }
    end

    def environment
      Environment.instance
    end
  end

  # What `scope.source` offers: where the code of the scope is defined.
  class Source
    def initialize(scope)
      @scope = scope
    end

    def module_name
      @scope.lookupvar('module_name')
    end

    # The class of the top scope is called by no name.
    def name
      title = @scope.lookupvar('title')
      title == 'main' ? '' : title
    end

    def type
      :hostclass
    end
  end
end

module Puppet
  module Parser
    # The scope that called: all it answers comes from the host.
    class Scope
      include Util::Errors
      include Util::Logging

      # The scope of the call under way, or the top scope. `foreseen`: values of variables by name, none of them a container.
      def initialize(top: false, foreseen: {})
        @top = top
        @foreseen = foreseen
      end

      def lookupvar(name, _options = nil)
        unless name.is_a?(String)
          raise ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string"
        end

        return @foreseen[name].dup if @foreseen.key?(name)

        Understudy::Wire.decode(ask_variable(name, 'demanded' => true)['value'])
      end
      alias [] lookupvar

      # Of what is undef Puppet says that it is not there.
      def include?(name)
        !ask_variable(name.to_s)['value'].nil?
      end

      def exist?(name)
        ask_variable(name.to_s)['set']
      end
      alias bound? exist?
      alias has_local_variable? exist?

      def setvar(name, value, _options = nil)
        unless name.is_a?(String)
          raise ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string"
        end

        Understudy.ask('setvar', 'name' => name, 'value' => Understudy::Wire.encode_kept(value))
        value
      end
      alias []= setvar

      # Never has variables that are undef.
      def to_hash(_recursive = true, _include_undef = false)
        Understudy::Variables.new(self)
      end

      def undef_as(substitute, value)
        value.nil? || value == :undef ? substitute : value
      end

      def environment
        Understudy::Environment.instance
      end

      def compiler
        @compiler ||= Understudy::Compiler.new(self)
      end

      def catalog
        @catalog ||= Understudy::Catalog.new
      end

      def source
        Understudy::Source.new(self)
      end

      # The resource whose body the scope is.
      def resource
        Understudy::DeclaredResource.find
      end

      def tags
        Understudy.ask('tags', 'which' => 'scope')
      end

      def findresource(type, title = nil)
        catalog.resource(type, title)
      end

      def find_global_scope
        self
      end
      alias topscope find_global_scope

      def parent
        nil
      end

      def is_topscope?
        @top
      end

      # One value that a resource default sets.
      Default = Struct.new(:name, :value)

      # What resources of a type, declared here, get for parameters that they do not set.
      def lookupdefaults(type)
        Understudy.ask('defaults', 'type' => type.to_s).to_h do |name, value|
          [name.to_sym, Default.new(name.to_sym, Understudy::Wire.decode(value))]
        end
      end

      # A single argument need be in no array; nil is none.
      def call_function(name, args, &block)
        Understudy.call_function(name, [*args], in_top_scope: @top, &block)
      end

      def to_s
        "Scope(#{resource})"
      end
      alias log_source to_s
      alias inspect to_s

      # `scope['facts'][key][...]`; what is not there as deep as that is what Ruby makes of it.
      def __fact__(*keys)
        found = Understudy.ask('fact', 'path' => keys)
        found ? Understudy::Wire.decode(found['value']) : keys.reduce(lookupvar('facts')) { |value, key| value[key] }
      end

      def ask_variable(name, options = {})
        asked = { 'name' => name }.merge(options)
        asked['top'] = true if @top
        Understudy.ask('var', asked)
      end
      private :ask_variable

      # `function_x([...])`: a function of the 3.x API, loaded when it is called for the first time.
      def method_missing(method, *args, &block)
        name = method[/\Afunction_(.*)\z/m, 1]
        return super if name.nil? || !Functions.function(name)

        __send__(method, *args, &block)
      end

      def respond_to_missing?(method, include_private = false)
        name = method[/\Afunction_(.*)\z/m, 1]
        name.nil? ? super : Functions.function(name) && true
      end
    end
  end
end
