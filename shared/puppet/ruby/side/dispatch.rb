# frozen_string_literal: true

module Understudy
  Parameter = Struct.new(:name, :type, :kind) do
    def describe
      { 'name' => name, 'type' => type, 'kind' => kind }
    end
  end

  # A signature of a function, and the method that implements it.
  class Dispatch
    attr_reader :method_name, :parameters, :is_mismatch

    # `weave`: parameters and names of injected values, in the order of the method's arguments.
    def initialize(method_name, weave, block, returns, is_mismatch)
      @method_name = method_name.to_s
      @weave = weave
      @parameters = weave.grep(Parameter)
      @block = block
      @returns = returns
      @is_mismatch = is_mismatch
    end

    def describe
      { 'method' => method_name, 'parameters' => parameters.map(&:describe), 'block' => @block, 'returns' => @returns,
        'isMismatch' => is_mismatch }
    end

    def fits_count?(count)
      least = parameters.count { |parameter| parameter.kind.start_with?('required') }
      count >= least && (parameters.any? { |parameter| parameter.kind.end_with?('repeated') } || count <= parameters.length)
    end

    def fits?(args, block)
      return false unless fits_count?(args.length)
      return false if block.nil? ? @block && !@block['isOptional'] : @block.nil?

      args.each_with_index.all? do |arg, index|
        type = (parameters[index] || parameters.last).type
        type == 'Any' || Puppet::Pops::Types::PAnyType.of(type).instance?(arg)
      end
    end

    def call(instance, scope, args, block)
      instance.__send__(method_name, *woven(scope, args), &block)
    end

    private

    def woven(scope, args)
      index = -1
      @weave.flat_map do |thread|
        next [inject(thread, scope)] if thread.is_a?(Symbol)

        index += 1
        thread.kind.end_with?('repeated') ? args[index..] || [] : args[index, 1] || []
      end
    end

    def inject(name, scope)
      case name
      when :scope then scope
      when :cache then Puppet::Pops::Adapters::ObjectIdCacheAdapter.of_compile
      else PalCompiler.new(scope)
      end
    end
  end

  # The injected compiler: it calls functions.
  class PalCompiler
    def initialize(scope)
      @scope = scope
    end

    def call_function(name, *args, &block)
      @scope.call_function(name, args, &block)
    end

    def type(text)
      Puppet::Pops::Types::PAnyType.of(text)
    end

    def in_environment(*)
      yield(self)
    end
  end

  # The signatures of a function.
  class Dispatcher
    attr_reader :dispatches

    def initialize
      @dispatches = []
    end

    def add(dispatch)
      @dispatches << dispatch
    end

    def empty?
      @dispatches.empty?
    end

    def signatures
      @dispatches
    end

    # Selects a signature by the arguments, for a call from Ruby.
    def dispatch(instance, scope, args, &block)
      found = @dispatches.find { |candidate| candidate.fits?(args, block) }
      raise ArgumentError, mismatch(instance.class, args) if found.nil?

      result = found.call(instance, scope, args, block)
      found.is_mismatch ? raise(ArgumentError, "'#{instance.class.name}' #{result}") : result
    end

    def mismatch(function, args)
      described = { 'name' => function.name, 'dispatches' => @dispatches.map(&:describe), 'localTypes' => function.local_type_texts }
      Understudy.ask('mismatch', 'function' => described, 'args' => args.map { |arg| Wire.encode(arg) })
    end

    # Returns the dispatch that the host selected: that of the method with this number of arguments.
    def of_method(name, count)
      candidates = @dispatches.select { |candidate| candidate.method_name == name }
      candidates.find { |candidate| candidate.fits_count?(count) } || candidates.first
    end
  end

  # The `self` of the block of `dispatch`.
  class DispatchBuilder
    def initialize
      @weave = []
      @block = nil
      @returns = nil
    end

    def build(method_name, is_mismatch, &block)
      instance_eval(&block)
      Dispatch.new(method_name, @weave, @block, @returns, is_mismatch)
    end

    def param(type, name)
      add(type, name, 'required', 'A required parameter cannot be added after an optional parameter')
    end
    alias required_param param

    def optional_param(type, name)
      add(type, name, 'optional')
    end

    def repeated_param(type, name)
      add(type, name, 'repeated')
    end
    alias optional_repeated_param repeated_param

    def required_repeated_param(type, name)
      add(type, name, 'required_repeated', 'A required repeated parameter cannot be added after an optional parameter')
    end

    def block_param(*type_and_name)
      block(type_and_name, false)
    end
    alias required_block_param block_param

    def optional_block_param(*type_and_name)
      block(type_and_name, true)
    end

    def return_type(type)
      check_type(type, "Argument to 'return_type' must be a String reference to a Puppet Data Type.")
      @returns = type.to_s
    end

    private

    def add(type, name, kind, not_after_optional = nil)
      raise ArgumentError, 'Parameters cannot be added after a block parameter' if @block

      parameters = @weave.grep(Parameter)
      raise ArgumentError, 'Parameters cannot be added after a repeated parameter' if parameters.last&.kind&.end_with?('repeated')
      raise ArgumentError, "Parameter name argument must be a Symbol. Got #{name.class}" if name.is_a?(String)

      check_type(type, "Parameter 'type' must be a String reference to a Puppet Data Type.")
      raise ArgumentError, not_after_optional if not_after_optional && parameters.any? { |parameter| parameter.kind == 'optional' }

      @weave << Parameter.new(name.to_s, type.to_s, kind)
    end

    def check_type(type, message)
      return if type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)

      raise ArgumentError, "#{message} Got #{type.class}"
    end

    def block(type_and_name, is_optional)
      if type_and_name.length > 2
        raise ArgumentError, "block_param accepts max 2 arguments (type, name), got #{type_and_name.length}."
      end

      name = type_and_name.empty? ? :block : type_and_name.last
      raise ArgumentError, "Expected block_param name to be a Symbol, got #{name.class}" unless name.is_a?(Symbol)
      raise ArgumentError, 'Attempt to redefine block' if @block

      @block = { 'type' => type_and_name.length == 2 ? type_and_name.first.to_s : 'Callable', 'isOptional' => is_optional,
                 'name' => name.to_s }
    end
  end

  # Like DispatchBuilder, with the values that Puppet injects.
  class InternalDispatchBuilder < DispatchBuilder
    { scope_param: :scope, script_compiler_param: :script_compiler, cache_param: :cache, compiler_param: :compiler,
      pal_compiler_param: :pal_compiler }.each do |method, injected|
      define_method(method) { @weave << injected }
    end
  end

  # The `self` of the block of `local_types`.
  class LocalTypes
    attr_reader :texts

    def initialize
      @texts = []
    end

    def type(assignment)
      unless assignment.match?(/\A\s*[A-Z]\w*(::[A-Z]\w*)*\s*=/)
        raise ArgumentError, "Expected a type alias assignment on the form 'AliasType = T', got '#{assignment}'"
      end

      @texts << assignment
    end
  end
end
