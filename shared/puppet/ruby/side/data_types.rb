# frozen_string_literal: true

module Puppet
  # Data types that modules define in Ruby.
  module DataTypes
    Created = Struct.new(:name, :interface, :implementation, :implementation_class)

    # The `self` of the block of `create_type`.
    class TypeBuilderAPI
      attr_reader :created

      def initialize(name)
        @created = Created.new(name)
      end

      def interface(text)
        raise ArgumentError, 'a data type can only have one interface' unless @created.interface.nil?

        @created.interface = text
      end

      def implementation(&block)
        only_one
        @created.implementation = block
      end

      def implementation_class(ruby_class)
        only_one
        @created.implementation_class = ruby_class
      end

      def load_file(name)
        Understudy.require_from_modules(name.delete_suffix('.rb'))
      end

      private

      def only_one
        return if @created.implementation.nil? && @created.implementation_class.nil?

        raise ArgumentError, 'a data type can only have one implementation'
      end
    end

    def self.create_type(name, &block)
      builder = TypeBuilderAPI.new(name.to_s)
      builder.instance_eval(&block)
      raise ArgumentError, 'a data type must have an interface' unless builder.created.interface.is_a?(String)

      builder.created
    rescue StandardError => e
      raise ArgumentError, "Data Type Load Error for type '#{name}': #{e.message}"
    end

    def self.create_loaded_type(name, _loader, &block)
      create_type(name, &block)
    end
  end

  module Pops
    module Loader
      # The `self` of code that defines a data type.
      class RubyDataTypeInstantiator
        def self.get_binding
          binding
        end
      end
    end
  end
end

module Understudy
  # Data types by name, and their objects as Ruby code sees them.
  module DataTypes
    @classes = {}
    @objects = {}

    class << self
      def describe(name, path, source)
        unless source.match?(/Puppet::DataTypes\.create_type/)
          raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 5x API data type - no create_type call."
        end

        created = Loaded.run(path, source, Puppet::Pops::Loader::RubyDataTypeInstantiator.get_binding)
        check(created, name, path)
        ruby_class = @classes[created.name] = class_of(created)
        { 'name' => created.name, 'interface' => created.interface, 'methods' => methods_of(ruby_class),
          'hasOwnClass' => !created.implementation_class.nil?, 'takesHash' => takes_hash?(ruby_class) }
      end

      # Returns the object with that number; creates it on first use from its attributes, in
      # constructor order.
      def object(name, number, attributes)
        @objects[[name, number]] ||= make(name, attributes)
      end

      # Called when another compile begins.
      def forget_objects
        @objects.clear
      end

      # Puppet cannot read objects of a class without Puppet's interface.
      def assert_known_to_puppet(data)
        case data
        when Array then data.each { |item| assert_known_to_puppet(item) }
        when Hash
          ruby_class = @classes[data['__ptype']]
          unless ruby_class.nil? || ruby_class < Puppet::Pops::Types::PuppetObject || takes_hash?(ruby_class)
            raise Puppet::Error, "Unable to create an instance of #{data['__ptype']}. #{ruby_class.name} does not include module " \
                                 'Puppet::Pops::Types::PuppetObject'
          end
          data.each_value { |item| assert_known_to_puppet(item) }
        end
      end

      private

      def make(name, attributes)
        ruby_class = @classes.fetch(name) { raise Puppet::DevError, "data type #{name} is not loaded" }
        return ruby_class.from_attributes(attributes) if ruby_class.respond_to?(:from_attributes)
        return ruby_class.from_asserted_hash(attributes) if ruby_class.respond_to?(:from_asserted_hash)

        ruby_class.new(*attributes.values)
      end

      def check(created, name, path)
        unless created.is_a?(Puppet::DataTypes::Created)
          raise ArgumentError, "The code loaded from #{path} did not produce a data type when evaluated. Got '#{created.class}'"
        end
        return if created.name.casecmp(name).zero?

        raise ArgumentError, "The code loaded from #{path} produced mis-matched name, expected '#{name}', got #{created.name}"
      end

      def class_of(created)
        created.implementation_class || Class.new(Instance).tap do |made|
          made.class_eval(&created.implementation) if created.implementation
        end
      end

      def methods_of(ruby_class)
        own = ruby_class.public_instance_methods - Object.public_instance_methods
        own << :== unless [BasicObject, Comparable, Kernel].include?(ruby_class.instance_method(:==).owner)
        own << :to_s unless ruby_class.instance_method(:to_s).owner == Kernel
        own.map(&:to_s)
      end

      def takes_hash?(ruby_class)
        %i[from_attributes from_hash from_asserted_hash].any? { |name| ruby_class.respond_to?(name) }
      end
    end

    # An object of a type whose methods are a block; its attributes are instance variables.
    class Instance
      def self.from_attributes(attributes)
        attributes.each_key { |name| attr_reader(name) unless method_defined?(name) }
        allocate.tap { |made| attributes.each { |name, value| made.instance_variable_set("@#{name}", value) } }
      end
    end
  end
end
