# frozen_string_literal: true

# Types as module code sees them: a type is its text, and the host answers questions about it.
module Puppet
  module Pops
    module Types
      class PAnyType
        # Selects a class by the type's text: a reference to a resource or class has its own class.
        def self.of(text)
          name = text[/\A[A-Za-z0-9_:]+/].to_s
          return PTypeAliasType.new(text) if text.match?(/\A[\w:]+ = /)
          return PClassType.new(text) if name == 'Class'
          return PResourceType.new(text) if name == 'Resource' || (!KNOWN.include?(name) && (text.end_with?(']') || !name.include?('::')))

          (KNOWN_CLASSES[name] || PAnyType).new(text)
        end

        def initialize(text = 'Any')
          @text = text
        end

        def self.const_missing(name)
          name == :DEFAULT ? const_set(:DEFAULT, new(self == PAnyType ? 'Any' : self.name[/P(\w+)Type\z/, 1])) : super
        end

        def to_s
          @text
        end

        def name
          @text[/\A[A-Za-z0-9_:]+/]
        end

        def simple_name
          name.split('::').last
        end

        def instance?(value, _guard = nil)
          return true if @text == 'Any'

          Understudy.ask('instance', 'type' => @text, 'value' => Understudy::Wire.encode(value))
        end

        def assignable?(other, _guard = nil)
          Understudy.ask('instance', 'type' => "Type[#{@text}]", 'value' => Understudy::Wire.encode(other))
        end

        def generalize
          self
        end

        # Creates a value as `new` does.
        def create(*args)
          Understudy.call_function('new', [self, *args])
        end

        def ==(other)
          other.is_a?(PAnyType) && other.to_s == @text
        end
        alias eql? ==

        def hash
          @text.hash
        end

        def inspect
          @text
        end

        # The value that the type was inferred of, to describe a mismatch by.
        attr_accessor :inferred_of
      end

      KNOWN_NAMES = {
        'PScalarType' => %w[Scalar], 'PScalarDataType' => %w[ScalarData], 'PDataType' => %w[Data RichData], 'PUndefType' => %w[Undef],
        'PNumericType' => %w[Numeric], 'PIntegerType' => %w[Integer], 'PFloatType' => %w[Float], 'PBooleanType' => %w[Boolean],
        'PStringType' => %w[String], 'PEnumType' => %w[Enum], 'PPatternType' => %w[Pattern], 'PRegexpType' => %w[Regexp],
        'PCollectionType' => %w[Collection], 'PArrayType' => %w[Array], 'PHashType' => %w[Hash], 'PStructType' => %w[Struct],
        'PTupleType' => %w[Tuple], 'PVariantType' => %w[Variant], 'POptionalType' => %w[Optional], 'PNotUndefType' => %w[NotUndef],
        'PTypeType' => %w[Type], 'PCallableType' => %w[Callable], 'PIterableType' => %w[Iterable], 'PIteratorType' => %w[Iterator],
        'PSemVerType' => %w[SemVer], 'PSemVerRangeType' => %w[SemVerRange], 'PTimespanType' => %w[Timespan],
        'PTimestampType' => %w[Timestamp], 'PRuntimeType' => %w[Runtime], 'PDefaultType' => %w[Default], 'PInitType' => %w[Init],
        'PObjectType' => %w[Object], 'PTypeSetType' => %w[TypeSet], 'PCatalogEntryType' => %w[CatalogEntry],
        'PTypeAliasType' => %w[TypeAlias], 'PTypeReferenceType' => %w[TypeReference]
      }.freeze
      KNOWN_CLASSES = KNOWN_NAMES.each_with_object({}) do |(class_name, names), known|
        type_class = const_set(class_name, Class.new(PAnyType))
        names.each { |name| known[name] = type_class }
      end
      # These two are declared beside their values.
      KNOWN = Set.new(KNOWN_CLASSES.keys + %w[Any Sensitive Binary URI Error Deferred Target]).freeze

      # `Name = Type`, as an alias is shown; its name alone is asked about.
      class PTypeAliasType
        def resolved_type
          PAnyType.of(@text[/ = (.*)\z/m, 1])
        end

        def instance?(value, _guard = nil)
          Understudy.ask('instance', 'type' => name, 'value' => Understudy::Wire.encode(value))
        end

        def assignable?(other, _guard = nil)
          Understudy.ask('instance', 'type' => "Type[#{name}]", 'value' => Understudy::Wire.encode(other))
        end
      end

      # `Class['name']`.
      class PClassType < PCatalogEntryType
        def class_name
          @text[/\[['"]?(.*?)['"]?\]\z/, 1]
        end
      end

      # `File['/x']`, `Foo::Bar['x']`, `Resource['file', '/x']`.
      class PResourceType < PCatalogEntryType
        def type_name
          name == 'Resource' ? @text[/\[\s*['"]?([\w:]+)/, 1] : name
        end

        def title
          inner = @text[/\A[\w:]+\[(.*)\]\z/m, 1]
          return nil if inner.nil?

          inner = inner.sub(/\A\s*['"]?[\w:]+['"]?\s*(,\s*|\z)/, '') if name == 'Resource'
          return nil if inner.empty?

          Types.unquote(inner)
        end
      end

      class << self
        # The string that a quoted literal of Puppet stands for.
        def unquote(text)
          case text
          when /\A'(.*)'\z/m then Regexp.last_match(1).gsub(/\\(['\\])/, '\1')
          when /\A"(.*)"\z/m
            Regexp.last_match(1).gsub(/\\(u\{\h+\}|.)/m) do
              char = Regexp.last_match(1)
              char.start_with?('u{') ? [char[2..-2].hex].pack('U') : { 'n' => "\n", 't' => "\t", 'r' => "\r", 's' => ' ' }.fetch(char, char)
            end
          else text
          end
        end

        # A literal of Puppet for a title.
        def quote(text)
          "'#{text.gsub(/(\\(?=['\\]|\z)|')/) { "\\#{Regexp.last_match(1)}" }}'"
        end
      end

      # Parses nothing: the text is the type, the host resolves it.
      class TypeParser
        def self.singleton
          @singleton ||= new
        end

        def parse(text, _context = nil)
          PAnyType.of(text.to_s)
        end
      end

      module TypeFactory
        class << self
          def type_of(value)
            TypeCalculator.infer(value)
          end

          def array_of(type)
            PAnyType.of("Array[#{type}]")
          end

          def variant(*types)
            PAnyType.of("Variant[#{types.join(', ')}]")
          end

          def enum(*values)
            PAnyType.of("Enum[#{values.map { |value| Types.quote(value) }.join(', ')}]")
          end

          { any: 'Any', integer: 'Integer', float: 'Float', string: 'String', boolean: 'Boolean', numeric: 'Numeric', scalar: 'Scalar',
            undef: 'Undef', data: 'Data', rich_data: 'RichData', regexp: 'Regexp', collection: 'Collection', binary: 'Binary',
            callable: 'Callable', default: 'Default', scalar_data: 'ScalarData', catalog_entry: 'CatalogEntry', iterable: 'Iterable',
            timestamp: 'Timestamp', timespan: 'Timespan', sem_ver: 'SemVer', uri: 'URI', error: 'Error', deferred: 'Deferred' }.each do |method, text|
            define_method(method) { |*| PAnyType.of(text) }
          end

          def hash_of(value = nil, key = nil)
            PAnyType.of(value.nil? ? 'Hash' : "Hash[#{key || 'Scalar'}, #{value}]")
          end
        end
      end

      class TypeCalculator
        class << self
          def singleton
            self
          end

          def instance?(type, value)
            type.instance?(value)
          end

          def infer(value)
            inferred(value, false)
          end

          def infer_set(value)
            inferred(value, true)
          end

          def string(type)
            type.to_s
          end
          alias debug_string string

          def inferred(value, set)
            type = PAnyType.of(Understudy.ask('typeof', 'value' => Understudy::Wire.encode(value), 'set' => set))
            type.inferred_of = [value]
            type
          end
          private :inferred

          def assignable?(type, other)
            type.assignable?(other)
          end

          def generalize(type)
            type.generalize
          end

          def iterable(value)
            Iterable.on(value)
          end
        end
      end

      # Says why a value does not have a type; `assert_type` of the host finds the words.
      class TypeMismatchDescriber
        def self.singleton
          @singleton ||= new
        end

        def self.describe_mismatch(*args)
          singleton.describe_mismatch(*args)
        end

        def describe_mismatch(name, expected, actual, _tense = nil)
          unless actual.inferred_of.nil?
            args = [expected, actual.inferred_of.first].map { |value| Understudy::Wire.encode(value) }
            Understudy.ask('function', 'name' => 'assert_type', 'args' => args, 'block' => nil)
          end
          return "#{name} expects a value of type #{expected}, got #{actual.name}" unless expected.to_s.match?(/\A\w+\z/)

          "#{name} expects #{expected.to_s.match?(/\A[AEIOU]/) ? 'an' : 'a'} #{expected} value, got #{actual.name}"
        rescue Understudy::HostError => e
          e.message.sub(/\A.*?assert_type\(\):/m, name.to_s).sub(/ \((?:file|line):[^()]*\)\z/, '')
        end
      end

      # Values that can be iterated, as the 4.x iteration functions take them.
      module Iterable
        class << self
          def on(value)
            case value
            when Array, Hash, Range, Enumerator then value.each
            when Integer then value.times
            when String then value.each_char
            end
          end

          def asserted_iterable(caller, value)
            on(value) || raise(ArgumentError, "#{caller.class}(): wrong argument type (#{value.class}; is not Iterable.")
          end
        end
      end
    end

    module PuppetStack
      def self.stacktrace
        Understudy.ask('stack')
      end

      def self.top_of_stack
        stacktrace.first || []
      end
    end

    module Evaluator
      # A Puppet lambda as a Ruby block.
      class PuppetProc < Proc
        # As `Proc#parameters` has them: `[:req, :name]`.
        attr_accessor :parameters
        # The number by which the host knows the lambda.
        attr_accessor :host_id

        def arity
          required = parameters.take_while { |kind, _| kind == :req }.length
          required == parameters.length ? required : -required - 1
        end
      end

      module Runtime3ResourceSupport
        def self.find_resource_type_or_class(_scope, name)
          name.to_s
        end

        def self.find_resource_type(_scope, name)
          name.to_s
        end
      end
    end

    module Serialization
      # Values from rich data.
      class FromDataConverter
        def self.convert(data, options = {})
          new(options).convert(data)
        end

        def initialize(_options = {}); end

        def convert(data)
          Understudy.ask_value('from_data', 'data' => Understudy::Wire.encode(data))
        end
      end

      # Rich values as data, as far as functions that print need it.
      class ToDataConverter
        def self.convert(value, options = {})
          new(options).convert(value)
        end

        def initialize(options = {})
          @rich = options.fetch(:rich_data, false)
          @local_reference = options.fetch(:local_reference, @rich)
        end

        def convert(value)
          return to_rich_data(value) if @rich

          case value
          when nil, true, false, Numeric, String then value
          when Array then value.map { |element| convert(element) }
          when Hash then convert_hash(value)
          else convert_rich(value)
          end
        end

        private

        def to_rich_data(value)
          Understudy.ask_value('to_data', 'value' => Understudy::Wire.encode(value), 'local_reference' => @local_reference)
        end

        def convert_hash(hash)
          return hash.transform_values { |value| convert(value) } if hash.each_key.all?(String)

          hash.to_h { |key, value| [key.is_a?(Symbol) && key != :default ? key.to_s : convert(key).to_s, convert(value)] }
        end

        def convert_rich(value)
          return { '__ptype' => 'Sensitive', '__pvalue' => convert(value.unwrap) } if value.is_a?(Types::PSensitiveType::Sensitive)

          value.is_a?(Regexp) ? value.source : value.to_s
        end
      end
    end
  end
end
