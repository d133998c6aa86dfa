# frozen_string_literal: true

require_relative 'resource_types'

# Type definitions of the Resource API. Follows the gem puppet-resource_api,
# lib/puppet/resource_api.rb and lib/puppet/resource_api/type_definition.rb
module Puppet
  module ResourceApi
    VERSION = '1.9.0'
    RESERVED = %i[title provider alias audit before consume export loglevel noop notify require schedule stage subscribe tag].freeze
    FEATURES = %w[supports_noop canonicalize custom_insync custom_generate remote_resource simple_get_filter].freeze
    BEHAVIOURS = [nil, :read_only, :namevar, :parameter, :init_only].freeze

    class << self
      def register_type(definition)
        check(definition)
        attributes = definition[:attributes]
        Type.newtype(definition[:name]) do
          apply_to_device if ResourceApi.feature?(definition, 'remote_resource')
          if ResourceApi.feature?(definition, 'custom_insync') && attributes.each_value.all? { |options| ResourceApi.behaviour(options) }
            newproperty(:rsapi_custom_insync_trigger)
          end
          attributes.each { |name, options| ResourceApi.attribute(self, name, options) }
          define_singleton_method(:title_patterns) { ResourceApi.title_patterns(definition) }
        end
      end

      def register_transport(schema); end

      def feature?(definition, name)
        (definition[:features] || []).include?(name)
      end

      def behaviour(options)
        options[:behaviour] || options[:behavior]
      end

      def attribute(type, name, options)
        if %i[parameter namevar read_only].include?(behaviour(options))
          type.newparam(name.to_sym, namevar: behaviour(options) == :namevar)
        else
          type.newproperty(name.to_sym)
        end
      end

      def title_patterns(definition)
        unless definition.key?(:title_patterns)
          namevar, = definition[:attributes].find { |_, options| behaviour(options) == :namevar }
          return [[/(.*)/m, [[namevar]]]]
        end

        definition[:title_patterns].map { |item| [item[:pattern], Regexp.new(item[:pattern]).names.map { |group| [group.to_sym] }] }
      end

      private

      def check(definition)
        fault = fault_of(definition)
        raise DevError, fault if fault

        warn_undocumented(definition, definition[:name]) unless definition.key?(:docs)
        definition[:attributes].each do |name, options|
          raise DevError, "`#{definition[:name]}.#{name}` must be a Hash, not a #{options.class}" unless options.is_a?(Hash)
          raise DevError, "`#{definition[:name]}.#{name}` has no type" unless options.key?(:type)

          warn_undocumented(options, "#{definition[:name]}.#{name}")
          raise DevError, "the '#{name}' attribute has both a `behavior` and a `behaviour`, only use one" if options[:behavior] && options[:behaviour]
          next if BEHAVIOURS.include?(behaviour(options))

          raise ResourceError, "`#{behaviour(options)}` is not a valid behaviour value"
        end
        unknown = (definition[:features] || []) - FEATURES
        Puppet.warning("Unknown feature detected: #{unknown.inspect}") unless unknown.empty?
      end

      def warn_undocumented(described, name)
        Puppet.warning("`#{name}` has no documentation, add it using a `desc` key") unless described.key?(:desc)
      end

      def fault_of(definition)
        kind = 'Puppet::ResourceApi::TypeDefinition'
        return "#{kind} must be a Hash, not `#{definition.class}`" unless definition.is_a?(Hash)
        return "#{kind} must have a name" unless definition.key?(:name)
        return "#{kind} must have `attributes`" unless definition.key?(:attributes)

        attributes = definition[:attributes]
        return "`#{definition[:name]}.attributes` must be a hash, not `#{attributes.class}`" unless attributes.is_a?(Hash)
        return "`#{definition[:name]}` has both `desc` and `docs`, prefer using `desc`" if definition.key?(:docs) && definition[:desc]

        reserved = RESERVED.find { |name| attributes.key?(name) }
        return "must not define an attribute called `#{reserved.inspect}`" if reserved

        patterns = definition[:title_patterns]
        "`:title_patterns` must be an array, not `#{patterns.class}`" unless patterns.nil? || patterns.is_a?(Array)
      end
    end
  end
end
