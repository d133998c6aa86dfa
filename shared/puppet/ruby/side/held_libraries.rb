# frozen_string_literal: true

module Understudy
  # Libraries of Ruby that take longer to load than a compile takes. They are loaded before the
  # first request, and hidden until code requires them. What such a library adds to other classes
  # stays visible: REXML loads `pp`.
  module HeldLibraries
    # The constant of each, by the folder of its features, and the feature that loads all of it.
    FEATURES = { 'rexml' => [:REXML, 'rexml/document'] }.freeze

    @hidden = {}

    class << self
      def load
        FEATURES.each do |folder, (name, feature)|
          require feature
          @hidden[folder] = [name, Object.__send__(:remove_const, name)]
        rescue LoadError
          nil # a gem of Ruby that is not installed
        end
      end

      # Returns whether the feature belonged to a library that was hidden until now.
      def reveal(feature)
        name, library = @hidden.delete(feature[%r{\A\w+}]) unless @hidden.empty?
        return false if name.nil?

        Object.const_set(name, library)
        true
      end
    end
  end
end
