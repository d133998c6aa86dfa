# frozen_string_literal: true

module Understudy
  # `scope.to_hash`: the variables that a scope sees at that moment, each read when code asks for it. So a template that wants to know
  # whether there is a variable depends on that variable alone, and not on every fact.
  module Variables
    @lent = nil

    class << self
      def of(scope)
        LazyHash.new(lent(scope))
      end

      # There may be other variables by now.
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
