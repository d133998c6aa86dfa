# frozen_string_literal: true

module Understudy
  # Gives code of modules the texts and methods of Ruby 4.0, at a level that has them. The first
  # request at such a level replaces methods of Ruby; the first one at another level restores them.
  module Ruby40
    # Methods by the class that gets them.
    module Hashes
      # Ruby: symbol_key_needs_quote in hash.c
      QUOTED = /\A[@$!]|[-+*\/`%^&|\]<=>~@]\z/
      EACH = Hash.instance_method(:each_pair)

      def inspect
        Ruby40.within(self) { "{#{Hashes.entries(self).join(', ')}}" } || +'{...}'
      end
      alias to_s inspect

      class << self
        def entries(hash)
          shown = []
          EACH.bind_call(hash) { |key, value| shown << "#{key(key)}#{value.inspect}" }
          shown
        end

        private

        def key(key)
          return "#{key.inspect} => " unless Symbol === key

          shown = key.inspect
          return "#{shown.delete_prefix(':')}: " if shown.start_with?(':"')

          "#{QUOTED.match?(key.name) ? key.name.inspect : key.name}: "
        end
      end
    end

    module NameErrors
      def to_s
        NameErrorTexts.of(self, NameErrorTexts::PLAIN.bind_call(self))
      end
    end

    module Exceptions
      def inspect
        INSPECT_ERROR.bind_call(self)
      end
    end

    # Classes below Set keep the old form. Ruby: set_inspect in set.c, set/subclass_compatible.rb
    module Sets
      OLD = Set.instance_method(:inspect)

      def inspect
        return OLD.bind_call(self) unless instance_of?(Set)

        Ruby40.within(self) { "Set[#{to_a.inspect[1..-2]}]" } || +'Set[...]'
      end
      alias to_s inspect
    end

    # New methods, and such as refuse more.
    module Arrays
      def fetch_values(*indexes, &block)
        indexes.map { |index| fetch(index, &block) }
      end

      def rfind(if_none = nil, &block)
        block ? reverse_each.find(if_none, &block) : to_enum(:rfind, if_none)
      end
    end

    module Ranges
      SIZE = Range.instance_method(:size)

      def size
        raise TypeError, "can't iterate from #{self.begin.class}" unless self.begin.respond_to?(:succ)

        SIZE.bind_call(self)
      end
    end

    # Templates have keyword arguments alone: erb 6.0.
    module Templates
      def new(*arguments, **options)
        return super if arguments.size == 1

        raise ArgumentError, "wrong number of arguments (given #{arguments.size}, expected 1)"
      end
    end

    # Words errors of missing methods and variables anew. Ruby: name_err_mesg_to_str in error.c
    module NameErrorTexts
      PLAIN = Exception.instance_method(:to_s)
      ANY_TO_S = Kernel.instance_method(:to_s)
      CLASS = Kernel.instance_method(:class)
      SINGLETON_METHODS = Kernel.instance_method(:singleton_methods)
      # "undefined method `x' for class `X'" is about a class without an instance method.
      OF_RECEIVER = /
        \A((?:undefined\ method|undefined\ local\ variable\ or\ method|super:\ no\ superclass\ method)\ `.*?'\ for\ |
        (?:private|protected)\ method\ `.*?'\ called\ for\ )(?!(?:class|module)\ `)
      /mx

      class << self
        # Ruby's own errors have a receiver; those with a text of code mostly have none.
        def of(error, text)
          return text unless text.include?('`')

          receiver = error.receiver
          start = text[OF_RECEIVER, 1]
          (start ? "#{start}#{describe(receiver)}" : text).gsub(/`([^`']*)'/, "'\\1'")
        rescue ArgumentError
          text
        end

        private

        def describe(receiver)
          case receiver
          when nil, true, false then receiver.inspect
          when Class then "class #{name_of(receiver)}"
          when Module then "module #{name_of(receiver)}"
          else describe_instance(receiver)
          end
        end

        def describe_instance(receiver)
          return 'main' if TOPLEVEL_BINDING.receiver.equal?(receiver)
          return ANY_TO_S.bind_call(receiver) if singleton?(receiver)

          "an instance of #{name_of(CLASS.bind_call(receiver))}"
        end

        def singleton?(receiver)
          !SINGLETON_METHODS.bind_call(receiver).empty?
        end

        # Code may have a `name` of its own.
        def name_of(owner)
          name = owner.name || owner.inspect
          name.is_a?(String) ? name : ANY_TO_S.bind_call(owner)
        rescue StandardError
          ANY_TO_S.bind_call(owner)
        end
      end
    end

    GIVEN = {
      Hash => Hashes, Set => Sets, Exception => Exceptions, NameError => NameErrors, Array => Arrays, Range => Ranges, ERB.singleton_class => Templates
    }.freeze
    # Constants of Object and methods that Ruby 3.2 removed.
    CONSTANTS = %i[Fixnum Bignum].freeze
    REMOVED = [[File.singleton_class, %i[exists?]], [FileTest.singleton_class, %i[exists?]], [Dir.singleton_class, %i[exists?]],
               [Object, %i[=~ taint untaint trust untrust tainted? untrusted?]]].freeze

    @is_on = false
    @replaced = []
    @inspected = {}.compare_by_identity

    class << self
      def on?
        @is_on
      end

      # `wanted`: whether the request asks for Ruby 4.0.
      def follow(wanted)
        return if wanted == @is_on

        @is_on = wanted
        Altered.quietly { wanted ? replace : restore }
      end

      # Runs the block unless it is running for that object.
      def within(object)
        return if @inspected[object]

        begin
          @inspected[object] = true
          yield
        ensure
          @inspected.delete(object)
        end
      end

      private

      def replace
        GIVEN.each { |owner, methods| methods.instance_methods.each { |name| give(owner, name, methods.instance_method(name)) } }
        REMOVED.each { |owner, names| names.each { |name| remove(owner, name) } }
        CONSTANTS.each { |name| Object.send(:remove_const, name) }
      end

      def give(owner, name, method)
        @replaced << [owner, name, owner.method_defined?(name, false) ? owner.instance_method(name) : nil]
        owner.define_method(name, method)
      end

      # Also from what is prepended.
      def remove(holder, name)
        while holder.method_defined?(name)
          method = holder.instance_method(name)
          @replaced << [method.owner, name, method]
          method.owner.remove_method(name)
        end
      end

      def restore
        @replaced.reverse_each { |owner, name, method| method ? owner.define_method(name, method) : owner.remove_method(name) }
        @replaced.clear
        CONSTANTS.each { |name| Object.const_set(name, Integer) }
      end
    end
  end
end
