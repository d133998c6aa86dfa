# frozen_string_literal: true

module Puppet
  module Pops
    # Hiera for module code. Follows lib/puppet/pops/lookup.rb
    module Lookup
      # The arguments of a lookup.
      class Invocation
        attr_reader :scope, :override_values, :default_values

        def initialize(scope, override_values = {}, default_values = {}, *)
          @scope = scope
          @override_values = override_values
          @default_values = default_values
        end

        # Returns them as options of the function `lookup`.
        def options
          { 'override' => override_values, 'default_values_hash' => default_values }.reject { |_, values| values.empty? }
        end
      end

      # The settings of Hiera.
      class HieraConfig
        # Converts Symbol keys to Strings at all depths.
        def self.symkeys_to_string(data)
          case data
          when Hash then data.to_h { |key, value| [key.is_a?(Symbol) ? key.to_s : key, symkeys_to_string(value)] }
          when Array then data.map { |element| symkeys_to_string(element) }
          else data
          end
        end
      end

      def self.lookup(name, value_type, default_value, has_default, merge, invocation)
        options = invocation.options
        options['value_type'] = value_type unless value_type.nil?
        options['default_value'] = default_value if has_default
        options['merge'] = merge unless merge.nil?
        Understudy.call_function('lookup', [name, options])
      end
    end
  end
end
