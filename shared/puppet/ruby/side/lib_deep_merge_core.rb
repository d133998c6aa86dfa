# frozen_string_literal: true

# Reimplements the part of the gem `deep_merge` that Puppet ships: hashes are merged, arrays united,
# other values replaced.
Object.__send__(:remove_const, :DeepMerge) if Object.autoload?(:DeepMerge)

module DeepMerge
  class InvalidParameter < StandardError; end

  DEFAULT_FIELD_KNOCKOUT_PREFIX = '--'

  # One merge with its options.
  class Merging
    def initialize(options)
      @replaces = !options[:preserve_unmergeables]
      @prefix = options[:knockout_prefix] || nil
      @separator = options[:unpack_arrays] || nil
      @options = options
      raise InvalidParameter, 'knockout_prefix cannot be an empty string in deep_merge!' if @prefix == ''
      return unless @prefix && !@replaces

      raise InvalidParameter, 'overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!'
    end

    # Returns the new `dest`; it is changed in place where possible.
    def merge(source, dest)
      return dest if source.nil?
      return source if !dest && @replaces

      case source
      when Hash then merge_hash(source, dest)
      when Array then merge_array(source, dest)
      else extends?(dest) ? dest.push(source) : replace(source, dest)
      end
    end

    private

    def extends?(dest)
      dest.is_a?(Array) && @options[:extend_existing_arrays]
    end

    def merge_hash(source, dest)
      source.each do |key, value|
        if dest.is_a?(Hash)
          dest[key] = merge(value, dest[key] || value.dup)
        elsif extends?(dest)
          dest.push(source)
        else
          dest = replace(source, dest)
        end
      end
      dest
    end

    def merge_array(source, dest)
      return source if @options[:overwrite_arrays]

      source, dest = [source, dest].map { |list| split(list) } if @separator
      if @prefix && source.include?(@prefix)
        source.delete(@prefix)
        dest = dest.respond_to?(:clear) ? dest.clear : nil
      end
      return @replaces ? replace(source, dest) : dest unless dest.is_a?(Array)

      knock_out(source, dest) if @prefix
      united = unite(source, dest)
      @options[:sort_merged_arrays] ? united.sort! : united
    end

    # Splits strings that contain several elements.
    def split(list)
      list.is_a?(Array) ? list.join(@separator).split(@separator) : list
    end

    # Removes elements with the prefix, and the elements of `dest` that they name.
    def knock_out(source, dest)
      source.delete_if do |item|
        named = item.respond_to?(:gsub) ? item.gsub(/^#{@prefix}/, '') : item
        next false if named == item

        dest.delete(named)
        dest.delete(item)
        true
      end
    end

    def unite(source, dest)
      return dest | source unless @options[:merge_hash_arrays] && [source, dest].all? { |list| list.all?(Hash) }

      dest.each_with_index.map { |item, index| merge(source[index] || {}, item) } + source.drop(dest.size)
    end

    def replace(source, dest)
      return dest unless @replaces
      return source unless @prefix

      knocked =
        case source
        when String then source.gsub(/^#{@prefix}/, '')
        when Array then source.delete_if { |item| item.is_a?(String) && item.match?(/^#{@prefix}/) }
        else source
        end
      knocked == source ? knocked : ''
    end
  end

  # Changes `dest` and returns it.
  def self.deep_merge!(source, dest, options = {})
    Merging.new(options).merge(source, dest)
  end
end
