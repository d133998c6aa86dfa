# frozen_string_literal: true

# Implements `Timeout.timeout` without threads. Code can only wait in `sleep`, which ends at the
# deadline; the host ends an endless loop.
require_relative 'after_loading'

module Understudy
  module Deadlines
    @ends = []

    class << self
      # Runs a block with a deadline of `seconds`. When several expire, the error of the outermost
      # is raised.
      def within(seconds, error_class, message)
        finish = now + seconds
        @ends.push([finish, error_class, message])
        yield(seconds)
      ensure
        @ends.pop
      end

      # Sleeps at most until the first deadline.
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

    # Prepended to the methods of Timeout.
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
