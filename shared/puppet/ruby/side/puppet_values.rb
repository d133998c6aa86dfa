# frozen_string_literal: true

# The classes of Puppet's rich values for module code.
module Puppet
  module Pops
    module Types
      class PSensitiveType
        class Sensitive
          def initialize(value)
            @value = value
          end

          def unwrap
            @value
          end

          def to_s
            'Sensitive [value redacted]'
          end

          def inspect
            "#<#{self}>"
          end

          def hash
            @value.hash
          end

          def ==(other)
            other.is_a?(Sensitive) && other.hash == hash
          end
          alias eql? ==
        end
      end

      class PBinaryType
        # Bytes; printed as strict Base64.
        class Binary
          attr_reader :binary_buffer

          def self.from_base64(text)
            new(text.unpack1('m'))
          end

          def self.from_base64_strict(text)
            new(text.unpack1('m0'))
          end

          def self.from_base64_urlsafe(text)
            new(text.tr('-_', '+/').unpack1('m'))
          end

          def self.from_string(text)
            new(text.encode(Encoding::UTF_8).b)
          end

          def self.from_binary_string(bytes)
            new(bytes)
          end

          def initialize(bytes)
            @binary_buffer = bytes.b.freeze
          end

          def to_s
            [@binary_buffer].pack('m0')
          end
          alias relaxed_to_s to_s

          def length
            @binary_buffer.bytesize
          end

          def hash
            @binary_buffer.hash
          end

          def ==(other)
            other.is_a?(Binary) && other.binary_buffer == @binary_buffer
          end
          alias eql? ==
        end
      end

      # Included by classes whose objects Puppet code may hold.
      module PuppetObject
        def _pcore_init_hash
          {}
        end

        def _pcore_contents; end

        def _pcore_all_contents(_path); end
      end

      # A value that Ruby only passes on: an instance of an Object type, a Deferred, ...
      class CarriedObject
        include PuppetObject

        # Prefixes of methods that Ruby calls implicitly.
        IMPLICIT = %w[to_ begin each marshal_ _dump].freeze

        attr_reader :host_id, :type_name, :attributes

        def initialize(host_id, type_name, attributes)
          @host_id = host_id
          @type_name = type_name[/name => '([^']*)'/, 1] || type_name
          @attributes = attributes
        end

        def _pcore_type
          PAnyType.of(@type_name)
        end

        def _pcore_init_hash
          @attributes
        end

        def to_s
          pairs = @attributes.map { |key, value| "'#{key}' => #{TypeFormatter.singleton.string(value)}" }
          "#{@type_name}({#{pairs.join(', ')}})"
        end

        def ==(other)
          other.is_a?(CarriedObject) && other.host_id == @host_id
        end

        def inspect
          "#<#{@type_name}>"
        end

        # Its YAML form lists its variables. Differs from Puppet: the number, which changes with
        # each Puppet process.
        def encode_with(coder)
          coder.tag = '!ruby/object'
          coder['hash'] = to_s.hash
          @attributes.each { |name, value| coder[name] = value }
        end

        # Conversions that Ruby tries implicitly are not methods of the object.
        def respond_to_missing?(name, include_private = false)
          name.start_with?(*IMPLICIT) ? super : true
        end

        # Attributes are stored here; the host runs all other methods.
        def method_missing(name, *args, &block)
          return super if name.start_with?(*IMPLICIT)
          return @attributes[name.to_s] if args.empty? && @attributes.key?(name.to_s)

          Understudy.call_method(self, name, args, &block)
        end
      end

      # A URI value.
      class PURIType
        URI = Class.new
      end
    end

    module Time
      NSECS_PER_SEC = 1_000_000_000

      # Nanoseconds, shared by both kinds of time.
      class TimeData < Numeric
        include Comparable
        attr_reader :nsecs

        def initialize(nsecs)
          super()
          @nsecs = nsecs
        end

        def <=>(other)
          case other
          when TimeData then @nsecs <=> other.nsecs
          when Integer then @nsecs <=> other * NSECS_PER_SEC
          when Float then @nsecs <=> (other * NSECS_PER_SEC).to_i
          end
        end

        def ==(other)
          other.class == self.class && other.nsecs == @nsecs
        end
        alias eql? ==

        def hash
          @nsecs.hash
        end

        def to_i
          @nsecs / NSECS_PER_SEC
        end
        alias to_int to_i

        def to_f
          @nsecs.fdiv(NSECS_PER_SEC)
        end

        def to_r
          Rational(@nsecs, NSECS_PER_SEC)
        end
      end

      class Timespan < TimeData
        def self.from_fields(negative, days, hours, minutes, seconds, milliseconds = 0, microseconds = 0, nanoseconds = 0)
          total = (((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + milliseconds) * 1000 + microseconds) * 1000 + nanoseconds
          new(negative ? -total : total)
        end

        def self.parse(text, *formats)
          Understudy.call_function('new', [Types::PAnyType.of('Timespan'), text, *formats])
        end

        def days
          @nsecs.abs / (86_400 * NSECS_PER_SEC)
        end
        alias total_days days

        def hours
          @nsecs.abs / (3600 * NSECS_PER_SEC) % 24
        end

        def minutes
          @nsecs.abs / (60 * NSECS_PER_SEC) % 60
        end

        def seconds
          @nsecs.abs / NSECS_PER_SEC % 60
        end

        def -@
          Timespan.new(-@nsecs)
        end

        # `d-hh:mm:ss.n`, without trailing zeros in the fraction.
        def to_s
          fraction = format('%09d', @nsecs.abs % NSECS_PER_SEC).sub(/0+\z/, '')
          format('%s%d-%02d:%02d:%02d.%s', @nsecs.negative? ? '-' : '', days, hours, minutes, seconds, fraction.empty? ? '0' : fraction)
        end
      end

      class Timestamp < TimeData
        def self.now
          from_time(::Time.now)
        end

        def self.from_time(time)
          new(time.tv_sec * NSECS_PER_SEC + time.tv_nsec)
        end

        def to_time
          ::Time.at(to_r).utc
        end

        def format(pattern, _timezone = nil)
          to_time.strftime(pattern)
        end

        def to_s
          to_time.strftime('%Y-%m-%dT%H:%M:%S.%N UTC')
        end
      end
    end
  end
end

module SemanticPuppet
  class Version
    include Comparable
    ValidationFailure = Class.new(ArgumentError)
    REGEX = /\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?\z/

    attr_reader :major, :minor, :patch, :prerelease, :build

    def self.parse(text)
      match = REGEX.match(text) or raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier"
      new(match[1].to_i, match[2].to_i, match[3].to_i, match[4], match[5])
    end

    def self.valid?(text)
      REGEX.match?(text)
    end

    def initialize(major, minor, patch, prerelease = nil, build = nil)
      @major = major
      @minor = minor
      @patch = patch
      @prerelease = prerelease
      @build = build
    end

    def stable?
      @prerelease.nil?
    end

    def to_stable
      Version.new(major, minor, patch, nil, build)
    end

    # Returns the next version with a different `part` (`:major`, `:minor`, `:patch`).
    def next(part)
      case part
      when :major then Version.new(major + 1, 0, 0)
      when :minor then Version.new(major, minor + 1, 0)
      else Version.new(major, minor, patch + 1)
      end
    end

    def <=>(other)
      return nil unless other.is_a?(Version)

      numbers = [major, minor, patch] <=> [other.major, other.minor, other.patch]
      numbers.zero? ? compare_prerelease(other) : numbers
    end

    def eql?(other)
      other.is_a?(Version) && to_s == other.to_s
    end

    def hash
      to_s.hash
    end

    def inspect
      to_s
    end

    def to_s
      "#{major}.#{minor}.#{patch}#{"-#{prerelease}" if prerelease}#{"+#{build}" if build}"
    end

    private

    def compare_prerelease(other)
      return 0 if prerelease == other.prerelease
      return 1 if prerelease.nil?
      return -1 if other.prerelease.nil?

      mine = prerelease.split('.')
      theirs = other.prerelease.split('.')
      mine.zip(theirs).each do |a, b|
        return 1 if b.nil?
        next if a == b

        numeric = [a, b].map { |part| part.match?(/\A\d+\z/) }
        return a.to_i <=> b.to_i if numeric.all?
        return numeric[0] ? -1 : 1 if numeric.any?

        return a <=> b
      end
      mine.length <=> theirs.length
    end
  end

  # A range as its text; the host tests membership.
  class VersionRange
    def self.parse(text)
      new(text)
    end

    def initialize(text)
      @text = text
    end

    def include?(version)
      Understudy.ask('instance', 'type' => "SemVer['#{@text}']", 'value' => Understudy::Wire.encode(version))
    end
    alias member? include?
    alias cover? include?
    alias === include?

    def to_s
      @text
    end
    alias inspect to_s

    def ==(other)
      other.is_a?(VersionRange) && other.to_s == @text
    end
    alias eql? ==

    def hash
      @text.hash
    end
  end
end
