# frozen_string_literal: true

module Understudy
  # Handles the host's requests, by `op`.
  module Requests
    # Requests that run no code of modules.
    WITHOUT_MODULES = %w[ping keep_code compile check_erb].freeze

    @depth = 0
    @describes = false

    class << self
      # Whether the innermost request loads code to describe what it defines.
      def describing?
        @describes
      end

      # Answers a request, including the changes made by the code.
      def handle(request)
        @depth += 1
        outer = @describes
        @describes = request['op'].start_with?('describe')
        Ruby40.follow(request.key?('ruby40')) unless WITHOUT_MODULES.include?(request['op'])
        Variables.forget # another scope may ask
        Volatile.forget
        request['requires']&.each { |path| Understudy.require_path(path.delete_suffix('.rb')) }
        reply = Running.as(running(request)) { __send__("op_#{request.fetch('op')}", request) }
        changed = Wire.changes(at_end: @depth == 1)
        changed.empty? ? reply : { '$c' => changed, 'v' => reply }
      ensure
        Variables.forget
        Volatile.forget
        @describes = outer
        @depth -= 1
        if @depth.zero?
          Understudy.forget_libraries
          Containers.clear
          LazyHash.done
        end
      end

      # Returns the location that the code gave its error, and the message without it.
      def place_of(error)
        { 'place' => [error.file, error.line, error.pos, error.basic_text] }
      end

      def describe_error(error)
        file, line = Loaded.place(error)
        described = { 'class' => error.class.name.to_s, 'message' => error.message.to_s.dup.force_encoding(Encoding::UTF_8).scrub,
                      'file' => file, 'line' => line, 'frames' => Loaded.frames(error) }
        described['puppet'] = true if error.is_a?(Puppet::Error)
        described['bare'] = true unless error.is_a?(StandardError) || error.is_a?(Unavailable)
        described.merge!(place_of(error)) if error.is_a?(Puppet::ExternalFileError) && (error.file || error.line)
        described['class'] = 'Puppet::ParseError' if error.is_a?(HostError)
        described['original'] = error.host_id if error.is_a?(HostError) && error.host_id
        described
      end

      private

      # Names the part of a module that a request runs, for errors.
      def running(request)
        case request['op']
        when 'call', 'call3', 'describe', 'describe3' then "the function #{request['name']}"
        when 'erb', 'compile' then "the template #{request['path'] || Templates.path(request['id'])}"
        when 'describe_type' then "the resource type #{request['name']}"
        when 'describe_data_type', 'call_data_type' then "the data type #{request['name']}"
        end
      end

      def op_ping(_request)
        RUBY_VERSION
      end

      # Does nothing but what each request may ask for: to load files that functions have required.
      def op_require(_request); end

      # Compiles a file that earlier compiles required.
      def op_keep_code(request)
        Loaded.keep(request['id'], request['path'], request['source'])
        nil
      end

      def op_compile(request)
        template = Templates.compile(request['id'], request['path'], Wire.decode(request['source']))
        { 'names' => template.variables, 'looked_up' => template.looked_up }
      end

      # `vars`: the variables that the template names; `foreseen`: those that it looks up.
      def op_erb(request)
        Wire.encode(Templates.render(request['id'], request['vars'], request['foreseen']))
      end

      # Compiles a template; reports the error of an invalid one.
      def op_check_erb(request)
        Templates.check(request['path'], request['source'])
        nil
      end

      def op_block(request)
        Wire.encode(Blocks.call(request['id'], request['args'].map { |arg| Wire.decode(arg) }))
      end

      def op_describe(request)
        name, path, source = request.values_at('name', 'path', 'source')
        unless source.match?(/Puppet::Functions\.create_function/)
          raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 4x API function - no create_function call."
        end

        function = Loaded.run(path, source, Puppet::Pops::Loader::RubyFunctionInstantiator.get_binding)
        check_function(function, name, path)
        function.changes_values = Containers.changed_by?(source)
        function.spreads = Loaded.spreads?(path)
        { 'name' => name, 'dispatches' => dispatches(function), 'localTypes' => function.local_type_texts }
      end

      def check_function(function, name, path)
        unless function.is_a?(Class)
          raise ArgumentError, "The code loaded from #{path} did not produce a Function class when evaluated. Got '#{function.class}'"
        end
        return if function.name == name

        raise ArgumentError, "The code loaded from #{path} produced mis-matched name, expected '#{name}', got #{function.name}"
      end

      # A function with its own `call` selects among its dispatches itself.
      def dispatches(function)
        return function.dispatcher.dispatches.map(&:describe) unless own_call?(function)

        parameter = { 'name' => 'args', 'type' => 'Any', 'kind' => 'repeated' }
        block = { 'type' => 'Callable', 'isOptional' => true, 'name' => 'block' }
        [{ 'method' => 'call', 'parameters' => [parameter], 'block' => block, 'returns' => nil, 'isMismatch' => false }]
      end

      def own_call?(function)
        function.instance_method(:call).owner != Puppet::Pops::Functions::Function
      end

      def op_call(request)
        function = Puppet::Functions.created(request['name']) or raise Puppet::DevError, "function #{request['name']} is not loaded"
        Containers.watch if function.changes_values
        LazyHash.spread if function.spreads
        args = request['args'].map { |arg| Wire.decode(arg) }
        block = Wire.lambda_of(*request['block'])
        scope = Puppet::Parser::Scope.new
        instance = function.instance
        return Wire.encode(instance.call(scope, *args, &block)) if own_call?(function)

        dispatch = function.dispatcher.of_method(request['method'], args.length)
        Wire.encode(dispatch.call(instance, scope, args, block))
      end

      # The defaults in force in a scope for which code of modules decides.
      def op_defaults(request)
        scope = DefaultScopes.find(request['id'])
        type = request['type']
        found = scope.lookupdefaults(type)
        Wire.encode('values' => found.to_h { |name, param| [name.to_s, param.value] }, 'entered' => scope.entered_defaults(type))
      end

      def op_describe3(request)
        name, path, source = request.values_at('name', 'path', 'source')
        LegacyDefinition.check(source, path)
        info = Loaded.run(path, source, Puppet::Pops::Loader::RubyLegacyFunctionInstantiator.get_binding)
        LegacyDefinition.check_result(info, name, path)
        Puppet::Parser::Functions.described(name)
        { 'name' => name, 'type' => info[:type].to_s, 'arity' => info[:arity] }
      end

      def op_describe_type(request)
        TypeDescriptions.describe(request['name'], request['path'], request['source'])
      end

      def op_describe_data_type(request)
        DataTypes.describe(request['name'], request['path'], request['source'])
      end

      def op_call_data_type(request)
        attributes = Wire.decode(request['attributes'])
        args = request['args'].map { |arg| Wire.decode(arg) }
        object = DataTypes.object(request['name'], request['number'], attributes)
        Wire.encode(object.public_send(request['method'], *args, &Wire.lambda_of(*request['block']))) unless request['method'].nil?
      end

      def op_call3(request)
        name = request['name']
        args = Legacy.arguments(request['args'].map { |arg| Wire.decode(arg) })
        Puppet::Parser::Functions.recorded(name)
        method = Puppet::Parser::Functions.function(name) or raise Puppet::DevError, "function #{name} is not loaded"
        Wire.encode(Puppet::Parser::Scope.new.__send__(method, args))
      end
    end
  end
end
