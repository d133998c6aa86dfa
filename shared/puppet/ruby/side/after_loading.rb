# frozen_string_literal: true

module Understudy
  # What is to be done to a library once it was loaded.
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
