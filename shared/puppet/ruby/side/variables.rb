# frozen_string_literal: true

module Understudy
  # `scope.to_hash`: a snapshot of the variables that a scope sees. Each one is read on demand, so a
  # template that tests for a variable depends on that variable alone, and not on every fact.
  module Variables
    @lent = nil

    class << self
      def of(scope)
        LazyHash.new(lent(scope))
      end

      # Called when the variables may have changed.
      def forget
        @lent = nil
      end

      private

      def lent(scope)
        @lent ||= {}
        @lent[scope.name_for_host] ||= Lent.new(scope.ask('variables')) { scope.ask('variables') }
      end
    end
  end
end
