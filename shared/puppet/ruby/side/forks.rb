# frozen_string_literal: true

# Keeps states of a Ruby that runs as a process: the process that has the state waits, a copy of it goes on.
module Understudy
  module Forks
    # How a copy ends when the host wants the state back that was kept last, or that of the start.
    BACK = 120
    BASE = 121

    class << self
      # Returns in copies only, as `hold` does.
      def start
        keep([BACK, BASE]) { |is_first| Understudy.confirm unless is_first }
      end

      def hold
        keep([BACK]) { Understudy.confirm }
      end

      private

      # One copy after the other, as long as they end in one of the ways.
      def keep(ways)
        is_first = true
        while (process = fork)
          is_first = false
          status = Process.wait2(process)[1].exitstatus || 1
          exit!(status) unless ways.include?(status)
        end
        yield is_first
      end
    end
  end
end
