# frozen_string_literal: true

# `require` for module code. Puppet's own files are already loaded, files of modules come from the
# host, and libraries that the interpreter lacks have small replacements here.
require_relative 'after_loading'
require_relative 'held_libraries'

module Understudy
  # Libraries that Puppet has loaded before module code runs; here they are loaded on first use.
  LOADED_BY_PUPPET = {
    YAML: 'yaml', Psych: 'yaml', Digest: 'digest', URI: 'uri', SecureRandom: 'securerandom', Shellwords: 'shellwords',
    OpenSSL: 'openssl', Date: 'date', DateTime: 'date', Pathname: 'pathname', Base64: 'base64', IPAddr: 'ipaddr', Tempfile: 'tempfile',
    Etc: 'etc', CGI: 'cgi', Zlib: 'zlib', Timeout: 'timeout', OpenStruct: 'ostruct', Forwardable: 'forwardable', Singleton: 'singleton',
    SimpleDelegator: 'delegate', Benchmark: 'benchmark', TSort: 'tsort', Find: 'find', Monitor: 'monitor', FileUtils: 'fileutils'
  }.freeze
  # The same for large, rarely used libraries: the code that names one loads it.
  LOADED_WHEN_NAMED = {
    Net: 'net/http', Resolv: 'resolv', Open3: 'open3', DeepMerge: 'deep_merge/core', Logger: 'logger',
    OptionParser: 'optparse', Prime: 'prime', Socket: 'socket',
    TCPSocket: 'socket', UDPSocket: 'socket', UNIXSocket: 'socket', TCPServer: 'socket', Addrinfo: 'socket', SocketError: 'socket'
  }.freeze
  { **LOADED_BY_PUPPET, **LOADED_WHEN_NAMED }.each { |name, feature| Object.autoload(name, feature) unless Object.const_defined?(name) }

  module Requiring
    def require(name)
      feature = name.to_s.delete_suffix('.rb')
      return false if Understudy.provided?(feature)
      return Understudy.require_path(feature) if feature.start_with?('/') && !Files.own?(feature)
      return Understudy.require_from_modules(feature) if feature.match?(%r{\A(?:puppet|puppet_x|puppetx|facter|hiera)/})

      revealed = HeldLibraries.reveal(feature)
      # `uri/generic` cannot be loaded before `uri`.
      whole = feature[%r{\A\w+(?=/)}]
      super(whole) if LOADED_BY_PUPPET.value?(whole)
      super('net/http') if whole == 'net' && feature != 'net/http' && Object.autoload?(:Net)
      loaded = super
      AfterLoading.done(feature) if loaded
      loaded || revealed
    rescue LoadError => e
      # A file that was found may require one that is missing: that one is the cause.
      raise unless e.path.nil? || [feature, whole, name.to_s].include?(e.path)

      Understudy.stand_in(feature) { return Understudy.require_from_modules(feature) }
    end

    def require_relative(name)
      from = caller_locations(1, 1).first
      unless Loaded.paths.include?(from.path)
        return require(File.expand_path(name.to_s, File.dirname(from.absolute_path || from.path)))
      end

      path = "#{File.expand_path(name.to_s.delete_suffix('.rb'), File.dirname(from.path))}.rb"
      loaded = Loaded.once_if_there(path) unless Requests.describing?
      loaded.nil? ? Loaded.once(path) : loaded
    end

    def load(name, *)
      path = File.expand_path(name.to_s)
      return super if Files.own?(path)

      Loaded.run(path, Files.read(path))
      true
    end
  end

  class << self
    # Puppet's own files: all supported ones are loaded.
    def provided?(feature)
      feature == 'puppet' || (feature.match?(%r{\Apuppet/(?!x/)}) && !feature.match?(%r{\Apuppet/(?:util|type|provider|functions|parser/functions)/.*_x\z}) && own_puppet?(feature)) ||
        feature == 'puppet_x' || feature == 'semantic_puppet' || feature == 'facter' || feature == 'hiera'
    end

    # Features `puppet/...` that a module may provide are searched in modules; all others are
    # Puppet's.
    def own_puppet?(feature)
      !feature.match?(%r{\Apuppet/(?:type|provider|feature|property|parameter|util|functions|parser/functions)/.}) || PUPPET_UTIL.include?(feature)
    end

    # A file by its path, as `File.expand_path` of `__FILE__` returns it.
    def require_path(feature)
      loaded = Loaded.once_if_there("#{File.expand_path(feature)}.rb")
      loaded.nil? ? missing!(feature) : loaded
    end

    # Raises Ruby's error for a feature that nothing provides.
    def missing!(feature)
      error = LoadError.new("cannot load such file -- #{feature}#{reason_without(feature)}")
      error.define_singleton_method(:path) { feature }
      raise error
    end

    def require_from_modules(feature)
      missing!(feature) if channel.nil?

      each_library do |library|
        loaded = Loaded.once_if_there("#{library}/#{feature}.rb")
        return loaded unless loaded.nil?
      end
      return false if feature.start_with?('puppet/')

      missing!(feature)
    end

    # Returns the reason why a feature of Puppet's own packages is missing; for other features
    # Puppet gives no reason either.
    def reason_without(feature)
      " (#{Running.name} needs a gem, and the Ruby of modules has none)" if GEMS_OF_PUPPET.include?(feature[%r{\A[^/]+}])
    end

    # Folders that code added to the load path, libraries of the modules that code was loaded from,
    # then of all visible modules.
    def each_library(&block)
      near = added_libraries | Loaded.libraries
      near.each(&block)
      ((@libraries ||= visible_modules.map { |path| "#{path}/lib" }) - near).each(&block)
    end

    def added_libraries
      $LOAD_PATH.map { |path| File.expand_path(path.to_s) }.reject { |path| Files.own?("#{path}/") }
    end

    def forget_libraries
      @libraries = nil
    end

    # Folders of modules; the first one of each name.
    def visible_modules
      modulepath = Puppet::Node::Environment.instance.modulepath
      modulepath = Loaded.libraries.map { |library| File.dirname(library, 2) }.uniq if modulepath.empty?
      modulepath.flat_map { |folder| (RepeatedQuestions.ask('list', 'path', folder) || []).map { |name| "#{folder}/#{name}" } }
                .uniq { |path| File.basename(path) }
    end

    def stand_in(feature)
      path = "#{__dir__}/lib_#{SAME_LIBRARY.fetch(feature, feature).tr('/', '_')}.rb"
      return Kernel.load(path) && $LOADED_FEATURES << feature && true if File.file?(path)
      return false if STANDARD_PARTS.include?(feature)
      return Absent.library(feature) if Absent::LIBRARIES.key?(feature)

      yield
    end
  end

  PUPPET_UTIL = (%w[errors package json yaml execution logging checksums platform classgen docs filetype posix suidmanager symbolic_file_mode
                    diff feature].map { |name| "puppet/util/#{name}" } +
                 %w[boolean path package_options value value_collection].map { |name| "puppet/parameter/#{name}" } +
                 %w[boolean ensure list ordered_list keyvalue].map { |name| "puppet/property/#{name}" }).freeze
  # Names by which the gems of Puppet's packages are required.
  GEMS_OF_PUPPET = Set.new(%w[concurrent concurrent-ruby fast_gettext ffi gettext gettext-setup hiera highline hocon locale minitar
                              multi_json net-ssh optimist puppetdb puppetserver-ca scanf sys text thor]).freeze
  # Features that one file provides.
  SAME_LIBRARY = { 'racc' => 'racc/parser', 'racc/parser.rb' => 'racc/parser' }.freeze
  # Parts of the standard library that are always loaded or have no use here.
  STANDARD_PARTS = %w[rubygems tempfile timeout thread fiber etc io/wait io/console io/console/size io/nonblock bundler syntax_suggest].freeze

  Object.prepend(Requiring)
end
