# frozen_string_literal: true

module Understudy
  # Arrays and hashes shared with the host, by number, during a request. Module code may change one
  # in place. The host then changes its own copy, so that all holders see the change, as in Puppet,
  # where it is one object.
  module Containers
    # Code that may change its arguments: operators, methods, or code that cannot be inspected.
    CHANGING = /
      <<(?![~-]?['"`A-Z_]) |
      \]\s*(?:\|\||&&|\*\*|[-+*\/%|&^])?=(?![=~>]) |
      \w!(?![=~]) |
      \b(?:push|append|concat|unshift|prepend|insert|pop|shift|delete|delete_at|delete_if|keep_if|clear|replace|store|update|fill)\b |
      \b(?:force_encoding|setbyte|compare_by_identity|send|__send__|public_send|eval|instance_eval|instance_exec)\b |
      \.method\b | ^\s*(?:require_relative|load)\b |
      ^\s*require\b(?!\s*\(?\s*(['"])(?:base64|date|digest|erb|ipaddr|json|psych|set|shellwords|time|uri|yaml)\1)
    /x
    # Number of bytes compared during a request. Changes beyond it are found when the request ends.
    LOOKED_LIMIT = 1 << 19

    # `numbers`: the numbers of all containers inside when it arrived, in the order in which they
    # begin.
    Root = Struct.new(:numbers, :look, :is_known)

    @held = {}
    @numbers = {}.compare_by_identity
    # The outermost containers that may be changed.
    @roots = {}.compare_by_identity
    # Containers that must not be changed.
    @fixed = {}.compare_by_identity
    @own = 0
    @looked = 0
    @watching = false
    @is_all_known = true

    class << self
      def clear
        @looked = 0
        @watching = false
        return if @numbers.empty?

        [@held, @numbers, @roots, @fixed].each(&:clear)
        @own = 0
      end

      # Whether the code may change arrays and hashes that it did not create.
      def changed_by?(source)
        CHANGING.match?(source)
      end

      # Starts watching, because code that changes its arguments may run.
      def watch
        return if @watching

        @watching = true
        @roots.each do |container, root|
          number_all(container, root)
          root.look = look(container)
        end
      end

      def add(number, container)
        @held[number] = container
        @numbers[container] = number
      end

      # Returns the container.
      def add_root(container, numbers, fixed: false)
        add(numbers.begin, container)
        @is_all_known = false
        @fixed[container] = Root.new(numbers) if fixed
        return container if fixed

        root = (@roots[container] ||= Root.new(numbers))
        number_all(container, root) if @watching
        root.look ||= look(container) if @watching
        container
      end

      # Gives a container created in Ruby its own number.
      def adopt(container)
        watch
        number = (@own -= 1)
        add_root(container, number..number)
        number
      end

      def fetch(number)
        @held.fetch(number) do
          know_all
          @held.fetch(number) { raise Puppet::DevError, "no array or hash has the number #{number}" }
        end
      end

      def number(container)
        return @numbers[container] if @is_all_known || @numbers.key?(container)

        know_all
        @numbers[container]
      end

      # Whether the host learns of its changes in any case.
      def settled?(container)
        !@watching || @roots.key?(container) || @fixed.key?(container)
      end

      # Returns the containers changed since the last call, each with its earlier content. `at_end`:
      # at the end of the request.
      def changed(at_end:)
        return [] unless @watching && (at_end || @looked < LOOKED_LIMIT)

        @roots.flat_map { |container, root| changed?(container, root) ? [container, *inner(root)] : [] }
      end

      private

      def know_all
        [@roots, @fixed].each { |roots| roots.each { |container, root| number_all(container, root) } }
        @is_all_known = true
      end

      # Numbers the containers inside one as it arrives; until then only the outermost has a number.
      def number_all(container, root)
        return if root.is_known || root.numbers.begin.negative?

        root.is_known = true
        return if root.numbers.size == 1

        inner = inner_containers(container, [])
        return unless inner.length == root.numbers.size - 1

        inner.each_with_index { |one, index| add(root.numbers.begin + 1 + index, one) }
      end

      def inner_containers(container, found)
        case container
        when Array then container.each { |item| find_containers(item, found) }
        when Hash then container.each { |key, item| find_containers(key, found) && find_containers(item, found) }
        end
        found
      end

      def find_containers(value, found)
        case value
        when Array, Hash
          return found if @numbers.key?(value) || LazyHash === value

          found << value
          inner_containers(value, found)
        when Wire::Sensitive then find_containers(value.unwrap, found)
        when Wire::CarriedObject then inner_containers(value.attributes, found)
        else found
        end
      end

      def changed?(container, root)
        now = look(container)
        return false if now == root.look

        root.look = now
        true
      end

      def inner(root)
        root.numbers.filter_map { |number| @held[number] unless @fixed.key?(@held[number]) }
      end

      # Returns a value that differs when the content does. Content that cannot be dumped always
      # counts as changed.
      def look(container)
        texts = texts_of(container)
        if texts
          @looked += texts.size
          return texts.hash
        end

        dumped = dump(container)
        @looked += dumped.bytesize
        dumped.hash
      rescue TypeError
        Object.new
      end

      # The content of a list of texts, or of a hash of texts: its hash takes a tenth of the time of
      # a dump. Nil for any other content.
      def texts_of(container)
        return (container if container.all?(String)) if container.instance_of?(Array)
        return unless container.instance_of?(Hash) && container.each_value.all?(String)

        texts = container.flatten(1)
        texts if texts.all?(String)
      end

      # Lent hashes are never changed.
      def dump(container)
        LazyHash::DUMP.call(container)
      rescue TypeError
        LazyHash::DUMP.call(LazyHash.replace(container, &:__id__))
      end
    end
  end
end
