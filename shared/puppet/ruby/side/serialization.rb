# frozen_string_literal: true

module Puppet
  module Pops
    module Serialization
      # Differs from Puppet: the output is rich data as JSON; Puppet's protocol numbers repeated
      # values.
      module JSON
        class Writer
          def initialize(io, _options = {})
            @io = io
            @values = []
          end

          def write(data)
            @values << data
          end

          def finish
            @io << ::JSON.generate(@values)
          end
        end

        class Reader
          def initialize(io)
            @values = ::JSON.parse(io.respond_to?(:read) ? io.read : io)
          end

          def read
            @values.shift
          end
        end
      end

      class Serializer
        def initialize(writer, options = {})
          @writer = writer
          @converter = ToDataConverter.new({ rich_data: true }.merge(options.slice(:local_reference)))
        end

        def write(value)
          @writer.write(@converter.convert(value))
        end

        def finish
          @writer.finish
        end
      end

      class Deserializer
        def initialize(reader, _loader = nil, _options = {})
          @reader = reader
        end

        def read
          data = @reader.read
          Understudy::DataTypes.assert_known_to_puppet(data)
          FromDataConverter.convert(data)
        end
      end
    end
  end
end
