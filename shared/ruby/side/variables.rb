# frozen_string_literal: true

module Understudy
  # `scope.to_hash`: the names of all variables, and each value when code asks for it. Code that looks at all has all. So a template that
  # wants to know whether there is a variable depends on that variable alone, and not on every fact.
  class Variables < Hash
    @names = nil

    class << self
      # The names that a scope sees, in their order, as keys.
      def names(scope)
        @names ||= {}
        @names[scope.name_for_host] ||= scope.ask('names').to_h { |name| [name, true] }
      end

      # There may be other variables by now.
      def forget
        @names = nil
      end
    end

    def initialize(scope)
      super()
      @scope = scope
      @names = Variables.names(scope)
      @values = {}
    end

    def key?(name)
      @names ? @names.key?(name) : super
    end
    alias has_key? key?
    alias include? key?
    alias member? key?

    def [](name)
      return super if @names.nil? || !@names.key?(name)

      value_of(name)
    end

    def fetch(name, *default)
      return super if @names.nil? || !@names.key?(name)

      value_of(name)
    end

    def dig(name, *deeper)
      value = self[name]
      deeper.empty? || value.nil? ? value : value.dig(*deeper)
    end

    def keys
      @names ? @names.keys : super
    end

    def size
      @names ? @names.size : super
    end
    alias length size

    def empty?
      size.zero?
    end

    # Makes it what a plain hash is.
    def load_all
      return self if @names.nil?

      names = @names.keys
      @names = nil
      values = (names - @values.keys).empty? ? {} : @scope.ask('vars')
      names.each { |name| store(name, @values.fetch(name) { Wire.decode(values[name]) }) }
      self
    end

    LAZY = instance_methods(false)
    private_constant :LAZY

    (Hash.instance_methods(false) + Enumerable.instance_methods(false) + %i[to_json] - LAZY).uniq.each do |method|
      define_method(method) do |*args, **options, &block|
        load_all
        super(*args, **options, &block)
      end
    end

    # As YAML it is a plain hash.
    def encode_with(coder)
      coder.represent_map(nil, to_h)
    end

    private

    def value_of(name)
      @values.fetch(name) { @values[name] = @scope.lookupvar(name) }
    end

    # Methods of a plain hash that are given one of ours read it without calling it.
    module Given
      %i[merge merge! update replace == eql? <= < >= >].each do |method|
        define_method(method) do |*others, &block|
          others.each { |other| other.load_all if Variables === other }
          super(*others, &block)
        end
      end
    end
    Hash.prepend(Given)
    Hash.singleton_class.prepend(Module.new { def [](*parts) = super(*parts.map { |part| Variables === part ? part.load_all : part }) })
  end
end
