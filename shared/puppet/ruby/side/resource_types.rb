# frozen_string_literal: true

require_relative 'resource_parameters'

# Resource types, as far as a compile needs them: attributes, namevars and title patterns. The
# blocks of a definition run; providers are not loaded. Puppet: lib/puppet/type.rb,
# lib/puppet/metatype/manager.rb
module Puppet
  class Type
    extend Util::ClassGen
    extend Util::Docs
    extend Util::Errors
    extend Util::Logging
    include Util
    include Util::Errors
    include Util::Logging

    # Queries on a type's class.
    module Attributes
      attr_reader :name, :properties
      attr_accessor :self_refresh, :providerloader, :defaultprovider

      def initvars
        @parameters = []
        @paramhash = {}
        @properties = []
        @validproperties = {}
      end

      def inherited(sub)
        super
        sub.initvars
      end

      def newparam(name, options = {}, &block)
        made = genclass(name, parent: options[:parent] || Parameter, prefix: 'Parameter', hash: @paramhash,
                              attributes: options[:attributes], &block)
        @parameters << made
        made.required_features = options[:required_features] if options[:required_features]
        made.isnamevar if options[:namevar]
        define_method("#{name}?") { nil } if options[:boolean]
        made
      end

      def newproperty(name, options = {}, &block)
        name = name.to_sym
        raise DevError, "Options must be a hash, not #{options.inspect}" unless options.is_a?(Hash)
        raise DevError, "Class #{self.name} already has a property named #{name}" if @validproperties.include?(name)

        made = genclass(name, parent: options[:parent] || Property, hash: @validproperties,
                              attributes: options.except(:parent), &block)
        name == :ensure ? @properties.unshift(made) : @properties.push(made)
        made
      end

      def newmetaparam(name, _options = {}, &block)
        genclass(name, parent: Parameter, prefix: 'MetaParam', overwrite: true, &block)
      end

      def ensurable(&block)
        newproperty(:ensure, parent: Property::Ensure, &(block || proc { defaultvalues }))
      end

      def ensurable?
        %i[exists? create destroy].all? { |method| public_method_defined?(method) }
      end

      def parameters
        @parameters.map(&:name)
      end

      def validproperties
        @validproperties.keys
      end

      def validproperty?(name)
        @validproperties.key?(name.to_sym)
      end

      def validparameter?(name)
        @paramhash.key?(name.to_sym) || metaparam?(name)
      end

      def validattr?(name)
        name.to_sym == :name || validproperty?(name) || validparameter?(name)
      end
      alias valid_parameter? validattr?

      def paramclass(name)
        @paramhash[name]
      end

      def propertybyname(name)
        @validproperties[name]
      end

      def attrclass(name)
        @validproperties[name.to_sym] || @paramhash[name.to_sym]
      end

      def attrtype(name)
        return :property if validproperty?(name)

        @paramhash.key?(name.to_sym) ? :param : :meta
      end

      def allattrs
        key_attributes | (parameters & [:provider]) | properties.map(&:name) | parameters | metaparams
      end

      def key_attribute_parameters
        @parameters.find_all { |parameter| parameter.isnamevar? || parameter.name == :name }
      end

      def key_attributes
        key_attribute_parameters.map(&:name)
      end

      def title_patterns
        case key_attributes.length
        when 0 then []
        when 1 then [[/(.*)/m, [[key_attributes.first]]]]
        else raise DevError, 'you must specify title patterns when there are two or more key attributes'
        end
      end
    end

    # Declarations of a definition apart from its attributes.
    module Declarations
      METAPARAMETERS = %i[noop schedule audit loglevel alias tag require subscribe before notify stage].freeze

      def metaparams
        METAPARAMETERS
      end

      def metaparam?(name)
        METAPARAMETERS.include?(name.to_sym)
      end

      def relationship_params
        []
      end

      def isomorphic?
        defined?(@isomorphic) ? @isomorphic : true
      end

      def apply_to
        @apply_to ||= :host
      end

      { device: :apply_to_device, host: :apply_to_host, both: :apply_to_all }.each do |target, method|
        define_method(method) { @apply_to = target }
      end

      def can_apply_to(target)
        [target == :device ? :device : :host, :both].include?(apply_to)
      end

      def providers
        @providers ||= []
      end

      def provide(name, _options = {}, &_block)
        providers << name
        Provider
      end

      def unprovide(name)
        providers.delete(name)
      end

      def providify; end
      def provider(_name); end
      def validate(&block); end
      def feature(name, docs = nil, options = {}, &block); end
      def instances; end
      def parameters_to_include = []

      %i[autorequire autobefore autosubscribe autonotify].each { |method| define_method(method) { |*_types, &_block| nil } }

      def to_s
        @name ? "Puppet::Type::#{@name.to_s.capitalize}" : super
      end
    end

    extend Attributes
    extend Declarations
    initvars

    @types = {}

    class << self
      def newtype(name, options = {}, &block)
        name = name.to_sym
        made = genclass(name, parent: Type, overwrite: true, hash: @types, attributes: options.is_a?(Hash) ? options : {}, &block)
        made.ensurable if made.ensurable? && !made.validproperty?(:ensure)
        made
      end

      def known(name)
        @types[name.to_sym]
      end

      def rmtype(name)
        @types.delete(name.to_sym)
      end

      # Returns the type of that name; nil when neither Puppet nor a module has it.
      def type(name)
        name = name.to_s.downcase.to_sym
        Understudy.require_from_modules("puppet/type/#{name}") unless @types.key?(name)
        @types[name] || builtin(name) || generated(name)
      end

      def loadall; end
      def eachtype; end

      # Puppet's own types and classes are available by name.
      def const_missing(name)
        made = type(name)
        return made if made

        super
      end

      private

      # The compiler knows their attributes.
      def builtin(name)
        return nil unless BUILTIN.include?(name)

        @types[name] = genclass(name, parent: Builtin, overwrite: true).tap { |made| made.known_as(name) }
      end

      # Creates a type of which only the compiler knows the attributes.
      def generated(name)
        return nil if Understudy.defining_type? || Understudy.ask('type', 'name' => name.to_s).nil?

        @types[name] = genclass(name, parent: Builtin, overwrite: true).tap { |made| made.known_as(name) }
      end
    end

    # One of Puppet's own types, whose properties module code uses as parents.
    class Builtin < Type
      class << self
        # Its attributes are requested on first use.
        def known_as(name)
          @known_as = name
        end

        def properties
          describe
          super
        end

        %i[parameters validproperties key_attributes title_patterns].each { |method| define_method(method) { describe && super() } }
        %i[validproperty? validparameter? validattr? valid_parameter? paramclass propertybyname attrclass attrtype].each do |method|
          define_method(method) { |name| describe && super(name) }
        end

        private

        def describe
          return true unless defined?(@known_as) && @known_as && !Understudy.defining_type?

          found = Understudy.ask('type', 'name' => @known_as.to_s) || {}
          @known_as = nil
          (found['properties'] || []).each { |name| newproperty(name.to_sym) unless @validproperties.include?(name.to_sym) }
          (found['parameters'] || []).each { |name| newparam(name.to_sym, namevar: found['namevars'].include?(name)) }
          true
        end
      end

      def self.const_missing(name)
        const_set(name, Class.new(Property))
      end
    end

    BUILTIN = %i[component exec file filebucket group notify package resources schedule service stage tidy user whit].freeze

    attr_accessor :title, :provider, :catalog, :file, :line, :tags

    # Methods that a type may redefine, call by `super` or alias.
    %i[[] []= appliable_to_device? appliable_to_host? autorequire builddepends delete eachproperty eval_generate event finish flush
       generate insync? isomorphic? managed? name newattr noop? parameter parameters path post_resource_eval pre_run_check properties
       property propertydefined? ref remove retrieve retrieve_resource set_default set_parameters should suitable? to_hash to_resource
       uniqueness_key validate value].each { |method| define_method(method) { |*| nil } }
  end

  # Providers do not run: their classes exist because definitions use their names.
  class Provider
    extend Util::ClassGen
    extend Util::Docs
    include Util::Errors
    include Util::Logging

    def self.method_missing(*); end

    def self.respond_to_missing?(*)
      true
    end

    ParsedFile = Class.new(self)
    NameService = Class.new(self)
  end
end

module Understudy
  NoSuchType = Class.new(ArgumentError)

  # Describes a type for the compile.
  module TypeDescriptions
    class << self
      # Runs the file's code. Raises its errors, and NoSuchType when it does not define a type of
      # that name.
      def describe(name, path, source)
        Understudy.defining_type = true
        Puppet::Type.rmtype(name)
        Loaded.run(path, source)
        type = Puppet::Type.known(name) or raise NoSuchType, "#{path} does not define the resource type '#{name}'"
        {
          'properties' => type.properties.map { |property| property.name.to_s },
          'parameters' => type.parameters.map(&:to_s),
          'namevars' => type.key_attributes.map(&:to_s),
          'isomorphic' => type.isomorphic?, 'applyTo' => type.apply_to.to_s, 'hasProvider' => !type.providers.empty?
        }.merge(title_patterns(type))
      ensure
        Understudy.defining_type = false
      end

      private

      def title_patterns(type)
        { 'titlePatterns' => type.title_patterns.map { |pattern, groups| title_pattern(pattern, groups) } }
      rescue StandardError => e
        { 'titlePatterns' => [], 'titleError' => e.message }
      end

      def title_pattern(pattern, groups)
        { 'pattern' => numbered(pattern), 'groups' => groups.map { |name, *| name.to_s },
          'converts' => groups.any? { |_, conversion| conversion && converts?(conversion) } }
      end

      # Converts named groups of a pattern to numbered ones; other groups become non-capturing.
      def numbered(pattern)
        return pattern.to_s if pattern.names.empty?

        pattern.to_s.gsub(/\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?<(?![=!])\w+>)?(?!\?)/m) do |part|
          next part unless part.start_with?('(')

          part == '(' ? '(?:' : '('
        end
      end

      # Old definitions use a lambda as the identity; any other conversion changes the namevar's
      # value.
      def converts?(conversion)
        ['a', 'A b/', '/x/', ''].any? { |text| conversion.call(text.dup) != text }
      end
    end
  end
end
