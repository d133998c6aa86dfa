# frozen_string_literal: true

# What attributes of resource types are made of, as far as code runs while a type is defined. Values are never munged or validated
# in a compile, so that the blocks are kept by nobody. Puppet: lib/puppet/{parameter,property}.rb, lib/puppet/util/classgen.rb
module Puppet
  ConstantAlreadyDefined = Class.new(Error)
  SubclassAlreadyDefined = Class.new(Error)

  module Util
    # Classes that are made while a type is defined: parameters of types, and types.
    module ClassGen
      def genclass(name, options = {}, &block)
        name = name.to_s.downcase.to_sym
        made = Class.new(options[:parent] || self)
        made.instance_variable_set(:@name, name)
        name_constant(made, "#{options[:prefix]}#{name.to_s.capitalize}", options)
        prepare(made, options)
        block ||= options[:block]
        made.class_eval(&block) if block
        store(made, name, options)
        made
      end

      def rmclass(name, options = {})
        options[:hash]&.delete(name)
      end

      private

      def name_constant(made, constant, options)
        return unless constant.match?(/\A[A-Z]\w*\z/)

        if const_defined?(constant, false)
          raise ConstantAlreadyDefined, "Class #{constant} is already defined in #{self}" unless options[:overwrite]

          remove_const(constant)
        end
        const_set(constant, made)
      end

      def prepare(made, options)
        made.initvars if made.respond_to?(:initvars)
        (options[:attributes] || {}).each do |attribute, value|
          made.public_send("#{attribute}=", value) if made.respond_to?("#{attribute}=")
        end
        %i[include extend].each { |how| Array(options[how]).each { |mod| made.__send__(how, mod) } }
        made.preinit if made.respond_to?(:preinit)
      end

      def store(made, name, options)
        hash = options[:hash]
        return if hash.nil?
        raise SubclassAlreadyDefined, "Already a generated class named #{name}" if hash.include?(name) && !options[:overwrite]

        hash[name] = made
      end
    end

    # Texts of documentation.
    module Docs
      attr_writer :doc, :nodoc

      def desc(text)
        @doc = text
      end

      def doc
        @doc.to_s
      end

      def dochook(_name, &block); end

      def nodoc?
        @nodoc
      end

      def markdown_header(name, level)
        "#{'#' * level} #{name}\n\n"
      end

      def scrub(text)
        text
      end
      module_function :scrub
    end

    # Modules that types mix in for what they do on nodes.
    %i[Diff FileType POSIX ProviderFeatures RdocExt Reference SUIDManager SymbolicFileMode Warnings Windows NetworkDevice
       ConstantInflector CommandLine InstanceLoader Profiler Posix].each { |name| const_set(name, ::Module.new) unless const_defined?(name, false) }

    # The device that an agent manages from outside; a server has none.
    def NetworkDevice.current
      nil
    end
  end

  # An attribute that is set, not managed.
  class Parameter
    extend Util
    extend Util::ClassGen
    extend Util::Docs
    extend Util::Errors
    extend Util::Logging
    include Util
    include Util::Errors
    include Util::Logging

    class << self
      attr_reader :name, :default, :required_features
      attr_accessor :metaparam, :unmanaged

      def initvars; end

      def isnamevar
        @isnamevar = true
        @required = true
      end

      def isnamevar?
        @isnamevar
      end

      def isrequired
        @required = true
      end

      def required?
        @required
      end

      def required_features=(*features)
        @required_features = features.flatten
      end

      def defaultto(value = nil, &block)
        @default = block || value
      end

      def nodefault
        @default = nil
      end

      def sensitive(value = nil, &block); end
      def munge(&block); end
      def unmunge(&block); end
      def validate(&block); end
      def newvalues(*names); end
      def newvalue(name, options = {}, &block); end
      def aliasvalue(name, other); end
      def proxymethods(*values); end
      def accept_arrays(bool = true); end
      def value_collection; end

      def format_value_for_display(value)
        value.inspect
      end
    end

    attr_accessor :resource, :parent, :sensitive, :value

    def name
      self.class.name
    end

    %i[path line file version log metaparam? noop pathbuilder munge unmunge validate unsafe_munge unsafe_unmunge unsafe_validate
       remove provider tags format].each { |method| define_method(method) { |*| nil } }

    # Those that Puppet brings.
    %i[Boolean Path PackageOptions Value ValueCollection].each { |name| const_set(name, Class.new(self)) }
  end

  # An attribute that is managed on the node.
  class Property < Parameter
    class << self
      attr_writer :array_matching, :idempotent

      def array_matching
        @array_matching ||= :first
      end

      def idempotent
        @idempotent.nil? ? true : @idempotent
      end

      def value_name(name); end
      def value_option(name, option); end
    end

    attr_reader :shouldorig
    attr_writer :noop

    %i[call_provider change_to_s event event_name insync? insync_values? is_to_s match_all? property_matches? retrieve safe_insync? set
       set? should should= should_to_s sync].each { |method| define_method(method) { |*| nil } }

    # Whether the thing is there.
    class Ensure < Property
      def self.defaultvalues; end
    end

    %i[Boolean List KeyValue].each { |name| const_set(name, Class.new(self)) }
    OrderedList = Class.new(List)
  end
end
