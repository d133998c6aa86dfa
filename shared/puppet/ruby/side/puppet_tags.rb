# frozen_string_literal: true

module Puppet
  module Util
    # The tags of an object.
    class TagSet < Set
      # Adds names together with the parts of qualified names.
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

      # Ignores invalid tags silently.
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

      # Converts the text to UTF-8 if possible.
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
