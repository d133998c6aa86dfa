# frozen_string_literal: true

module Understudy
  # Ruby blocks that the host may call while the call that received them runs.
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

      # Minimum and maximum number of arguments; nil for no limit.
      def arity(block)
        return nil if block.nil?

        kinds = block.parameters.map(&:first)
        [kinds.count(:req), kinds.include?(:rest) ? nil : kinds.count { |kind| %i[req opt].include?(kind) }]
      end

      def call(id, args)
        block = @blocks.fetch(id) { raise Puppet::DevError, "no block #{id}" }
        block.call(*args)
      end
    end
  end

  # Calls a function by name through the host, in a scope: nil is the current call's scope, '' the
  # top scope, otherwise the scope of that class. `own`: a 4.x function calls, and sees its module's
  # functions first.
  def self.call_function(name, args, within: nil, own: false, &block)
    if Puppet::Parser::Functions.helper?(name.to_s)
      return Puppet::Parser::Scope.of(within).__send__("function_#{name}", Legacy.arguments(args))
    end

    lambda = block.host_id if block.is_a?(Puppet::Pops::Evaluator::PuppetProc)
    Blocks.with(lambda ? nil : block) do |id|
      asked = { 'name' => name.to_s, 'args' => args.map { |arg| Wire.encode(arg) }, 'block' => id, 'arity' => Blocks.arity(block) }
      asked['lambda'] = lambda if lambda
      asked['in'] = within if within
      asked['own'] = true if own
      ask_value('function', asked)
    end
  end

  # Calls a method of a host object.
  def self.call_method(object, name, args, &block)
    Blocks.with(block) do |id|
      asked = { 'object' => Wire.encode(object), 'name' => name.to_s, 'args' => args.map { |arg| Wire.encode(arg) },
                'block' => id, 'arity' => block&.arity }
      file_data?(object, name) ? KeptAnswers.ask("file data #{args.first}", 'method', asked) : ask_value('method', asked)
    end
  end

  # Whether a backend of Hiera asks for what it made of a file.
  def self.file_data?(object, name)
    name == :cached_file_data && object.type_name == 'Puppet::LookupContext'
  end
end

module Understudy
  # Scopes whose defaults are decided by code of modules, in this compile.
  module DefaultScopes
    @scopes = []

    class << self
      def add(scope)
        @scopes << scope
        @scopes.length - 1
      end

      def find(id)
        @scopes[id] or raise Puppet::DevError, "no scope #{id} decides on its defaults"
      end
    end
  end
end

module Puppet
  module Parser
    # The calling scope; the host answers all its queries.
    class Scope
      include Util::Errors
      include Util::Logging

      # The current call's scope, or the top scope. `foreseen`: values of variables by name, without
      # containers.
      def initialize(top: false, foreseen: {})
        @top = top
        @foreseen = foreseen
      end

      # Returns the scope that the host knows by that name.
      def self.of(name)
        return new(top: name == '') if name.nil? || name.empty?

        new.extend(OfClass).of(name)
      end

      def lookupvar(name, _options = nil)
        unless name.is_a?(String)
          raise ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string"
        end

        return @foreseen[name].dup if @foreseen.key?(name)

        found = ask_variable(name, 'explained' => true)
        found['set'] ? Understudy::Wire.decode(found['value']) : throw_undefined(name, found['reason'])
      end
      alias [] lookupvar

      # Puppet: a variable that is undef counts as missing.
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

        ask('setvar', 'name' => name, 'value' => Understudy::Wire.encode_kept(value))
        value
      end
      alias []= setvar

      # Never contains variables that are undef.
      def to_hash(_recursive = true, _include_undef = false)
        Understudy::Variables.of(self)
      end

      def undef_as(substitute, value)
        value.nil? || value == :undef ? substitute : value
      end

      def environment
        Node::Environment.instance
      end

      def compiler
        Compiler.instance
      end

      def catalog
        Puppet::Resource::Catalog.instance
      end

      # The definition of the scope's code; the class of the top scope has an empty name.
      def source
        belongs = resource or return Puppet::Resource::Type.new(:hostclass, '')
        return find_definition(belongs.type) unless belongs.class? || belongs.type == 'Node'

        name = belongs.title == :main ? '' : belongs.title
        (find_hostclass(name) unless name.empty?) ||
          Puppet::Resource::Type.new(belongs.class? ? :hostclass : :node, name, 'module' => lookupvar('module_name').to_s)
      end

      # The resource whose body runs in the scope.
      def resource
        @top ? Resource.find('Class', 'main') : Resource.find
      end

      def findresource(type, title = nil)
        catalog.resource(type, title)
      end

      def find_hostclass(name)
        environment.known_resource_types.find_hostclass(name)
      end

      def find_definition(name)
        environment.known_resource_types.find_definition(name)
      end

      def find_global_scope
        @top ? self : compiler.topscope
      end
      alias topscope find_global_scope

      # The scope that declared this one's resource; the inherited class's scope comes first.
      def parent
        is_topscope? ? nil : Enclosing.around(Understudy.ask('scopes'), 1)
      end
      alias enclosing_scope parent

      # The module of the code that declared this scope's resource; nil for the site manifest.
      def parent_module_name
        parent&.source&.module_name
      end

      def is_topscope?
        @top || resource&.ref == 'Class[main]'
      end

      def is_nodescope?
        resource&.type == 'Node'
      end

      def is_classscope?
        resource&.class? || false
      end

      # Returns the scope of an evaluated class, or nil.
      def class_scope(name)
        name = (name.is_a?(Puppet::Resource::Type) ? name.name : name).to_s.delete_prefix('::').downcase
        Scope.of(name) if catalog.classes.include?(name)
      end

      def with_global_scope
        yield compiler.topscope
      end

      def with_guarded_scope
        yield
      end

      def lookup_qualified_variable(name, _options = nil)
        lookupvar(name)
      end

      # Whether Puppet treats a value as true, and the number of a text.
      def self.true?(value)
        !['', :undef, false, nil].include?(value)
      end

      def self.number?(value)
        return value if value.is_a?(Numeric)
        return nil unless value.is_a?(String)

        case value
        when /\A-?\d+(?:\.\d+|(?:\.\d+)?[eE]-?\d+)\z/ then value.to_f
        when /\A-?0[xX]\h+\z/ then value.to_i(16)
        when /\A-?0[0-7]+\z/ then value.to_i(8)
        when /\A-?\d+\z/ then value.to_i
        end
      end

      # Returns the defaults for resources of a type declared here.
      def lookupdefaults(type)
        return {} if type.is_a?(Symbol) # Puppet: it knows them by their names

        ask('defaults', 'type' => type.to_s).to_h do |name, value|
          [name.to_sym, Resource::Param.new(name: name, value: Understudy::Wire.decode(value))]
        end
      end

      # Code that redefines `lookupdefaults` of a scope decides on its defaults from then on, and
      # may enter defaults itself.
      def singleton_method_added(method)
        super
        return unless method == :lookupdefaults

        @defaults = Hash.new { |types, type| types[type] = {} }
        ask('replace_defaults', 'id' => Understudy::DefaultScopes.add(self))
      end

      # The names of the defaults that such code entered.
      def entered_defaults(type)
        @defaults[type].keys.map(&:to_s)
      end

      # A single argument needs no array; nil means none.
      def call_function(name, args, &block)
        Understudy.call_function(name, [*args], within: name_for_host, &block)
      end

      def to_s
        "Scope(#{resource})"
      end
      alias log_source to_s
      alias inspect to_s

      # `scope['facts'][key][...]`; a missing step behaves as in Ruby.
      def __fact__(*keys)
        found = Understudy.ask('fact', 'path' => keys)
        found ? Understudy::Wire.decode(found['value']) : keys.reduce(lookupvar('facts')) { |value, key| value[key] }
      end

      # Puppet throws first: code that catches goes on without an error or a warning.
      def throw_undefined(name, reason)
        begin
          throw :undefined_variable, reason
        rescue UncaughtThrowError
          nil # the error below has no cause
        end
        Puppet.lenient? ? nil : Understudy::Wire.decode(ask_variable(name, 'demanded' => true)['value'])
      end
      private :throw_undefined

      def ask_variable(name, options = {})
        ask('var', { 'name' => name }.merge(options))
      end
      private :ask_variable

      # Sends a query about this scope to the host.
      def ask(call, asked = {})
        where = name_for_host
        Understudy.ask(call, where ? asked.merge('in' => where) : asked)
      end

      def name_for_host
        '' if @top
      end

      # `function_x([...])`: a 3.x function, loaded at its first call.
      def method_missing(method, *args, &block)
        name = method[/\Afunction_(.*)\z/m, 1]
        return super if name.nil? || !Functions.function(name)

        __send__(method, *args, &block)
      end

      # Puppet: a function responds once it is loaded.
      def respond_to_missing?(_method, _include_private = false)
        false
      end
    end

    # An enclosing scope. Its variables are those of its class, else those of the top scope.
    module Enclosing
      # `names`: type and title of the resource of each scope, innermost first; the last one is the
      # top scope's.
      def self.around(names, index)
        return Compiler.instance.topscope if index >= names.length - 1

        type, title = names[index]
        made = Scope.new(top: type != 'Class')
        made.extend(OfClass).of(title.downcase) if type == 'Class'
        made.extend(Enclosing).among(names, index)
      end

      def among(names, index)
        @names = names
        @index = index
        self
      end

      def resource
        Resource.find(*@names[@index])
      end

      def parent
        Enclosing.around(@names, @index + 1)
      end
      alias enclosing_scope parent

      def is_topscope?
        false
      end
    end

    # Queries that code may make on the scope of another class.
    module OfClass
      def of(name)
        @name = name
        self
      end

      def lookupvar(name, options = nil)
        super(name.is_a?(String) ? within(name) : name, options)
      end
      alias [] lookupvar

      %i[include? exist? bound?].each { |method| define_method(method) { |name| super(within(name)) } }

      def resource
        Resource.find('Class', Puppet::Resource.capitalize(@name))
      end

      def name_for_host
        @name
      end

      private

      def within(name)
        name.to_s.include?('::') ? name : "::#{@name}::#{name}"
      end
    end
  end
end
