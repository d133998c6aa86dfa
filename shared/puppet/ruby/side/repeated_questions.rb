# frozen_string_literal: true

module Understudy
  # Questions about what stays as it is during a compile: files, folders and settings. Each crosses
  # the border once. The host records what a file asks while it loads, so that code asks each time.
  module RepeatedQuestions
    @answers = {}

    class << self
      # Another compile begins.
      def forget
        @answers.clear
      end

      # Code changes what it may ask for.
      def forget_answers_to(name)
        @answers.delete_if { |(its, _subject)| its == name }
      end

      # `subject`: the path or the name.
      def ask(name, field, subject)
        return Understudy.ask(name, field => subject) if Loaded.current || Requests.describing?

        key = [name, subject].freeze
        answer = @answers.fetch(key) { @answers[key] = Understudy.ask(name, field => subject) }
        copy(answer)
      end

      private

      # Code may change what it gets.
      def copy(answer)
        case answer
        when String then answer.dup
        when Array then answer.map { |item| copy(item) }
        else answer
        end
      end
    end
  end
end
