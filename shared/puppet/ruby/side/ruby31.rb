# frozen_string_literal: true

# Restores what Ruby 3.2 removed. Puppet's servers run Ruby 3.1, where modules may still use it.
unless Object.method_defined?(:=~)
  class Object
    def =~(_other)
      nil
    end
  end
end

unless Object.method_defined?(:taint)
  module Kernel
    %i[taint untaint trust untrust].each { |name| define_method(name) { self } }
    %i[tainted? untrusted?].each { |name| define_method(name) { false } }
  end
end

[File, FileTest, Dir].each do |owner|
  owner.singleton_class.alias_method(:exists?, :exist?) unless owner.singleton_class.method_defined?(:exists?)
end

{ Fixnum: Integer, Bignum: Integer }.each { |name, value| Object.const_set(name, value) unless Object.const_defined?(name) }

# Ruby 3.2 prints a message of several lines as a literal.
module Understudy
  INSPECT_ERROR = Exception.instance_method(:inspect)
end
if RuntimeError.new("\n").inspect.include?('\n')
  class Exception
    def inspect
      text = to_s
      text.empty? ? self.class.name.to_s : "#<#{self.class}: #{text}>"
    end
  end
end
