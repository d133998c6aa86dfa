# frozen_string_literal: true

# Code of modules that is loaded, so that it can be found in backtraces and be forgotten.
module Understudy
  module Loaded
    @paths = Set.new
    @done = Set.new
    # What loading each file asked of the environment, and of that under way.
    @asked = Hash.new { |asked, path| asked[path] = [] }
    @loading = []
    @used = Set.new
    @changes_values = false
    # Files that spread hashes, or load one that does.
    @spreading = Set.new
    READS = %w[kind list read source seen].freeze

    class << self
      attr_reader :paths

      # A call of code that is being loaded: who uses the code later depends on the answer too.
      def note(call)
        return if @loading.empty? || !READS.include?(call['call'])

        @loading.each { |path| @asked[path] << call }
      end

      # A compile uses code that may have been loaded before it. `calls`: how it would have been found.
      def use(path, calls = [])
        return unless path && @used.add?(path)

        calls += @asked[path] if @asked.key?(path)
        Understudy.ask('seen', 'calls' => calls) unless calls.empty?
      end

      # As if it had not been run.
      def forget(path)
        [@paths, @done, @used, @asked, @spreading].each { |known| known.delete(path) }
      end

      # Another compile begins.
      def unused
        @used.clear
      end

      def done?(path)
        @done.include?(path)
      end

      # Runs a module's file at the top level, once; whether it was run.
      def once(path)
        if @done.include?(path)
          use(path)
          note_spreading(path)
          return false
        end

        run(path) { Files.read(path) }
        true
      end

      # What the code gives; it runs at the top level or in `scope`.
      def run(path, source = nil, scope = TOPLEVEL_BINDING.eval('understudy_binding'))
        outer = @changes_values
        @paths << path
        @used << path
        @asked.delete(path)
        @loading.push(path)
        source ||= yield
        @changes_values = Containers.changed_by?(source)
        @spreading << path if LazyHash.spread_by?(source)
        result = eval(source, scope, path, 1) # rubocop:disable Security/Eval
        @done << path
        result
      ensure
        @changes_values = outer
        note_spreading(@loading.pop)
      end

      # Whether the code that is being loaded may change arrays and hashes that it is given.
      def changes_values?
        @changes_values
      end

      # Whether code of the file reads hashes with `**`.
      def spreads?(path)
        @spreading.include?(path)
      end

      # The file whose code is being loaded.
      def current
        @loading.last
      end

      # The innermost place in a module's file: [path, line], or nil.
      def place(error)
        found = innermost(error.backtrace || [])
        return found unless error.is_a?(SyntaxError)

        match = /\A(.+?):(\d+): /.match(error.message)
        match ? [match[1], match[2].to_i] : found
      end

      def note_spreading(path)
        @spreading << current if current && @spreading.include?(path)
      end

      def innermost(backtrace)
        backtrace.each do |entry|
          match = /\A(.+?):(\d+)(?::in |\z)/.match(entry)
          return [match[1], match[2].to_i] if match && @paths.include?(match[1])
        end
        nil
      end

      # Directories of libraries of modules that code was loaded from: `.../MODULE/lib`.
      def libraries
        @paths.filter_map { |path| path[%r{\A.*?/lib(?=/(?:puppet|puppet_x|facter|hiera|[a-z_]+)(?:/|\.))}] }.uniq
      end
    end
  end
end

# A scope without local variables for the top level of a file.
def understudy_binding
  binding
end
private :understudy_binding
