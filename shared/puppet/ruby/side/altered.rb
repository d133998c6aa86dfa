# frozen_string_literal: true

module Understudy
  # Reports to the host when module code changes Ruby's own classes. The host runs templates and
  # functions itself only while these classes are unchanged.
  module Altered
    WATCHED = [
      BasicObject, Object, Kernel, Comparable, Enumerable, String, Symbol, Array, Hash, Numeric, Integer, Float, NilClass, TrueClass,
      FalseClass, Regexp, MatchData, Range, ERB, ERB::Compiler, Puppet::Parser::TemplateWrapper, Puppet::Parser::Scope, LazyHash,
      Puppet::Pops::Functions::Function, Puppet::Functions::Function
    ].to_h { |owner| [owner, true] }.compare_by_identity.freeze
    # Global variables that methods of String and Array read.
    VARIABLES = %i[$, $; $/].freeze

    @known = nil

    class << self
      # Starts reporting changes.
      def watch
        @known = WATCHED.keys.flat_map { |owner| owner.instance_methods + owner.private_instance_methods }.to_h { |name| [name, true] }
        VARIABLES.each { |name| trace_var(name) { report } }
      end

      # Runs the block, whose changes are ours.
      def quietly
        known = @known
        @known = nil
        yield
      ensure
        @known = known
      end

      def report
        Understudy.ask('altered') if @known
      end

      def method_changed(owner, name)
        report if @known && WATCHED.key?(owner) && @known.key?(name)
      end

      def ancestors_changed(owner)
        report if WATCHED.key?(owner)
      end
    end

    # Hooks that report a class's own methods.
    module OwnMethods
      %i[method_added method_removed method_undefined].each do |hook|
        define_method(hook) do |name|
          super(name)
          Altered.method_changed(self, name)
        end
      end

      def singleton_method_added(name)
        super
        Altered.ancestors_changed(self)
      end
    end

    module Mixing
      def include(*)
        Altered.ancestors_changed(self)
        super
      end

      def prepend(*)
        Altered.ancestors_changed(self)
        super
      end
    end

    Module.prepend(Mixing)
    Class.prepend(OwnMethods)
    [Kernel, Comparable, Enumerable].each { |owner| owner.singleton_class.prepend(OwnMethods) }
  end
end
