# frozen_string_literal: true

# Saves states of a native Ruby by fork: the process with the saved state waits while its child
# continues.
module Understudy
  module Forks
    # Exit codes by which a child requests the last saved state, or the initial one.
    BACK = 120
    BASE = 121

    class << self
      # Returns in child processes only, as `hold` does.
      def start
        keep([BACK, BASE]) { |is_first| Understudy.confirm unless is_first }
      end

      def hold
        keep([BACK]) { Understudy.confirm }
      end

      private

      # Starts one child after another, as long as each ends with one of these exit codes.
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
