# frozen_string_literal: true

require 'did_you_mean'

module Understudy
  # `Did you mean?`, which Ruby 3.1 and JRuby 9.4 append to the messages of errors about missing
  # names. Later Ruby shows it on terminals alone. Ruby: lib/did_you_mean/core_ext/name_error.rb
  module Hints
    # Prepended to the classes of these errors.
    module Texts
      def to_s
        text = super
        hint = Hints.of(self)
        hint.empty? || text.include?(hint) ? text : "#{text}#{hint}"
      end

      # The message without its hint.
      def original_message
        found = method(:to_s)
        found = found.super_method until found.owner.equal?(Texts)
        found.super_method.call
      end
    end

    # Our own methods are no names that code may have meant.
    module OfMethods
      def method_names
        super.reject { |name| Hints.ours?(receiver, name) }
      end
    end

    # A template has all variables of its scope, also those that its text does not name.
    module OfVariables
      def initialize(error)
        super
        return unless Puppet::Parser::TemplateWrapper === error.receiver # rubocop:disable Style/CaseEquality

        @ivar_names = (@ivar_names | error.receiver.scope.to_hash.keys.map { |name| :"@#{name}" })
      end
    end

    class << self
      def of(error)
        return '' if Ruby40.on?

        names = error.is_a?(LoadError) ? features(error) : error.corrections
        DidYouMean.formatter.message_for(names)
      rescue StandardError
        '' # An error that code raises has no receiver.
      end

      def ours?(receiver, name)
        Kernel.instance_method(:method).bind_call(receiver, name).owner.name.to_s.start_with?('Understudy::')
      rescue StandardError
        false
      end

      private

      # The features of Ruby's library that resemble a missing one.
      def features(error)
        @features ||= $LOAD_PATH.flat_map { |path| Dir.glob('**/???*.rb', base: path) }.map { |path| path.delete_suffix('.rb') }
        close = @features.reject { |feature| feature.size >= error.path.size * 2 }
        checker = error.path.include?('/') ? DidYouMean::TreeSpellChecker : DidYouMean::SpellChecker
        checker.new(dictionary: close).correct(error.path).uniq
      end
    end

    # In Ruby 3.1 the library appends the hints itself, at every level.
    DidYouMean::Correctable.send(:remove_method, :to_s) if DidYouMean::Correctable.method_defined?(:to_s, false)
    DidYouMean::MethodNameChecker.prepend(OfMethods)
    DidYouMean::VariableNameChecker.prepend(OfVariables)
    [NameError, KeyError, LoadError].each { |type| type.prepend(Texts) }
  end
end
