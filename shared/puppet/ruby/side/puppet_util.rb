# frozen_string_literal: true

module Puppet
  module Util
    ABSOLUTE = {
      posix: %r{\A/},
      windows: %r{\A(?:[A-Z]:[/\\]|[/\\]{2}[^/\\]+[/\\]+[^/\\]+|[/\\]{2}\?[/\\][^/\\]+)}i
    }.freeze

    module_function

    def absolute_path?(path, platform = :posix)
      unless path.is_a?(String)
        Puppet.warning("Cannot check if #{path} is an absolute path because it is a '#{path.class}' and not a String'")
        return false
      end

      path.match?(ABSOLUTE.fetch(platform.to_sym) { raise DevError, "unknown platform #{platform} in absolute_path" })
    end

    def deterministic_rand(seed, max)
      deterministic_rand_int(seed, max).to_s
    end

    def deterministic_rand_int(seed, max)
      Random.new(seed).rand(max)
    end

    def symbolizehash(hash)
      hash.to_h { |key, value| [key.respond_to?(:to_sym) ? key.to_sym : key, value] }
    end

    def symbolize(value)
      value.respond_to?(:to_sym) ? value.to_sym : value
    end

    def which(_command)
      nil
    end

    def path_to_uri(path)
      require 'uri'
      ::URI::Generic.build(scheme: 'file', path: uri_encode(path))
    end

    def uri_to_path(uri)
      uri.is_a?(::URI) && uri.path ? ::URI::DEFAULT_PARSER.unescape(uri.path) : nil
    end

    def uri_encode(path)
      require 'uri'
      ::URI::DEFAULT_PARSER.escape(path)
    end

    def uri_query_encode(text)
      require 'erb'
      ::ERB::Util.url_encode(text)
    end

    def create_erb(content)
      ::ERB.new(content, trim_mode: '-')
    end

    def execute(...)
      Execution.execute(...)
    end

    # Wrappers of ENV. They change variables of this interpreter only.
    def get_env(name, *)
      Util.deprecate_wrapper('get_env', 'ENV[]')
      ENV.fetch(name, nil)
    end

    def get_environment(*)
      Util.deprecate_wrapper('get_environment', 'ENV.to_hash')
      ENV.to_hash
    end

    def clear_environment(*)
      Util.deprecate_wrapper('clear_environment', 'ENV.clear')
      ENV.clear
    end

    def set_env(name, value = nil, *)
      Util.deprecate_wrapper('set_env', 'ENV[]=')
      ENV[name] = value
    end

    def merge_environment(variables, *)
      Util.deprecate_wrapper('merge_environment', 'ENV.merge!')
      ENV.merge!(variables.transform_keys(&:to_s))
    end

    def self.deprecate_wrapper(name, instead)
      return unless Puppet.settings['language.envWrappersDeprecated']

      Puppet.deprecation_warning("Puppet::Util.#{name} is deprecated and will be removed in a future version. Use #{instead} directly instead.")
    end

    # Changes variables of this interpreter only.
    def withenv(variables, *)
      before = ENV.to_h
      ENV.update(variables.to_h { |name, value| [name.to_s, value] })
      yield
    ensure
      ENV.replace(before)
    end

    def benchmark(*)
      yield
    end

    def self.logmethods(base, *)
      base.include(Logging)
    end

    # Compares versions as the resource type `package` does.
    module Package
      PART = /[-.]|\d+|[^-.\d]+/

      module_function

      def versioncmp(left, right, ignore_trailing_zeroes = false)
        left, right = [left, right].map { |version| without_zeroes(version) } if ignore_trailing_zeroes
        rest_left = left.scan(PART)
        rest_right = right.scan(PART)
        until rest_left.empty? || rest_right.empty?
          a = rest_left.shift
          b = rest_right.shift
          return compare(a, b) unless a == b
        end
        left <=> right
      end

      def compare(left, right)
        ['-', '.'].each do |separator|
          return -1 if left == separator
          return 1 if right == separator
        end
        digits = [left, right].all? { |part| part.match?(/\A\d+\z/) }
        return left.to_i <=> right.to_i if digits && [left, right].none? { |part| part.start_with?('0') }

        left.upcase <=> right.upcase
      end

      def without_zeroes(version)
        head, *rest = version.split('-')
        [head.sub(/[.0]+\z/, ''), *rest].join('-')
      end
    end

    module Execution
      # The output of a command.
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(text, exitstatus)
          super(text)
          @exitstatus = exitstatus
        end
      end

      NoOptionsSpecified = {}.freeze

      module_function

      def execute(command, options = NoOptionsSpecified)
        outcome = outcome_of('execute', command)
        strictly = options.equal?(NoOptionsSpecified)
        output = outcome.stdout
        output += outcome.stderr if options.fetch(:combine, strictly)
        if options.fetch(:failonfail, strictly) && outcome.status != 0
          raise ExecutionFailure, "Execution of '#{line_of(command)}' returned #{outcome.status}: #{output.strip}"
        end
        ProcessOutput.new(output, outcome.status)
      end

      %i[execpipe execfail ruby_path].each do |method|
        define_method(method) { |*command, **, &_block| refuse(method, command.first) }
      end

      def outcome_of(method, command)
        (Understudy::Commands.outcome(command) unless Understudy.defining_type?) || refuse(method, command)
      end

      # The definition of a resource type continues as if the command did not exist.
      def refuse(method, command)
        raise ExecutionFailure, "Could not execute #{command}" if Understudy.defining_type?

        Understudy.unavailable!("Puppet::Util::Execution.#{method} (#{line_of(command)})", 'other processes')
      end

      def line_of(command)
        [*command].join(' ')
      end
    end

    module Json
      class ParseError < StandardError
        attr_reader :cause, :data

        def self.build(cause, data)
          new(cause.message).tap { |error| error.__send__(:hold, cause, data) }
        end

        private

        def hold(cause, data)
          @cause = cause
          @data = data
        end
      end

      class << self
        def load(text, options = {})
          ::JSON.parse(text, { max_nesting: false }.merge(options))
        rescue ::JSON::ParserError => e
          raise ParseError.build(e, text)
        end

        def dump(value, options = {})
          options.empty? ? ::JSON.generate(value) : ::JSON.pretty_generate(value)
        end

        def load_file(path, options = {})
          load(File.read(path), options)
        end
      end
    end

    module Yaml
      YamlLoadError = Class.new(StandardError)

      class << self
        def safe_load(text, classes = [], filename = nil)
          require 'yaml'
          ::YAML.safe_load(text, permitted_classes: classes, aliases: true, filename: filename) || false
        rescue ::Psych::DisallowedClass, ::Psych::SyntaxError => e
          raise YamlLoadError, "(#{filename || '<unknown>'}): #{e.message.sub(/\A\(.*?\): /, '')}"
        end
        alias safe_load_str safe_load

        def safe_load_file(path, classes = [])
          safe_load(File.read(path), classes, path)
        end
        alias load_file safe_load_file
      end
    end

    module Checksums
      %w[md5 sha1 sha256 sha384 sha512].each do |name|
        define_method(name) do |text|
          ::Digest.const_get(name.upcase).hexdigest(text)
        end
      end

      SUM = /\A\{(\w+)\}(.+)\z/m

      def checksum?(text)
        text =~ SUM
      end

      def sumtype(text)
        text[SUM, 1]
      end

      def sumdata(text)
        text[SUM, 2]
      end

      def known_checksum_types
        known = %i[sha256 sha256lite md5 md5lite sha1 sha1lite sha512 sha384 sha224 mtime ctime none]
        Puppet.settings['language.etagChecksums'] ? [*known, :etag] : known
      end
      extend self
    end

    module Platform
      module_function

      def windows?
        false
      end

      def jruby?
        false
      end
    end

    class Autoload; end

    # Measurements of a server's work: none are taken here.
    module Profiler
      module_function

      def profile(*)
        yield
      end

      def current
        []
      end
    end

    # Names of constants and of files.
    module ConstantInflector
      module_function

      def file2constant(file)
        file.split('/').map(&:capitalize).join('::').gsub(/_+(.)/) { ::Regexp.last_match(1).capitalize }
      end

      def constant2file(constant)
        constant.to_s.gsub(/([a-z])([A-Z])/, '\\1_\\2').gsub('::', '/').downcase
      end
    end
  end

  # Files of the environment, under the method names of Puppet's own code.
  module FileSystem
    class << self
      def exist?(path)
        ::File.exist?(path)
      end

      def file?(path)
        ::File.file?(path)
      end

      def directory?(path)
        ::File.directory?(path)
      end

      def read(path, **options)
        ::File.read(path, **options)
      end
      alias read_preserve_line_endings read

      def binread(path)
        ::File.binread(path)
      end

      def each_line(path, &block)
        ::File.foreach(path, &block)
      end

      def pathname(path)
        require 'pathname'
        Pathname.new(path)
      end

      def path_string(path)
        path.to_s
      end

      def basename(path)
        ::File.basename(path)
      end

      def dir(path)
        ::File.dirname(path)
      end
      alias dir_string dir

      def children(path)
        ::Dir.children(path).map { |name| "#{path}/#{name}" }
      end

      def readable?(path)
        ::File.readable?(path)
      end

      def expand_path(path, dir = nil)
        ::File.expand_path(path, dir)
      end
    end
  end
end
