# frozen_string_literal: true

module Understudy
  # Ruby's messages contain the class name of an object, so this class has the name of a plain hash.
  plain = Object.__send__(:remove_const, :Hash)
  Object.const_set(:Hash, Class.new(plain))
  LazyHash = Object.__send__(:remove_const, :Hash)
  Object.const_set(:Hash, plain)

  # A hash lent by the host. A read by key requests only that key; any other operation loads the
  # whole hash.
  class LazyHash
    # Code that spreads hashes with `**`, which reads them without a method call. Parameters of
    # methods and blocks do not count.
    PARAMETERS = /\bdef\s+[\w.?!=]+\s*\([^()]*\)|\|[^|\n]*\|/
    SPREADING = /(?:[(,{\[]|^|\breturn)\s*\*\*\s*[a-zA-Z_@$(]/

    # Lent hashes by number. They are facts, which remain until the compile ends.
    @lent = {}
    @is_spreading = false

    class << self
      # Returns the hash that the host lends under that number.
      def lent(number)
        found = (@lent[number] ||= new(Lent.new(number, frozen: true) { raise Puppet::DevError, "hash #{number} is lent no more" }, number))
        @is_spreading ? found.__send__(:load_deeply) : found
      end

      # Returns the number under which the host lends a hash, or nil.
      def number(hash)
        hash.instance_variable_get(:@number) if LazyHash === hash
      end

      def spread_by?(source)
        source.include?('**') && SPREADING.match?(source.gsub(PARAMETERS, ''))
      end

      # Loads lent hashes immediately, until the request ends.
      def spread
        @is_spreading = true
      end

      def done
        @is_spreading = false
      end

      def load(value)
        LazyHash === value ? value.__send__(:load_all) : value
      end

      # Copies arrays and hashes; the block converts lazy hashes.
      def replace(value, done = {}.compare_by_identity, &block)
        return done[value] if done.key?(value)

        case value
        when LazyHash then done[value] = yield(value)
        when Hash
          value.each_with_object(done[value] = value.dup.clear) { |(key, item), made| made[key] = replace(item, done, &block) }
        when Array
          value.each_with_object(done[value] = value.dup.clear) { |item, made| made << replace(item, done, &block) }
        else value
        end
      end
    end

    def initialize(source, number = nil)
      super()
      @source = source
      @number = number
    end

    def [](key)
      return super unless asks_for?(key)

      @source.find(key) { nil }
    end

    # Ruby calls this for a missing key even where no method is called.
    def default(*key)
      return super if key.empty? || !asks_for?(key.first)

      @source.find(key.first) { nil }
    end

    def fetch(key, default = (has_no_default = true))
      return has_no_default ? super(key) : super unless asks_for?(key)

      @source.find(key) do
        load_all if has_no_default && !block_given?
        has_no_default ? super(key) : super
      end
    end

    def key?(key)
      asks_for?(key) ? @source.key?(key) : super
    end
    alias has_key? key?
    alias include? key?
    alias member? key?

    def dig(key, *deeper)
      return super unless asks_for?(key)

      value = self[key]
      deeper.empty? || value.nil? ? value : [value].dig(0, *deeper)
    end

    def values_at(*keys)
      @source ? keys.map { |key| self[key] } : super
    end

    def fetch_values(*keys, &block)
      @source ? keys.map { |key| fetch(key, &block) } : super
    end

    def slice(*keys)
      return super unless @source

      keys.each_with_object({}) { |key, made| made[key] = self[key] if key?(key) }
    end

    def assoc(key)
      return super unless asks_for?(key)

      [-key, self[key]] if key?(key)
    end

    def keys
      @source ? @source.keys.dup : super
    end

    def size
      @source ? @source.keys.size : super
    end
    alias length size

    def empty?
      size.zero?
    end

    def to_hash
      self
    end

    def to_h(&block)
      block ? load_all && super : self
    end

    def merge(...)
      plain.merge(...)
    end

    def dup
      plain
    end

    def clone(freeze: nil)
      made = plain
      freeze || (freeze.nil? && frozen?) ? made.freeze : made
    end

    def frozen?
      @source ? @source.frozen_content? : super
    end

    def freeze
      load_all
      super
    end

    def class
      Hash
    end

    def instance_of?(type)
      type.equal?(Hash)
    end

    def instance_variables
      []
    end

    LAZY = instance_methods(false)
    private_constant :LAZY

    (Hash.instance_methods(false) + Enumerable.instance_methods(false) + %i[to_json extend instance_variable_set define_singleton_method] - LAZY)
      .uniq.each do |method|
      define_method(method) do |*args, **options, &block|
        load_all
        super(*args, **options, &block)
      end
    end

    private

    # Whether it can be read by key from the host; other keys are searched here.
    def asks_for?(key)
      return false if @source.nil?
      return false unless String === key
      return true if key.encoding == Encoding::UTF_8 ? key.valid_encoding? : key.ascii_only?

      load_all
      false
    end

    # Converts it to a plain hash.
    def load_all
      return self if @source.nil?

      content = @source.all
      frozen = @source.frozen_content?
      @source = nil
      content.each { |key, value| store(key, value) }
      frozen ? freeze : self
    end

    def load_deeply
      load_all
      each_value { |value| value.__send__(:load_deeply) if LazyHash === value }
      self
    end

    def plain
      {}.replace(load_all)
    end

    # Methods of a plain hash that read a lazy argument without calling its methods.
    module Given
      %i[merge merge! update replace == eql? <= < >= >].each do |method|
        define_method(method) do |*others, &block|
          others.each { |other| LazyHash.load(other) }
          super(*others, &block)
        end
      end
    end
    Hash.prepend(Given)
    Hash.singleton_class.prepend(Module.new { def [](*parts) = super(*parts.map { |part| LazyHash.load(part) }) })

    DUMP = Marshal.method(:dump)

    # Ruby cannot dump a class that has the name of another one.
    module Dump
      def dump(object, *rest)
        super
      rescue TypeError => e
        raise unless e.message.include?("Hash can't be referred to")

        super(LazyHash.replace(object) { |lazy| LazyHash.replace(lazy.dup) { |inner| inner.dup } }, *rest)
      end
    end
    Marshal.singleton_class.prepend(Dump)
  end
end
