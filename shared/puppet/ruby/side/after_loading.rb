# frozen_string_literal: true

module Understudy
  # Runs actions after a library was loaded.
  module AfterLoading
    @steps = Hash.new { |steps, feature| steps[feature] = [] }

    class << self
      def of(feature, &step)
        @steps[feature] << step
      end

      def done(feature)
        @steps[feature].each(&:call) if @steps.key?(feature)
      end
    end
  end
end
