# frozen_string_literal: true

# Loaded module code, so that it is found in backtraces and can be unloaded.
module Understudy
  module Loaded
    @paths = Set.new
    @done = Set.new
    # Calls to the host during the load of each file, and of the current one.
    @asked = Hash.new { |asked, path| asked[path] = [] }
    @loading = []
    @used = Set.new
    @changes_values = false
    # Files that spread hashes, or that load such a file.
    @spreading = Set.new
    READS = %w[glob kind list read source seen].freeze
    # Lines of a backtrace that the host gets.
    MOST_FRAMES = 10
    # A file that code requires, compiled: compiling takes longer than running it.
    Code = Struct.new(:program, :changes_values, :spreads) do
      def self.of(path, source)
        program = RubyVM::InstructionSequence.compile(Patterns.kept_in(source), path, path, 1)
        new(program, Containers.changed_by?(source), LazyHash.spread_by?(source))
      end
    end
    # Files that earlier compiles required, by the host's numbers; compiled, but not run.
    @compiled = {}
    # The same by path: the saved state belongs to one version of the code, in which they are equal.
    @foreseen = {}
    # Paths of those that ran since the last frame.
    @taken = []

    class << self
      attr_reader :paths

      # Records a call of code that is being loaded: every later user of the code depends on its
      # answer.
      def note(call)
        return if @loading.empty? || !READS.include?(call['call'])

        @loading.each { |path| @asked[path] << call }
      end

      # Registers that a compile uses code which may have been loaded earlier. `calls`: the calls
      # that would have found it.
      def use(path, calls = [])
        return unless path && @used.add?(path)

        calls += @asked[path] if @asked.key?(path)
        Understudy.ask('seen', 'calls' => calls) unless calls.empty?
      end

      # Registers that the host records what the load of the file read: it does so when it describes
      # a function, in each compile.
      def recorded(path)
        @used << path
      end

      # Treats the file as not loaded.
      def forget(path)
        [@paths, @done, @used, @asked, @spreading].each { |known| known.delete(path) }
      end

      # Called when another compile begins.
      def unused
        @used.clear
      end

      def done?(path)
        @done.include?(path)
      end

      # Runs a module's file at the top level, once; returns whether it ran.
      def once(path)
        if @done.include?(path)
          use(path)
          note_spreading(path)
          return false
        end
        return false if @loading.include?(path) # Files that require each other, as in Ruby.

        run_file(path) { Code.of(path, source_of(path)) }
      end

      # The same for a path at which a file may be; nil when there is none.
      def once_if_there(path)
        return once(path) if @done.include?(path) || @loading.include?(path)
        # Reads of a description are recorded, and answered from the record.
        return Files.kind(path) == 'file' ? once(path) : nil if Requests.describing? || Kept.include?(path)

        foreseen = @foreseen[path]
        @taken << path if foreseen
        source = foreseen || Understudy.ask('code', 'path' => path)
        return if source.nil?

        run_file(path) { source.is_a?(Integer) ? @compiled.fetch(source).call : Code.of(path, Files.text_in(source)) }
      end

      # Compiles a file for the compiles to come. They take it without a question.
      def keep(id, path, source)
        @foreseen[path] = id
        code = Code.of(path, source)
        @compiled[id] = -> { code }
      rescue SyntaxError
        @compiled[id] = -> { Code.of(path, source) }
      end

      # Returns the files taken without a question, for the next frame: the host records them as
      # inputs.
      def take
        taken = @taken
        @taken = [] unless taken.empty?
        taken
      end

      # The text of a required file; for a missing one Ruby's error.
      def source_of(path)
        Files.read(path)
      rescue Errno::ENOENT
        Understudy.missing!(path.delete_suffix('.rb'))
      end

      # Returns the result of the code; it runs at the top level or in `scope`.
      def run(path, source, scope = TOPLEVEL_BINDING.eval('understudy_binding'))
        load_as(path) do
          @changes_values = Containers.changed_by?(source)
          @spreading << path if LazyHash.spread_by?(source)
          eval(Patterns.kept_in(source), scope, path, 1) # rubocop:disable Security/Eval
        end
      end

      # Whether the code being loaded may change arrays and hashes that it receives.
      def changes_values?
        @changes_values
      end

      # Whether the file's code reads hashes with `**`.
      def spreads?(path)
        @spreading.include?(path)
      end

      # The file being loaded.
      def current
        @loading.last
      end

      # Returns the innermost location in a module's file: [path, line], or nil.
      def place(error)
        found = innermost(error.backtrace || [])
        return found unless error.is_a?(SyntaxError)

        match = /\A(.+?):(\d+): /.match(error.message)
        match ? [match[1], match[2].to_i] : found
      end

      # Returns where an error passed through modules' files, innermost first:
      # "PATH:LINE:in 'NAME'".
      def frames(error)
        (error.backtrace || []).lazy.select { |entry| place_in(entry) }.first(MOST_FRAMES)
      end

      def run_file(path)
        load_as(path) do
          code = yield
          @changes_values = code.changes_values
          @spreading << path if code.spreads
          code.program.eval
        end
        true
      end

      # Notes that the block runs the code of that file.
      def load_as(path)
        outer = @changes_values
        @paths << path
        @used << path
        @asked.delete(path)
        @loading.push(path)
        result = yield
        @done << path
        result
      ensure
        @changes_values = outer
        note_spreading(@loading.pop)
      end

      def note_spreading(path)
        @spreading << current if current && @spreading.include?(path)
      end

      def innermost(backtrace)
        backtrace.each do |entry|
          place = place_in(entry)
          return place if place
        end
        nil
      end

      # The place that an entry of a backtrace names, if it is in a module's file.
      def place_in(entry)
        match = /\A(.+?):(\d+)(?::in |\z)/.match(entry)
        [match[1], match[2].to_i] if match && @paths.include?(match[1])
      end

      # Library folders of modules that code was loaded from: `.../MODULE/lib`.
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
