# frozen_string_literal: true

module Puppet
  module Pops
    module Functions
      # Functions that were called in the compile.
      module Instances
        @made = {}

        class << self
          def of(function)
            @made[function] ||= function.new(Puppet::Parser::Scope.new(top: true), Puppet::Pops::Loaders.find_loader)
          end

          # Called when another compile begins.
          def forget
            @made.clear
          end
        end
      end

      # The base class of 4.x functions.
      class Function
        class << self
          attr_reader :func_name, :loader
          # Whether its code may change arrays and hashes that it receives.
          attr_accessor :changes_values
          # Whether its code may read hashes without calling their methods.
          attr_accessor :spreads

          def name
            @func_name || super
          end

          # One instance for each compile: its state remains for the next call.
          def instance
            Instances.of(self)
          end

          def dispatcher
            @dispatcher ||= Understudy::Dispatcher.new
          end

          def signatures
            dispatcher.signatures
          end

          def local_type_texts
            @local_type_texts ||= []
          end
        end

        attr_reader :loader

        def initialize(closure_scope, loader = nil)
          @closure_scope = closure_scope
          @loader = loader
        end

        def closure_scope
          @closure_scope ||= Puppet::Parser::Scope.new(top: true)
        end

        def call(scope, *args, &block)
          self.class.dispatcher.dispatch(self, scope, args, &block)
        end

        # Puppet: runs in the top scope, wherever the function itself was called.
        def call_function(name, *args, &block)
          Understudy.call_function(name, args, within: '', own: true, &block)
        end
      end
    end
  end

  module Pops
    module Loader
      # The `self` of code that defines a function.
      class RubyFunctionInstantiator
      end
    end
  end

  # The 4.x API of functions.
  module Functions
    class Function < Pops::Functions::Function
      class << self
        def builder
          Understudy::DispatchBuilder.new
        end

        def dispatch(method_name, &block)
          dispatcher.add(builder.build(method_name, false, &block))
        end

        def argument_mismatch(method_name, &block)
          dispatcher.add(builder.build(method_name, true, &block))
        end

        def local_types(&block)
          types = Understudy::LocalTypes.new
          types.instance_eval(&block)
          types.texts.each do |text|
            name, type = text.split('=', 2).map(&:strip)
            define_method("type_#{name.downcase}") { Pops::Types::PAnyType.of(type) }
          end
          local_type_texts.concat(types.texts)
        end
      end
    end

    class InternalFunction < Function
      def self.builder
        Understudy::InternalDispatchBuilder.new
      end

      def call_function_with_scope(scope, name, *args, &block)
        scope.call_function(name, args, &block)
      end
    end

    PuppetFunction = Class.new(Function)

    @created = {}

    class << self
      def created(name)
        @created[name]
      end

      def forget(name)
        @created.delete(name)
      end

      def create_function(name, base = Function, &block)
        unless base.ancestors.include?(Pops::Functions::Function)
          raise ArgumentError, "Functions must be based on Puppet::Pops::Functions::Function. Got #{base}"
        end

        @created[name.to_s] = build(name.to_s, base, block)
      rescue StandardError => e
        raise ArgumentError, "Function Load Error for function '#{name}': #{e.message}", e.backtrace
      end

      def create_loaded_function(name, _loader, base = Function, &block)
        create_function(name, base, &block)
      end

      private

      def build(name, base, block)
        function = Class.new(base)
        function.instance_variable_set(:@func_name, name)
        function.class_eval(&block)
        add_default(function, name.split('::').last) if function.dispatcher.empty?
        function
      end

      # Without a dispatch, the method named like the function accepts any arguments.
      def add_default(function, name)
        unless function.method_defined?(name)
          raise ArgumentError, 'Function Creation Error, cannot create a default dispatcher for function ' \
                               "'#{name}', no method with this name found"
        end

        kinds = { req: 'required', opt: 'optional', rest: 'repeated' }
        weave = function.instance_method(name).parameters.filter_map do |kind, parameter|
          Understudy::Parameter.new(parameter.to_s, 'Any', kinds[kind]) if kinds.key?(kind)
        end
        function.dispatcher.add(Understudy::Dispatch.new(name, weave, nil, nil, false))
      end
    end
  end
end

# Puppet: only these classes surround the code, lib/puppet/pops/loader/ruby_function_instantiator.rb
# and ruby_legacy_function_instantiator.rb. Labels of places show the method's name.
class Puppet::Pops::Loader::RubyFunctionInstantiator # rubocop:disable Style/ClassAndModuleChildren
  def self.get_binding
    binding
  end
end

class Puppet::Pops::Loader::RubyLegacyFunctionInstantiator # rubocop:disable Style/ClassAndModuleChildren
  def self.get_binding
    binding
  end
end
