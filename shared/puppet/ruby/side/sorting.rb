# frozen_string_literal: true

# Stable sorting, like the sorts of JRuby and of glibc on Puppet's servers. In WebAssembly Ruby uses
# its own sort, which is not stable.
module Understudy
  module Sorting
    class << self
      # Returns the positions of the keys in sorted order.
      def order(keys)
        sorted = keys.each_index.unstable_sort_by { |position| keys[position] }
        sorted.chunk_while { |left, right| (keys[left] <=> keys[right]).zero? }.flat_map { |equal| equal.unstable_sort }
      rescue ArgumentError, NoMethodError
        merge(keys.each_index.to_a) { |left, right| compare(keys[left], keys[right]) }
      end

      # A merge sort: errors and blocks reveal which items are compared, and in which order.
      def merge(list, &compare)
        return list if list.size < 2

        half = list.size / 2
        left = merge(list[0...half], &compare)
        right = merge(list[half..], &compare)
        merged = []
        merged << (yield(left.first, right.first).positive? ? right : left).shift until left.empty? || right.empty?
        merged + left + right
      end

      def compare(left, right)
        sign(left <=> right, left, right)
      end

      # Returns the result of a comparison as -1, 0 or 1.
      def sign(order, left, right)
        raise ArgumentError, "comparison of #{left.class} with #{named(right)} failed" if order.nil?
        return 1 if order > 0 # it may know no more than these

        order < 0 ? -1 : 0
      end

      private

      def named(item)
        case item
        when nil, true, false, Integer, Float, Symbol then item.inspect
        else item.class
        end
      end
    end
  end
end

module Enumerable
  alias unstable_sort_by sort_by

  def sort_by
    return to_enum(:sort_by) { size if respond_to?(:size) } unless block_given?

    items = to_a
    keys = items.map { |item| yield item }
    Understudy::Sorting.order(keys).map { |position| items[position] }
  end

  def sort(&block)
    to_a.sort(&block)
  end
end

class Array
  alias unstable_sort sort

  def sort
    sorting = Understudy::Sorting
    return sorting.merge(self + []) { |left, right| sorting.sign(yield(left, right), left, right) } if block_given?

    begin
      # Numbers alone can be distinguished when they are equal.
      return unstable_sort unless any?(Float) && any?(Integer)
    rescue ArgumentError, NoMethodError
      nil # says it of the two that are compared first
    end
    sorting.merge(self + []) { |left, right| sorting.compare(left, right) }
  end

  def sort!(&block)
    replace(sort(&block))
  end

  def sort_by!(&block)
    return to_enum(:sort_by!) { size } unless block

    replace(sort_by(&block))
  end
end
