# frozen_string_literal: true

module Puppet
  module Util
    # Tags of something.
    class TagSet < Set
      # With those that a name of several parts stands for.
      def add_names(*names)
        names = names.flatten.map { |name| name.to_s.downcase }
        merge(names)
        names.each { |name| merge(name.split('::')) if name.include?('::') }
        self
      end

      def to_s
        to_a.join(' ')
      end

      def join(*args)
        to_a.join(*args)
      end
    end

    module Tagging
      def tags
        @tags ||= TagSet.new
      end

      def tag(*names)
        tags.add_names(*names)
      end

      # Of what can't be a tag nothing is said.
      def tag_if_valid(name)
        return unless name.is_a?(String) && name.match?(/\A[[:alnum:]_][[:alnum:]_:.-]*\z/)

        tag(name)
      end

      def tagged?(*names)
        names.flatten.any? { |name| tags.include?(name.to_s.downcase) }
      end
    end

    module CharacterEncoding
      module_function

      # The text as UTF-8, where that can be.
      def convert_to_utf_8(text)
        made = text.dup
        made = text.encoding == Encoding::BINARY ? made.force_encoding(Encoding::UTF_8) : made.encode(Encoding::UTF_8)
        made.valid_encoding? ? made : text
      rescue EncodingError
        text
      end

      def override_encoding_to_utf_8(text)
        text.dup.force_encoding(Encoding::UTF_8)
      end
    end
  end
end
