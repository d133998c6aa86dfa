# frozen_string_literal: true

module Puppet
  # A reference to a resource, or one found in the catalog with its parameters.
  class Resource
    include Enumerable
    attr_reader :type, :title, :parameters

    # Type and title of `Type[title]` or of a type and a title.
    def self.type_and_title(type, title)
      return [type.type, type.title] if type.is_a?(Resource)
      return named(capitalize(type), title) unless title.nil?

      match = /\A([^\[\]]+)\[(.+)\]\z/m.match(type.to_s)
      raise ArgumentError, "No title provided and #{type.to_s.inspect} is not a valid resource reference" if match.nil?

      named(capitalize(match[1]), match[2])
    end

    # Classes have capitalized names as titles.
    def self.named(type, title)
      [type, type == 'Class' && title.is_a?(String) && title != 'main' ? capitalize(title.delete_prefix('::')) : title]
    end

    def self.capitalize(name)
      name.to_s.split('::').map(&:capitalize).join('::')
    end

    def initialize(type, title = nil, options = {})
      @type, @title = Resource.type_and_title(type, title)
      @parameters = options[:parameters] || {}
    end

    def ref
      "#{type}[#{title}]"
    end
    alias to_s ref

    def inspect
      "#{type}[#{title}]#{to_hash.inspect}"
    end

    def [](name)
      return title if name.to_s == 'title'

      @parameters[name.to_sym]
    end

    def []=(name, value)
      @parameters[name.to_sym] = value
    end

    # With the attributes that the title stands for.
    def to_hash
      titled = Understudy.ask('title', 'type' => type.to_s, 'title' => title.to_s)
      titled.transform_keys(&:to_sym).merge(@parameters)
    end
    alias to_h to_hash

    def key?(name)
      @parameters.key?(name.to_sym)
    end
    alias has_key? key?

    def each(&block)
      @parameters.each(&block)
    end

    def class?
      type == 'Class'
    end

    def ==(other)
      other.is_a?(Resource) && other.ref == ref
    end
    alias eql? ==

    def hash
      ref.hash
    end

    # What the class or type is defined by; only its name is known here.
    def resource_type
      self
    end

    def name
      title
    end
  end

  module Parser
    class Resource < Puppet::Resource
      Param = Struct.new(:name, :value, keyword_init: true)

      # `parameters`: a hash, or a list of Param.
      def initialize(type, title = nil, options = {})
        super
        @parameters = @parameters.to_h { |param| [param.name.to_sym, param.value] } if @parameters.is_a?(Array)
        @parameters = @parameters.transform_keys(&:to_sym)
      end

      def set_parameter(name, value)
        self[name] = value
      end
    end
  end
end
