# frozen_string_literal: true

# Operations of module code on types: parse, create, assert, and format values.
module Puppet
  module Pops
    module Types
      # The parameters in a type's text.
      module Parts
        NESTING = { '[' => 1, '{' => 1, '(' => 1, ']' => -1, '}' => -1, ')' => -1 }.freeze
        TOKEN = %r{'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)*/|.}m

        # Texts between the commas of `Name[...]`.
        def self.of(text)
          inner = text[/\A[\w:]+\[(.*)\]\z/m, 1]
          return [] if inner.nil?

          depth = 0
          inner.scan(TOKEN).each_with_object([+'']) do |token, parts|
            depth += NESTING.fetch(token, 0)
            token == ',' && depth.zero? ? parts << +'' : parts.last << token
          end.map(&:strip)
        end
      end

      class PAnyType
        def parts
          Parts.of(to_s)
        end

        private

        def part(index, default = 'Any')
          PAnyType.of(parts[index] || default)
        end

        def bound(index)
          text = parts[index]
          text.nil? || text == 'default' ? nil : yield(text)
        end
      end

      [PIntegerType, PFloatType].each do |type|
        type.define_method(:from) { bound(0) { |text| is_a?(PIntegerType) ? text.to_i : text.to_f } }
        type.define_method(:to) { bound(1) { |text| is_a?(PIntegerType) ? text.to_i : text.to_f } }
      end

      class PArrayType
        def element_type
          part(0)
        end
      end

      class PHashType
        def key_type
          part(0)
        end

        def value_type
          part(1)
        end
      end

      class PEnumType
        def values
          parts.map { |text| Types.unquote(text) }
        end

        def each(&block)
          values.each(&block)
        end
      end

      [PVariantType, PTupleType].each do |type|
        type.include(Enumerable)
        type.define_method(:types) { parts.map { |text| PAnyType.of(text) } }
        type.define_method(:each) { |&block| types.each(&block) }
      end

      class PIntegerType
        def each(&block)
          to.nil? ? (from..).each(&block) : (from..to).each(&block)
        end
      end

      # It also has the methods of the type that it stands for.
      class PTypeAliasType
        def respond_to_missing?(name, include_private = false)
          resolved_type.respond_to?(name, include_private)
        end

        def method_missing(name, *args, &block)
          resolved_type.public_send(name, *args, &block)
        end
      end

      [POptionalType, PNotUndefType, PTypeType].each do |type|
        type.define_method(:type) { parts.empty? ? nil : part(0) }
      end

      module TypeFactory
        class << self
          def range(from, to)
            PAnyType.of("Integer[#{from.nil? || from == :default ? 'default' : from}, #{to.nil? || to == :default ? 'default' : to}]")
          end

          def struct(members = {})
            PAnyType.of("Struct[{#{members.map { |name, type| "#{name.is_a?(String) ? "'#{name}'" : name} => #{type}" }.join(', ')}}]")
          end

          def tuple(types = [], _size = nil)
            PAnyType.of(types.empty? ? 'Tuple' : "Tuple[#{types.join(', ')}]")
          end

          def pattern(*patterns)
            PAnyType.of("Pattern[#{patterns.map { |one| "/#{one.is_a?(Regexp) ? one.source : one}/" }.join(', ')}]")
          end

          def resource(type = nil, title = nil)
            return PAnyType.of('Resource') if type.nil?

            name = Resource.capitalize(type)
            PAnyType.of(title.nil? ? name : "#{name}[#{Types.quote(title)}]")
          end

          def host_class(name = nil)
            PAnyType.of(name.nil? ? 'Class' : "Class[#{name}]")
          end

          def array_of_data
            array_of('Data')
          end

          def hash_of_data
            hash_of('Data', 'String')
          end

          def type_type(type = nil)
            wrapped('Type', type)
          end

          def not_undef(type = nil)
            wrapped('NotUndef', type)
          end

          def sensitive(type = nil)
            wrapped('Sensitive', type)
          end

          def optional(type = nil)
            wrapped('Optional', type)
          end

          private

          def wrapped(name, type)
            PAnyType.of(type.nil? ? name : "#{name}[#{type.is_a?(String) ? Types.quote(type) : type}]")
          end
        end
      end

      # Values and types as Puppet code.
      class TypeFormatter
        def self.singleton
          @singleton ||= new
        end

        def self.string(value)
          singleton.string(value)
        end

        def string(value)
          value.is_a?(PAnyType) ? value.to_s : StringConverter.convert(value, '%p')
        end
        alias alias_expanded_string string
        alias debug_string string
      end

      # Converts values as `String.new` does.
      class StringConverter
        def self.singleton
          @singleton ||= new
        end

        def self.convert(value, formats = :default)
          singleton.convert(value, formats)
        end

        def convert(value, formats = :default)
          args = formats == :default ? [] : [formats]
          Understudy.call_function('new', [PAnyType.of('String'), value, *args])
        end
      end

      # Fails for values that are no instances.
      module TypeAsserter
        class << self
          def assert_instance_of(subject, expected, value, nil_ok = false)
            return value if (value.nil? && nil_ok) || expected.instance?(value)

            subject = yield(subject) if block_given?
            subject = subject.join(' ') if subject.is_a?(Array)
            raise TypeAssertionError, TypeMismatchDescriber.singleton
                                                           .describe_mismatch("#{subject} has wrong type,", expected, TypeCalculator.infer_set(value))
          end

          def assert_assignable(subject, expected, type)
            return type if expected.assignable?(type)

            raise TypeAssertionError, "#{subject} is incorrect, expects a value of type #{expected}, got #{type}"
          end
        end
      end

      class TypeAssertionError < Puppet::Error; end
    end
  end
end

module Puppet
  module Util
    # Messages with a level and a source of their own.
    class Log
      def self.create(options)
        Understudy.ask('log', 'level' => options[:level].to_s, 'message' => options[:message].to_s, 'source' => options[:source]&.to_s)
      end

      def self.new(options)
        create(options)
      end

      def self.level
        :notice
      end

      def self.levels
        Logging::LEVELS
      end
    end
  end
end
