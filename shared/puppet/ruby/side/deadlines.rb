# frozen_string_literal: true

# `Timeout.timeout` where there are no threads. Code waits for nothing but `sleep`, which ends where the time does; what goes on for
# ever is ended by the host.
require_relative 'after_loading'

module Understudy
  module Deadlines
    @ends = []

    class << self
      # Runs a block that ends by `seconds`: the error of the outermost time that is over.
      def within(seconds, error_class, message)
        finish = now + seconds
        @ends.push([finish, error_class, message])
        yield(seconds)
      ensure
        @ends.pop
      end

      # Sleeps, until the first end of all that are under way.
      def sleep(seconds)
        first, error_class, message = @ends.min_by(&:first)
        return yield(seconds) if first.nil? || (seconds && now + seconds < first)

        yield([first - now, 0].max)
        raise error_class, message
      end

      private

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end

    # Before the methods of Timeout.
    module Timing
      def timeout(seconds, error_class = nil, message = nil, &block)
        return yield(seconds) if seconds.nil? || seconds.zero?

        Deadlines.within(seconds, error_class || ::Timeout::Error, message || 'execution expired', &block)
      end
    end

    module Sleeping
      private

      def sleep(*seconds)
        Deadlines.sleep(seconds.first) { |time| time.nil? ? super() : super(time) }
      end
    end

    Object.prepend(Sleeping)
    AfterLoading.of('timeout') { ::Timeout.singleton_class.prepend(Timing) }
  end
end
