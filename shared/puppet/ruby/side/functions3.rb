# frozen_string_literal: true

module Puppet
  module Parser
    # The 3.x API of functions: methods of the scope, defined by blocks.
    module Functions
      Environment = Node::Environment

      # Puppet functions with a 3.x form, so that `function_NAME([...])` reaches them.
      BUILTIN_STATEMENTS = %w[alert contain create_resources crit debug emerg err hiera_include include info notice realize require
                              tag warning].freeze
      BUILTIN = (BUILTIN_STATEMENTS + %w[digest file fqdn_rand generate inline_template md5 scanf sha1 sha256 shellquote sprintf tagged
                                         template]).freeze
      # Functions whose 3.x form only raises that they are called differently.
      ONLY_4X = %w[assert_type binary_file break defined dig each epp filter find_file hiera hiera_array hiera_hash hiera_include
                   inline_epp lest lookup map match new next reduce regsubst return reverse_each slice split step strftime then type
                   with].freeze

      # `Puppet::Parser::Functions.autoloader`.
      module Autoloader
        class << self
          # Modules' functions are loaded when they are called.
          def loadall(*)
            warn_of('Puppet::Parser::Functions#loadall', 'autoloader#loadall')
          end

          def load(name, *)
            warn_of("Puppet::Parser::Functions#load('#{name}')", "autoloader#load(\"#{name}\")")
            Functions.function(name) && true
          end

          def loaded?(name)
            warn_of("Puppet::Parser::Functions.loaded?('#{name}')", "autoloader#loaded?(\"#{name}\")")
            Functions.known?(name)
          end

          private

          def warn_of(key, called)
            return if Puppet[:strict].to_s == 'off'

            Puppet.warn_once('deprecations', key, "The method 'Puppet::Parser::Functions.#{called}' is deprecated in favor of using " \
                                                  "'Scope#call_function'.")
          end
        end
      end

      class Error
        def self.is4x(name)
          raise ParseError, "#{name}() can only be called using the 4.x function API. See Scope#call_function"
        end
      end

      # Functions whose 3.x form warns once about its deprecation.
      SCOPE_CALL_DEPRECATED = %w[contain include require].freeze

      # Functions that do not need the compile.
      DIRECT = {
        'versioncmp' => ->(args) { Util::Package.versioncmp(args[0], args[1]) },
        'fail' => ->(args) { raise ParseError, args.map(&:to_s).join(' ') }
      }.freeze

      @info = {}
      @described = {}
      @names = ::Module.new
      Scope.include(@names)

      class << self
        def autoloader
          Autoloader
        end

        def known?(name)
          @info.key?(name.to_s)
        end

        def info(name)
          @info[name.to_s]
        end

        # Whether a function exists only because another function's loaded file defines it too.
        def helper?(name)
          path = known?(name) && info(name)[:path]
          path && (name.include?('::') || File.basename(path, '.rb') != name)
        end

        def newfunction(name, options = {}, &block)
          name = name.to_s
          kind = options[:type] || :statement
          raise DevError, "Invalid statement type #{kind.inspect}" unless %i[statement rvalue].include?(kind)

          info = { name: "function_#{name}", type: kind, arity: options[:arity] || -1, doc: options[:doc], path: Understudy::Loaded.current,
                   changes_values: Understudy::Loaded.changes_values? }
          Understudy::Altered.report if info[:path] && (DIRECT.key?(name) || BUILTIN.include?(name))
          define(name, info, block)
          @info[name] = info
        end

        def forget(name)
          @info.delete(name)
          ["function_#{name}", "real_function_#{name}"].each { |method| @names.__send__(:remove_method, method) }
        end

        # Notes that the host described the function, which that file defined.
        def described(name)
          @described[name] = info(name)[:path]
        end

        # Notes that the host described the function in this compile, too.
        def recorded(name)
          path = @described[name]
          Understudy::Loaded.recorded(path) if path && known?(name) && info(name)[:path] == path
        end

        # Returns the name of the method; false when the function does not exist.
        def function(name, _environment = nil)
          name = name.to_s
          load(name) unless known?(name)
          return false unless known?(name)

          Understudy::Loaded.use(info(name)[:path], [{ 'call' => 'source', 'name' => name, 'api' => 3 }])
          "function_#{name}"
        end

        def rvalue?(name, _environment = nil)
          known?(name) && info(name)[:type] == :rvalue
        end

        def arity(name, _environment = nil)
          known?(name) ? info(name)[:arity] : -1
        end

        private

        def define(name, info, block)
          real = "real_function_#{name}"
          @names.__send__(:define_method, real, &block)
          @names.__send__(:define_method, "function_#{name}") do |*args|
            unless args[0].is_a?(Array)
              raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. ' \
                                   'For example, function_example([1]) instead of function_example(1)'
            end

            Functions.check_arity(name, info[:arity], args[0].size)
            Understudy::Containers.watch if info[:changes_values]
            Understudy::LazyHash.spread if Understudy::Loaded.spreads?(info[:path])
            result = Understudy::Legacy.returned(__send__(real, args[0]))
            info[:type] == :rvalue ? result : nil
          end
        end

        # Loads a module's file first, as Puppet's loader does for names that are not Puppet's own.
        def load(name)
          if ONLY_4X.include?(name)
            newfunction(name, type: :rvalue) { |_args| Error.is4x(name) }
          elsif DIRECT.key?(name)
            newfunction(name, type: :rvalue) { |args| DIRECT[name].call(args) }
          elsif BUILTIN.include?(name)
            newfunction(name, type: BUILTIN_STATEMENTS.include?(name) ? :statement : :rvalue) do |args|
              Functions.warn_of_scope_call(name) if SCOPE_CALL_DEPRECATED.include?(name)
              call_function(name, args)
            end
          elsif (source = Understudy.ask('source', 'name' => name, 'api' => 3))
            Understudy::Loaded.run(source['path'], source['source'] || source['text'])
          end
        end
      end

      def self.warn_of_scope_call(name)
        Puppet.warn_once('deprecations', "3xfunction##{name}",
                         "Calling function_#{name} via the Scope class is deprecated. Use Scope#call_function instead")
      end

      def self.check_arity(name, arity, given)
        if arity >= 0 && given != arity
          raise ArgumentError, "#{name}(): Wrong number of arguments given (#{given} for #{arity})"
        elsif arity.negative? && given < (arity + 1).abs
          raise ArgumentError, "#{name}(): Wrong number of arguments given (#{given} for minimum #{(arity + 1).abs})"
        end
      end
    end
  end
end

module Understudy
  # Converts values to and from the 3.x API.
  module Legacy
    class << self
      # Arguments of a call from Puppet: undef is an empty string at the top level, nil below.
      def arguments(args)
        args.map { |arg| arg.nil? || arg == :undef ? +'' : convert(arg) }
      end

      # A result: `:undef` becomes undef.
      def returned(value)
        case value
        when :undef then nil
        when Array then value.map { |element| returned(element) }
        when Hash then value.to_h { |key, element| [returned(key), returned(element)] }
        else value
        end
      end

      private

      def convert(value)
        case value
        when Array then value.map { |element| convert(element) }
        when Hash then value.to_h { |key, element| [convert(key), convert(element)] }
        when :undef then nil
        when Regexp then value.inspect
        when Wire::PAnyType then reference(value)
        when SemanticPuppet::Version, SemanticPuppet::VersionRange, Wire::Binary, Wire::Timespan, Wire::Timestamp then value.to_s
        else value
        end
      end

      # References to resources and classes become resources.
      def reference(type)
        case type
        when Puppet::Pops::Types::PClassType then Puppet::Resource.new('Class', Puppet::Resource.capitalize(type.class_name.to_s.delete_prefix('::')))
        when Puppet::Pops::Types::PResourceType then Puppet::Resource.new(type.type_name.to_s.delete_prefix('::'), type.title.to_s)
        else type
        end
      end
    end
  end
end

module Understudy
  # The allowed content of a 3.x file whose function Puppet code calls. Puppet:
  # lib/puppet/pops/loader/ruby_legacy_function_instantiator.rb
  module LegacyDefinition
    class << self
      def check(source, path)
        method = source.match?(/\bdef\b/) && first_method(RubyVM::AbstractSyntaxTree.parse(source))
        if method
          raise SecurityError, "Illegal method definition of method '#{name_of(method)}' in source #{path} on line " \
                               "#{column_of(method, source)} in legacy function. See #{Puppet.settings['language.legacyFunctionsPage']} for more information"
        end
        return if source.match?(/\bnewfunction\b/)

        raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 3x API function - no 'newfunction' call."
      rescue SyntaxError
        nil # loading it raises the error
      end

      def check_result(info, name, path)
        unless info.is_a?(Hash)
          raise ArgumentError, "Illegal legacy function definition! The code loaded from #{path} did not return the result of " \
                               "calling 'newfunction'. Got '#{info.class}'"
        end
        return if info[:name] == "function_#{name}"

        raise ArgumentError, "The code loaded from #{path} produced mis-matched name, expected 'function_#{name}', got '#{info[:name]}'"
      end

      private

      def first_method(node)
        return nil unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
        return node if %i[DEFN DEFS].include?(node.type)

        node.children.each { |child| (found = first_method(child)) && (return found) }
        nil
      end

      def name_of(method)
        method.children.find { |child| child.is_a?(Symbol) }
      end

      # Puppet: it reports the column as the line.
      def column_of(method, source)
        line = source.lines[method.first_lineno - 1]
        line.index(/(?<=[.\s])#{Regexp.escape(name_of(method).to_s)}/, method.first_column + 3)
      end
    end
  end
end
