# frozen_string_literal: true

# Marks a catalog whose code asked for the time or for chance.
module Understudy
  module Volatile
    def self.mark(name)
      Understudy.ask('volatile', 'name' => name) if Understudy.channel
    rescue HostError
      nil # nothing is compiled
    end

    module Clock
      def now(...)
        Volatile.mark('Time.now')
        super
      end

      def new(*args, **options)
        Volatile.mark('Time.new') if args.empty?
        super
      end
    end

    # Of a generator that chance has seeded.
    module Drawing
      %i[rand bytes seed random_number].each do |method|
        define_method(method) do |*args|
          Volatile.mark('Random.new')
          super(*args)
        end
      end
    end

    module Chance
      def rand(...)
        Volatile.mark('Random.rand')
        super
      end

      def bytes(...)
        Volatile.mark('Random.bytes')
        super
      end

      def urandom(...)
        Volatile.mark('Random.urandom')
        super
      end

      # Libraries make generators that they then do not use.
      def new(*args)
        args.empty? ? super.extend(Drawing) : super
      end
    end

    # Of arrays, when no generator is given.
    module Shuffling
      %i[shuffle shuffle! sample].each do |method|
        define_method(method) do |*args, **options|
          Volatile.mark("Array##{method}") unless options.key?(:random)
          super(*args, **options)
        end
      end
    end

    # `rand` without a receiver.
    module Rand
      private

      def rand(...)
        Volatile.mark('rand')
        super
      end
    end

    Time.singleton_class.prepend(Clock)
    Random.singleton_class.prepend(Chance)
    Array.prepend(Shuffling)
    Object.prepend(Rand)
  end
end
