# frozen_string_literal: true

# Code of modules that is loaded, so that it can be found in backtraces and be forgotten.
module Understudy
  module Loaded
    @paths = Set.new
    @done = Set.new
    @constants = []
    @running = []
    @needed = Hash.new { |needed, path| needed[path] = Set.new }

    class << self
      attr_reader :paths

      def done?(path)
        @done.include?(path)
      end

      # Runs a module's file at the top level, once; whether it was run. One that ran before is an input of this compile all the same,
      # with all that it loaded.
      def once(path)
        @needed[@running.last] << path unless @running.empty?
        if @done.include?(path)
          Understudy.ask('touch', 'paths' => all_needed([path]).to_a)
          return false
        end

        run(path, Files.read(path))
        true
      end

      def run(path, source)
        before = Object.constants
        @paths << path
        @running.push(path)
        eval(source, TOPLEVEL_BINDING.eval('understudy_binding'), path, 1) # rubocop:disable Security/Eval
        @done << path
      ensure
        @running.pop
        @constants.concat(Object.constants - before) if before
      end

      def all_needed(paths, found = Set.new)
        paths.each { |path| all_needed(@needed[path], found) if found.add?(path) }
        found
      end

      # The innermost place in a module's file: [path, line], or nil.
      def place(error)
        found = innermost(error.backtrace || [])
        return found unless error.is_a?(SyntaxError)

        match = /\A(.+?):(\d+): /.match(error.message)
        match ? [match[1], match[2].to_i] : found
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

      def forget
        @constants.uniq.each { |name| Object.__send__(:remove_const, name) if Object.const_defined?(name, false) && !Object.autoload?(name) }
        @constants.clear
        @paths.clear
        @done.clear
        @needed.clear
        Puppet::Type.forget unless Puppet.autoload?(:Type)
        Puppet::Functions.forget
        Puppet::Parser::Functions.forget
        Templates.forget
        Wire.release
      end
    end
  end
end

# A scope without local variables for the top level of a file.
def understudy_binding
  binding
end
private :understudy_binding
