# frozen_string_literal: true

module Understudy
  # Runs actions after a library was loaded.
  module AfterLoading
    @steps = {}

    class << self
      def of(feature, &step)
        @steps[feature] = step
      end

      def done(feature)
        @steps[feature]&.call
      end
    end
  end
end
