# frozen_string_literal: true

module Puppet
  module Pops
    # Attaches objects of a class to other objects: at most one of each class to each object.
    module Adaptable
      class Adapter
        # Returns the adapter of an object, or nil.
        def self.get(object)
          object.instance_variable_get(self_attr_name) if object.instance_variable_defined?(self_attr_name)
        end

        # Returns the adapter of an object; creates it when missing and yields it with the object.
        def self.adapt(object, &block)
          adapter = get(object) || associate_adapter(create_adapter(object), object)
          block.arity == 1 ? block.call(adapter) : block.call(adapter, object) if block
          adapter
        end

        # Creates a new adapter.
        def self.adapt_new(object, &block)
          clear(object)
          adapt(object, &block)
        end

        def self.clear(object)
          object.remove_instance_variable(self_attr_name) if object.instance_variable_defined?(self_attr_name)
        end

        def self.create_adapter(_object)
          new
        end

        def self.associate_adapter(adapter, object)
          object.instance_variable_set(self_attr_name, adapter)
        end

        def self.self_attr_name
          @self_attr_name ||= :"@#{name.gsub('::', '__')}"
        end
      end
    end

    module Adapters
      # Values that functions with an injected cache keep during a compile, by object.
      class ObjectIdCacheAdapter < Adaptable::Adapter
        # Ruby's memory is restored after each compile.
        def self.of_compile
          @of_compile ||= new
        end

        def initialize
          super
          @cache = {}
        end

        def retrieve(object)
          @cache[object.__id__] ||= {}
        end
      end
    end

    # Issues, by code.
    module Issues
      # A kind of issue and its message.
      class Issue
        attr_reader :issue_code, :arg_names

        def initialize(issue_code, *arg_names, &block)
          @issue_code = issue_code
          @arg_names = arg_names
          @message_block = block
        end

        # `values`: the arguments of the message, by name.
        def format(values = {})
          arguments = Object.new
          values.each { |name, value| arguments.define_singleton_method(name) { value } }
          arguments.instance_eval(&@message_block)
        end
      end

      def self.issue(code, *args, &block)
        Issue.new(code, *args, &block)
      end

      def self.hard_issue(code, *args, &block)
        Issue.new(code, *args, &block)
      end

      TASK_OPERATION_NOT_SUPPORTED_WHEN_COMPILING = issue(:TASK_OPERATION_NOT_SUPPORTED_WHEN_COMPILING, :operation) do
        "The task operation '#{operation}' is not available when compiling a catalog"
      end
      CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING = issue(:CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING, :operation) do
        "The catalog operation '#{operation}' is only available when compiling a catalog"
      end
      UNKNOWN_FUNCTION = issue(:UNKNOWN_FUNCTION, :name) { "Unknown function: '#{name}'." }
    end

    # Helpers for strings and numbers.
    module Utils
      module_function

      # Converts a text or number to a number; nil when it is not numeric.
      def to_n(value)
        value.is_a?(Numeric) ? value : Parser::Scope.number?(value)
      end

      def is_numeric?(value)
        !to_n(value).nil?
      end

      def name_to_segments(name)
        name.split('::')
      end
    end

    module Evaluator
      # Calls deferred functions.
      class DeferredResolver
        def self.resolve(value, compiler, _preprocess_deferred = true)
          new(compiler).resolve(value)
        end

        def self.resolve_and_replace(*)
          Understudy.unavailable!("#{name}.resolve_and_replace", 'catalog to apply')
        end

        def initialize(compiler)
          @compiler = compiler
        end

        def resolve(value)
          case value
          when Array then value.map { |one| resolve(one) }
          when Hash then value.to_h { |key, one| [resolve(key), resolve(one)] }
          when Types::PSensitiveType::Sensitive then Types::PSensitiveType::Sensitive.new(resolve(value.unwrap))
          else deferred?(value) ? call(value.name, resolve(value.arguments || [])) : value
          end
        end

        private

        def deferred?(value)
          value.is_a?(Types::CarriedObject) && value.type_name == 'Deferred'
        end

        # `$name` is a variable.
        def call(name, arguments)
          return @compiler.topscope.call_function(name, arguments) unless name.start_with?('$')

          value = @compiler.topscope.lookupvar(name.delete_prefix('$'))
          arguments.empty? ? value : @compiler.topscope.call_function('dig', [value, *arguments])
        end
      end
    end
  end

  class ParseErrorWithIssue
    # Raises an issue at the innermost location of Puppet code.
    def self.from_issue_and_stack(issue, values = {})
      file, line = Pops::PuppetStack.top_of_stack
      new(issue.format(values), file, line, nil, nil, issue.issue_code, values)
    end
  end
end
