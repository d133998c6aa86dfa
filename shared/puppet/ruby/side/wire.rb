# frozen_string_literal: true

# Converts Puppet values to JSON and back.
module Understudy
  module Wire
    Sensitive = Puppet::Pops::Types::PSensitiveType::Sensitive
    Binary = Puppet::Pops::Types::PBinaryType::Binary
    PAnyType = Puppet::Pops::Types::PAnyType
    Timestamp = Puppet::Pops::Time::Timestamp
    Timespan = Puppet::Pops::Time::Timespan
    CarriedObject = Puppet::Pops::Types::CarriedObject

    # Number of kept values that only Ruby knows; the oldest are evicted.
    KEPT_LIMIT = 10_000
    # These values, by the id under which the host refers to them.
    @kept = {}
    @next_id = 0
    # The arrays and hashes already in the current message of changes; nil for other messages.
    @sent = nil
    # The number of the next container while a value with repeated containers is decoded.
    @number = nil
    # Whether the value being decoded is frozen.
    @frozen = false

    class << self
      def decode(value)
        case value
        when String then @frozen ? value.freeze : value
        when Array then decode_array(value)
        when Hash then decode_hash(value)
        else value
        end
      end

      def encode(value)
        case value
        when String then encode_string(value)
        when nil, true, false, Integer then value
        when Float then encode_float(value)
        when Array, Hash then encode_container(value)
        else encode_rich(value)
        end
      end

      # Encodes a value that the host keeps: arrays and hashes keep their identity on both sides.
      def encode_kept(value)
        return encode(value) unless (value.is_a?(Array) || value.is_a?(Hash)) && !Containers.number(value) && !LazyHash.number(value)

        { '$k' => Containers.adopt(value), 'v' => encode_content(value) }
      end

      # Returns the arrays and hashes changed since the host last received them.
      def changes(at_end: false)
        changed = Containers.changed(at_end:)
        return changed if changed.empty?

        @sent = {}.compare_by_identity
        changed.filter_map { |container| encode_changed(container) unless @sent.key?(container) }
      ensure
        @sent = nil
      end

      # Keeps an object in Ruby; returns its id.
      def keep(object)
        id = (@next_id += 1)
        @kept.shift if @kept.length >= KEPT_LIMIT
        @kept[id] = object
        id
      end

      def kept(id)
        @kept.fetch(id) { raise Puppet::DevError, "no object #{id} is kept" }
      end

      # Converts a Puppet lambda to a Ruby proc. `parameters`: kind and name of each.
      def lambda_of(id = nil, parameters = [%w[rest args]])
        return nil if id.nil?

        made = Puppet::Pops::Evaluator::PuppetProc.new do |*args|
          Understudy.ask_value('block', 'id' => id, 'args' => args.map { |arg| encode(arg) })
        end
        made.parameters = parameters.map { |kind, name| [kind.to_sym, name.to_sym] }
        made.host_id = id
        made
      end

      private

      def decode_array(array)
        made = @number ? fill(array) : array.map { |element| decode(element) }
        @frozen ? made.freeze : made
      end

      def decode_hash(hash)
        hash.each_key { |key| key.start_with?('$') ? (return decode_marked(key, hash)) : break }
        made = @number ? fill_hash(hash) : hash.transform_values { |value| decode(value) }
        @frozen ? made.freeze : made
      end

      def decode_marked(mark, hash)
        case mark
        when '$t' then decode_tagged(hash['$t'], hash)
        when '$h' then decode_pairs(hash['$h'])
        when '$r' then Containers.fetch(hash['$r'])
        when '$l' then LazyHash.lent(hash['$l'])
        when '$f' then decode_frozen(hash)
        else decode_numbered(hash)
        end
      end

      def decode_pairs(pairs)
        made = @number ? fill_pairs(pairs) : pairs.to_h { |key, value| [decode(key), decode(value)] }
        @frozen ? made.freeze : made
      end

      def decode_numbered(hash)
        outer = @frozen
        @frozen ||= hash.key?('f')
        made = hash.key?('s') ? decode_repeating(hash['v'], hash['$n']) : decode(hash['v'])
        Containers.add_root(made, hash['$n']...hash['e'], fixed: @frozen)
      ensure
        @frozen = outer
      end

      def decode_frozen(hash)
        @frozen = true
        decode(hash['v'])
      ensure
        @frozen = false
      end

      # Decodes containers of which one occurs twice: each is numbered from its start.
      def decode_repeating(value, number)
        @number = number
        decode(value)
      ensure
        @number = nil
      end

      def take(container)
        Containers.add(@number, container)
        @number += 1
        container
      end

      def fill(array)
        array.each_with_object(take([])) { |element, made| made << decode(element) }
      end

      def fill_hash(hash)
        hash.each_with_object(take({})) { |(key, value), made| made[key] = decode(value) }
      end

      def fill_pairs(pairs)
        pairs.each_with_object(take({})) { |(key, value), made| made[decode(key)] = decode(value) }
      end

      def decode_tagged(tag, hash)
        text = hash['v']
        case tag
        when 'Sensitive' then Sensitive.new(decode(text))
        when 'Default' then :default
        when 'Regexp' then Regexp.new(text)
        when 'Type' then PAnyType.of(text)
        when 'Reference' then Puppet::Resource.new(*text)
        when 'SemVer' then SemanticPuppet::Version.parse(text)
        when 'SemVerRange' then SemanticPuppet::VersionRange.parse(text)
        when 'Timestamp' then Timestamp.new(text.to_i)
        when 'Timespan' then Timespan.new(text.to_i)
        when 'Binary' then Binary.from_base64(text)
        when 'Bytes' then text.unpack1('m0')
        when 'Broken' then text.unpack1('m0').force_encoding(Encoding::UTF_8)
        when 'URI' then decode_uri(text)
        when 'Block' then lambda_of(text)
        when 'Symbol' then text.to_sym
        when 'Float' then { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY }.fetch(text, -Float::INFINITY)
        else decode_object(hash)
        end
      end

      def decode_uri(text)
        require 'uri'
        URI.parse(text)
      end

      def decode_object(hash)
        return kept(hash['ruby']) if hash.key?('ruby')

        attributes = (hash['attributes'] || {}).transform_values { |value| decode(value) }
        CarriedObject.new(hash['v'], hash['class'].to_s, attributes)
      end

      def encode_string(text)
        return text if text.encoding == Encoding::UTF_8 && text.valid_encoding?

        tag = { Encoding::BINARY => 'Bytes', Encoding::UTF_8 => 'Broken' }[text.encoding]
        utf8 = to_utf8(text) unless tag
        utf8&.valid_encoding? ? utf8 : { '$t' => tag || 'Binary', 'v' => [text.b].pack('m0') }
      end

      def to_utf8(text)
        text.encode(Encoding::UTF_8)
      rescue EncodingError
        text
      end

      def encode_float(value)
        value.finite? ? value : { '$t' => 'Float', 'v' => value.to_s }
      end

      def encode_container(container)
        lent = LazyHash.number(container) and return { '$l' => lent }

        number = Containers.number(container)
        if number.nil?
          encode_content(container)
        elsif Containers.settled?(container)
          { '$r' => number }
        else
          encode_changed(container)
        end
      end

      def encode_changed(container)
        @sent[container] = true if @sent
        { '$w' => Containers.number(container), 'v' => encode_content(container) }
      end

      def encode_content(container)
        container.is_a?(Array) ? container.map { |element| encode(element) } : encode_hash(container)
      end

      def encode_hash(hash)
        if hash.each_key.all? { |key| key.is_a?(String) && !key.start_with?('$') && key.encoding == Encoding::UTF_8 }
          hash.to_h { |key, value| [key, encode(value)] }
        else
          { '$h' => hash.map { |key, value| [encode(key), encode(value)] } }
        end
      end

      def encode_rich(value)
        case value
        when Symbol then encode_symbol(value)
        when Sensitive then { '$t' => 'Sensitive', 'v' => encode(value.unwrap) }
        when Regexp then { '$t' => 'Regexp', 'v' => regexp_source(value) }
        when PAnyType then { '$t' => 'Type', 'v' => value.to_s }
        when Puppet::Resource then { '$t' => 'Reference', 'v' => [value.type.to_s, value.title.to_s] }
        when SemanticPuppet::Version then { '$t' => 'SemVer', 'v' => value.to_s }
        when SemanticPuppet::VersionRange then { '$t' => 'SemVerRange', 'v' => value.to_s }
        when Timestamp then { '$t' => 'Timestamp', 'v' => value.nsecs.to_s }
        when Timespan then { '$t' => 'Timespan', 'v' => value.nsecs.to_s }
        when Binary then { '$t' => 'Binary', 'v' => value.to_s }
        when CarriedObject then { '$t' => 'Object', 'v' => value.host_id, 'class' => value.type_name }
        else encode_other(value)
        end
      end

      def encode_symbol(value)
        case value
        when :undef then nil
        when :default then { '$t' => 'Default' }
        else { '$t' => 'Symbol', 'v' => value.to_s }
        end
      end

      def encode_other(value)
        return { '$t' => 'URI', 'v' => value.to_s } if defined?(URI::Generic) && value.is_a?(URI::Generic)
        return encode(value.to_a) if value.is_a?(Enumerator) && value.size

        { '$t' => 'Object', 'v' => keep(value), 'class' => value.class.name.to_s, 'attributes' => {}, 'ruby' => true, 'text' => text_of(value) }
      end

      def text_of(value)
        value.to_s.dup.force_encoding(Encoding::UTF_8).scrub
      end

      # Adds a Ruby regular expression's options to its source, as Puppet does.
      def regexp_source(value)
        value.options.zero? ? value.source : value.to_s
      end
    end
  end
end
