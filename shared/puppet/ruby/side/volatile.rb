# frozen_string_literal: true

# Marks the catalog as volatile when its code reads the time or a random number.
module Understudy
  module Volatile
    @is_seeded = false
    # Whether the shared generator has a seed of this compile.
    @is_fresh = true
    # The names that the current request has marked.
    @marked = Set.new

    class << self
      def mark(name)
        Understudy.ask('volatile', 'name' => name) if Understudy.channel && @marked.add?(name)
      rescue HostError
        nil # nothing is compiled
      end

      # Another request begins or goes on: the host notes for each that it is volatile.
      def forget
        @marked.clear
      end

      # Notes whether code seeded the shared generator itself: its numbers are then not random, and
      # the host must not draw them.
      def is_seeded=(is_seeded)
        @is_seeded = is_seeded
        Altered.report if is_seeded
      end

      # Records a number drawn from that generator.
      def drawn(name)
        return if @is_seeded

        mark(name)
        renew_seed
      end

      # A compile begins: the state that it begins with has the seed of the time when it was saved.
      def forget_seed
        @is_seeded = false
        @is_fresh = false
      end

      # Gives the generator a seed of this compile. Most compiles draw nothing and need none.
      def renew_seed
        return if @is_fresh

        @is_fresh = true
        Random.srand
      end
    end

    # The time of the compile; outside a compile the time of this process.
    def self.now(name)
      nanoseconds = Understudy.channel && Understudy.ask('now', 'name' => name)
      nanoseconds && ::Time.at(nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000, :nsec)
    rescue HostError
      nil
    end

    module Clock
      def now(**options)
        time = Volatile.now('Time.now') || super()
        options[:in] ? time.localtime(options[:in]) : time
      end

      def new(*args, **options)
        args.empty? ? now(**options) : super
      end
    end

    module Today
      def today(...)
        ::Time.now.to_date
      end
    end

    module Moment
      def now(...)
        ::Time.now.to_datetime
      end
    end

    module RealTime
      def clock_gettime(clock, unit = :float_second)
        return super unless clock == Process::CLOCK_REALTIME

        time = ::Time.now
        case unit
        when :nanosecond then time.to_i * 1_000_000_000 + time.nsec
        when :microsecond then time.to_i * 1_000_000 + time.usec
        when :millisecond then time.to_i * 1000 + time.usec / 1000
        when :second then time.to_i
        when :float_millisecond then time.to_f * 1000
        when :float_microsecond then time.to_f * 1_000_000
        else time.to_f
        end
      end
    end

    # Runs after `date` was loaded.
    def self.dates
      ::Date.singleton_class.prepend(Today)
      ::DateTime.singleton_class.prepend(Moment)
    end

    # Prepended to generators with a random seed.
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
        Volatile.drawn('Random.rand')
        super
      end

      %i[bytes random_number seed].each do |method|
        define_method(method) do |*args|
          Volatile.drawn("Random.#{method}")
          super(*args)
        end
      end

      def srand(*seed)
        Volatile.renew_seed
        Volatile.is_seeded = !seed.empty?
        super
      end

      def urandom(...)
        Volatile.mark('Random.urandom')
        super
      end

      # Libraries create generators that they never use.
      def new(*args)
        args.empty? ? super.extend(Drawing) : super
      end
    end

    # Prepended to Array, for calls without a generator.
    module Shuffling
      %i[shuffle shuffle! sample].each do |method|
        define_method(method) do |*args, **options|
          Volatile.drawn("Array##{method}") unless options.key?(:random)
          super(*args, **options)
        end
      end
    end

    # `Kernel.rand`.
    module Rand
      def rand(...)
        Volatile.drawn('rand')
        super
      end

      def srand(*seed)
        Volatile.renew_seed
        Volatile.is_seeded = !seed.empty?
        super
      end
    end

    # `rand` without a receiver.
    module OwnRand
      include Rand
      private :rand, :srand
    end

    Time.singleton_class.prepend(Clock)
    Process.singleton_class.prepend(RealTime)
    Random.singleton_class.prepend(Chance)
    Array.prepend(Shuffling)
    Kernel.singleton_class.prepend(Rand)
    Object.prepend(OwnRand)
    AfterLoading.of('date') { dates }
    dates if defined?(::Date) && !Object.autoload?(:Date)
  end
end
