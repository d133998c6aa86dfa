# frozen_string_literal: true

module Understudy
  # Compiles a pattern with text inside (`/^#{name}$/`) once for each text. Ruby compiles it each
  # time, which takes ten times as long as the match. A compile of 700 objects of Icinga 2 took
  # 6.5 s of CPU without it and 2.6 s with it (November 2026). `Loaded.run` applies it.
  module Patterns
    # Patterns kept for one place in the code.
    LIMIT = 1000
    # A line in which such a pattern may be. What it misses is compiled each time.
    CANDIDATE = /(?:%r[^\w\s]|(?:[=~(,|&!\[{]|\b(?:when|if|unless|and|or|not|g?sub!?|split|match\??|scan|grep))\s*\/).*\#\{/
    # Behind these, a pattern alone is a condition on `$_`.
    CONDITIONS = %w[if unless while until elsif and or not ! && || ?].freeze
    SPACES = %i[on_sp on_ignored_nl on_comment].freeze

    # The patterns of one place in the code, by text.
    class Kept < Hash
      def []=(text, pattern)
        clear if size >= LIMIT
        super
      end
    end

    # By number of the place.
    KEPT = [] # rubocop:disable Style/MutableConstant

    class << self
      # Returns the source with each such pattern kept. Lines keep their numbers.
      def kept_in(source)
        return source unless CANDIDATE.match?(source)

        require 'ripper' unless defined?(::Ripper)
        found = literals(::Ripper.lex(source))
        found.empty? ? source : replace(source, found)
      end

      private

      # The tokens of each pattern that can be kept.
      def literals(tokens)
        found = []
        at = 0
        while at < tokens.size
          ending = tokens[at][1] == :on_regexp_beg ? ending_of(tokens, at) : nil
          found << tokens[at..ending] if ending && kept?(tokens, at, ending)
          at = (ending || at) + 1
        end
        found
      end

      # The index of the token that ends the pattern.
      def ending_of(tokens, at)
        depth = 0
        (at...tokens.size).each do |index|
          depth += 1 if tokens[index][1] == :on_regexp_beg
          depth -= 1 if tokens[index][1] == :on_regexp_end
          return index if depth.zero?
        end
        nil
      end

      def kept?(tokens, at, ending)
        inside = tokens[(at + 1)...ending].map { |token| token[1] }
        return false unless inside.include?(:on_embexpr_beg)
        return false if inside.include?(:on_regexp_beg) || inside.include?(:on_heredoc_beg) || tokens[ending][2].include?('o')
        return false unless parts(tokens[at..ending]).all? { |part| part.none? { |token| token[2].include?("\n") } }

        !condition?(tokens, at, ending)
      end

      def condition?(tokens, at, ending)
        before = tokens[0...at].reverse_each.find { |token| !SPACES.include?(token[1]) }
        return false unless before && CONDITIONS.include?(before[2])

        behind = tokens[(ending + 1)..].find { |token| token[1] != :on_sp }
        behind.nil? || !%w[=~ !~ === .].include?(behind[2])
      end

      # The tokens of each `#{…}` of a pattern, these included.
      def parts(literal)
        depth = 0
        literal.slice_when do |before, behind|
          depth += 1 if before[1] == :on_embexpr_beg
          depth -= 1 if before[1] == :on_embexpr_end
          depth.zero? && (before[1] == :on_embexpr_end || behind[1] == :on_embexpr_beg)
        end.select { |part| part.first[1] == :on_embexpr_beg }
      end

      def replace(source, found)
        bytes = source.b
        starts = [0]
        bytes.scan("\n") { starts << Regexp.last_match.end(0) }
        found.reverse_each do |literal|
          from = offset(starts, literal.first)
          to = offset(starts, literal.last) + literal.last[2].bytesize
          bytes[from...to] = expression(literal).b
        end
        bytes.force_encoding(source.encoding)
      end

      def offset(starts, token)
        line, column = token[0]
        starts[line - 1] + column
      end

      # Finds the pattern by its texts, or keeps what the same literal gives with these.
      def expression(literal)
        number = KEPT.push(Kept.new).size - 1
        all = parts(literal)
        names = all.each_index.map { |index| "understudy_#{number}_#{index}" }
        texts = all.zip(names).map { |part, name| %(#{name} = "#{text(part)}") }
        key = texts.size == 1 ? texts.first : "[#{texts.join(', ')}]"
        given = names.each
        same = literal.slice_when { |before, behind| edge?(before, behind, all) }.map do |tokens|
          all.include?(tokens) ? "\#{#{given.next}}" : text(tokens)
        end
        "(::Understudy::Patterns::KEPT[#{number}][#{key}] ||= #{same.join})"
      end

      def edge?(before, behind, parts)
        parts.any? { |part| part.last.equal?(before) || part.first.equal?(behind) }
      end

      def text(tokens)
        tokens.map { |token| token[2] }.join
      end
    end
  end
end
