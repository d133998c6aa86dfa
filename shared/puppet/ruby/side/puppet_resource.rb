# frozen_string_literal: true

module Puppet
  # A reference to a resource with parameters; its subclass Puppet::Parser::Resource is a resource
  # of the catalog.
  class Resource
    extend Understudy::Refusing
    include Enumerable
    include Util::Tagging
    attr_reader :type, :title
    attr_accessor :file, :line, :virtual, :exported

    # Parses `Type[title]`, or a type and a title.
    def self.type_and_title(type, title)
      return [type.type, type.title] if type.is_a?(Resource)
      return named(capitalize(type), title) unless title.nil?

      match = /\A([^\[\]]+)\[(.+)\]\z/m.match(type.to_s)
      raise ArgumentError, "No title provided and #{type.to_s.inspect} is not a valid resource reference" if match.nil?

      named(capitalize(match[1]), match[2])
    end

    # Classes have capitalized names as titles. Puppet: that of the top scope is `:main`, and is not
    # found by a text.
    def self.named(type, title)
      [type, type == 'Class' && title.is_a?(String) ? capitalize(title.delete_prefix('::')) : title]
    end

    def self.capitalize(name)
      name.to_s.split('::').map(&:capitalize).join('::')
    end

    def initialize(type, title = nil, options = {})
      @type, @title = Resource.type_and_title(type, title)
      @parameters = options[:parameters] || {}
      %i[file line virtual exported].each { |name| instance_variable_set("@#{name}", options[name]) if options.key?(name) }
      tag(type)
      tag_if_valid(title)
    end

    attr_reader :parameters

    def ref
      "#{type}[#{title}]"
    end
    alias to_s ref

    def to_ref
      ref
    end

    def inspect
      "#{type}[#{title}]#{to_hash.inspect}"
    end

    def [](name)
      return title if name.to_s == 'title'

      value_of(@parameters[name.to_sym])
    end

    def []=(name, value)
      @parameters[name.to_sym] = value
    end

    # Includes the attributes parsed from the title.
    def to_hash
      titled = Understudy.ask('title', 'type' => type.to_s, 'title' => title.to_s)
      given = @parameters.transform_values { |value| value_of(value) }.reject { |_, value| value.nil? || value == :undef }
      titled.transform_keys(&:to_sym).merge(given)
    end
    alias to_h to_hash

    def key?(name)
      @parameters.key?(name.to_sym)
    end
    alias has_key? key?

    %i[keys length empty?].each { |name| define_method(name) { @parameters.public_send(name) } }

    def delete(name)
      @parameters.delete(name.to_sym)
    end

    def each(&block)
      raise LocalJumpError, 'no block given (yield)' unless block

      @parameters.each { |name, value| block.call(name, value_of(value)) }
    end

    def class?
      type == 'Class'
    end

    def stage?
      type.downcase == 'stage'
    end

    %w[virtual exported].each { |name| define_method(:"#{name}?") { !!instance_variable_get("@#{name}") } }

    def builtin_type?
      resource_type.is_a?(::Class)
    end

    # Returns the class, define, or resource type behind the resource; nil when there is none.
    def resource_type
      known = environment.known_resource_types
      return known.hostclass(title.to_s) if class?

      known.definition(type) || Puppet::Type.type(type.to_s.downcase)
    end

    def valid_parameter?(name)
      resource_type&.valid_parameter?(name) || false
    end

    # Names of the attributes that identify resources of the type.
    def key_attributes
      resource_type.respond_to?(:key_attributes) ? resource_type.key_attributes : [:name]
    end

    def namevar
      key_attributes.length == 1 ? key_attributes.first : :name
    end

    def uniqueness_key
      to_hash.values_at(*key_attributes.sort_by(&:to_s))
    end

    def sensitive_parameters
      @sensitive_parameters ||= []
    end

    # Puppet: the name of a native resource comes from its parameters; all others have their title.
    def name
      "#{type}/#{title}"
    end

    def environment
      Node::Environment.instance
    end

    # In the form of a catalog.
    def to_data_hash
      named = { 'type' => type.to_s, 'title' => title.to_s, 'tags' => tags.to_a }
      named.merge!({ 'file' => file, 'line' => line, 'exported' => !!exported }.compact)
      named['kind'] = kind
      given = to_hash.reject { |name, value| name == namevar && value == title }
      return named if given.empty?

      named.merge('parameters' => given.to_h { |name, value| [name.to_s, value.is_a?(Resource) ? value.ref : value] })
    end

    def kind
      return 'compilable_type' if builtin_type?

      resource_type&.type == :definition ? 'defined_type' : 'unknown'
    end

    def to_json(*args)
      to_data_hash.to_json(*args)
    end

    # In the form of `puppet resource`.
    def to_manifest
      width = to_h_for_manifest.keys.map(&:length).max || 0
      lines = to_h_for_manifest.map { |name, value| "  #{name.ljust(width)} => #{shown(value)},\n" }
      "#{type.downcase} { '#{title}':\n#{lines.join}}"
    end

    refuse_methods :to_ral, :to_hierayaml, :save, :prune_parameters, lacking: 'resources that could be applied'

    def ==(other)
      other.is_a?(Resource) && other.ref == ref
    end
    alias eql? ==

    def hash
      ref.hash
    end

    private

    def value_of(parameter)
      parameter
    end

    def shown(value)
      case value
      when Array then "[#{value.map { |one| shown(one) }.join(', ')}]"
      when Hash then "{ #{value.map { |key, one| "#{shown(key)} => #{shown(one)}" }.join(', ')} }"
      else Pops::Types.quote(value.to_s)
      end
    end

    def to_h_for_manifest
      named = parameters.reject { |name, value| name == :name || value.nil? }.transform_keys(&:to_s)
      named.sort_by { |name, _| [name == 'ensure' ? 0 : 1, name] }.to_h
    end
  end

  module Parser
    # A new resource for the catalog, or an existing one; changes to an existing one apply to the
    # catalog.
    class Resource < Puppet::Resource
      # One parameter.
      class Param
        attr_accessor :name, :value, :source, :line, :file, :add

        def initialize(name: nil, value: nil, source: nil, line: nil, file: nil, add: nil)
          @name = name.to_sym
          @value = value
          @source = source
          @line = line
          @file = file
          @add = add
        end

        def to_s
          "#{name} => #{value}"
        end
      end

      attr_accessor :evaluated
      attr_writer :source
      attr_reader :scope

      class << self
        # Returns the resource of that name, or the scope's resource; nil when there is none.
        def find(type = nil, title = nil)
          found = Understudy.ask('resource', type.nil? ? {} : { 'type' => type, 'title' => title })
          found && allocate.tap { |resource| resource.__send__(:declared, found['about'], found['parameters']) }
        end

        # Returns a resource of a catalog for one without a scope.
        def like(resource)
          new(resource.type, resource.title, scope: Scope.new, parameters: resource.parameters, file: resource.file, line: resource.line)
        end
      end

      # `parameters`: a hash, or a list of Param.
      def initialize(type, title = nil, options = {})
        raise ArgumentError, 'Resources require a hash as last argument' unless options.is_a?(Hash)
        raise ArgumentError, 'Resources require a scope' unless options[:scope]

        super
        @scope = options[:scope]
        @source = options[:source]
        given = @parameters
        @parameters = {}
        given.each { |name, value| name.is_a?(Param) ? set_parameter(name) : set_parameter(name, value) }
      end

      def set_parameter(name, value = nil)
        param = name.is_a?(Param) ? name : Param.new(name: name, value: value)
        change('set', 'parameter' => param.name.to_s, 'value' => Understudy::Wire.encode(param.value)) if @about
        @parameters[param.name] = param
      end
      alias []= set_parameter

      def delete(name)
        change('set', 'parameter' => name.to_s, 'value' => nil) if @about && key?(name)
        super
      end

      def tag(*names)
        change('tag', 'tags' => names.flatten.map(&:to_s)) if @about
        super
      end

      def tags
        @tags ||= Util::TagSet.new(@about ? @about['tags'] : [])
      end

      def eachparam(&block)
        @parameters.each_value(&block)
      end

      def evaluated?
        @about ? @about['evaluated'] : !!evaluated
      end

      def catalog
        Puppet::Resource::Catalog.instance
      end

      # The class, define or node whose code declares it.
      def source
        @source ||= scope.source
      end

      # The name of a class or define is its title.
      def name
        self[:name] || title
      end

      refuse_methods :evaluate, :finish, :merge, :add_edge_to_stage, :copy_as_resource, lacking: 'hand in how a compile goes on'

      private

      def declared(about, parameters)
        @about = about
        @type, title = about['name']
        @title = @type == 'Class' && title == 'main' ? :main : title
        @scope = Scope.new
        @parameters = parameters.to_h { |name, value| [name.to_sym, Param.new(name: name, value: Understudy::Wire.decode(value))] }
        %w[line virtual exported].each { |name| instance_variable_set("@#{name}", about[name]) }
        @file = about['file'] || ''
      end

      # Declares it. The catalog names the place that the code set, and no other. Later changes
      # apply to the catalog.
      def declare
        refuse_second
        given = @parameters.to_h { |name, value| [name.to_s, value_of(value)] }
        prefix = exported ? '@@' : ('@' if virtual)
        Understudy.call_function('create_resources', ["#{prefix}#{type.downcase}", { title => given }])
        change('place', 'file' => file, 'line' => line)
        change('tag', 'tags' => @tags.map(&:to_s)) if @tags && !@tags.empty?
        @about = Understudy.ask('resource', 'type' => type, 'title' => title.to_s)['about']
      end

      def refuse_second
        first = self.class.find(type, title.to_s) or return
        place = Util::Errors.error_location_with_space(first.file, first.line)
        place = " at#{place}" unless place.empty?
        raise Catalog::DuplicateResourceError.new("Duplicate declaration: #{ref} is already declared#{place}; cannot redeclare", file, line)
      end

      def remove(from)
        Understudy.ask('remove', 'type' => type, 'title' => title.to_s, 'from' => from)
      end

      def change(how, fields)
        Understudy.ask('change', fields.merge('how' => how, 'type' => type, 'title' => title.to_s))
      end

      def value_of(parameter)
        parameter.is_a?(Param) ? parameter.value : parameter
      end
    end
  end

  class Resource
    # The definition of a class or define.
    class Type
      extend Understudy::Refusing
      attr_reader :type, :name, :namespace, :file, :line, :module_name, :arguments, :parent

      # `definition`: the host's description.
      def initialize(type, name, definition = {})
        @type = type
        @name = name.to_s.downcase
        @namespace = type == :definition ? @name[/\A(.*)::/, 1].to_s : @name
        @file = definition['file']
        @line = definition['line']
        @module_name = definition['module'].to_s
        @parent = definition['parent']
        # Default values are code, which only the compiler has.
        @arguments = (definition['arguments'] || []).to_h { |argument| [argument, nil] }
      end

      def valid_parameter?(name)
        arguments.key?(name.to_s) || %w[name title].include?(name.to_s) || Puppet::Type.metaparam?(name.to_sym)
      end
      alias validattr? valid_parameter?

      refuse_methods :evaluate_code, :ensure_in_catalog, :set_resource_parameters, :code, lacking: 'code of Puppet that it could run itself'
    end

    # The definitions of an environment.
    class TypeCollection
      extend Understudy::Refusing

      { hostclass: 'class', definition: 'define' }.each do |method, kind|
        define_method(method) do |name|
          found = Understudy.ask('definition', 'kind' => kind, 'name' => name.to_s.delete_prefix('::').downcase)
          found && Type.new(method, found['name'], found)
        end
        alias_method :"find_#{method}", method
      end

      def environment
        Node::Environment.instance
      end

      def version
        0
      end

      refuse_methods :hostclasses, :definitions, :nodes, :node, :nodes?, :add, :add_hostclass, :add_definition, :import_ast,
                     lacking: 'list of all code: classes and defines are found by their names'
    end
  end

  class Node
    TypeCollection = Resource::TypeCollection
  end
end
