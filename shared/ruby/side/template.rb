# frozen_string_literal: true

module Puppet
  module Parser
    # What `self` is in an ERB template.
    class TemplateWrapper
      include Puppet::Util
      include Puppet::Util::Logging

      def initialize(scope, path)
        @__scope__ = scope
        @__file__ = path
      end

      def file
        @__file__
      end

      def scope
        @__scope__
      end

      def has_variable?(name)
        scope.include?(name.to_s)
      end

      def classes
        scope.catalog.classes
      end

      def tags
        raise NotImplementedError, "Call 'all_tags' instead."
      end

      def all_tags
        scope.catalog.tags
      end

      def to_s
        "template[#{@__file__ || 'inline'}]"
      end

      def __binding__
        binding
      end

      # As Ruby shows an object in a NameError, with the same address every time.
      def inspect
        '#<Puppet::Parser::TemplateWrapper:0x0000000000000000>'
      end
    end
  end
end

module Understudy
  # Templates that were compiled, and the variables that each of them names.
  module Templates
    LIMIT = 500
    # Code that may look at variables which it does not name.
    REFLECTIVE = /instance_variable|\bbinding\b|\beval\b|instance_eval|instance_exec/
    Compiled = Struct.new(:render, :variables)

    @compiled = {}
    @count = 0

    class << self
      def forget
        @compiled.clear
      end

      def render(path, source)
        template = compiled(path, source)
        wrapper = Puppet::Parser::TemplateWrapper.new(Puppet::Parser::Scope.new, path)
        bind(wrapper, template.variables)
        template.render.call(wrapper)
      end

      def check(path, source)
        compile(path, source)
      end

      private

      def compiled(path, source)
        Loaded.paths << path
        @compiled.delete(@compiled.first[0]) if @compiled.length >= LIMIT
        @compiled[[path, source]] ||= Compiled.new(compile(path, source), variables_of(source))
      end

      # Names after `@`, or nil for all.
      def variables_of(source)
        REFLECTIVE.match?(source) ? nil : source.scan(/(?<!@)@([a-zA-Z_]\w*)/).flatten.uniq
      end

      def bind(wrapper, names)
        values = names.nil? ? Understudy.ask('vars') : named(names)
        values.each do |name, value|
          next if value.nil? # `defined?(@name)` is false for what is undef

          wrapper.instance_variable_set("@#{name.gsub(/\W/, '_')}", Wire.decode(value))
        end
      end

      def named(names)
        names.to_h { |name| [name, Understudy.ask('var', 'name' => name)['value']] }
      end

      # A method is quicker than a binding; a template that declares classes or modules can't be one.
      def compile(path, source)
        code = Puppet::Util.create_erb(source).src.dup
        code.force_encoding(code[/\A#coding:(\S+)/n, 1] || Encoding::UTF_8)
        method_name = "__render_#{@count += 1}__"
        begin
          Puppet::Parser::TemplateWrapper.class_eval("def #{method_name}; #{code}\nend", path, 0)
          method = Puppet::Parser::TemplateWrapper.instance_method(method_name)
          Puppet::Parser::TemplateWrapper.__send__(:remove_method, method_name)
          ->(wrapper) { method.bind_call(wrapper) }
        rescue SyntaxError
          RubyVM::InstructionSequence.compile(code, path, path, 0) # the error of the template itself, if it has one
          ->(wrapper) { eval(code, wrapper.__binding__, path, 0) } # rubocop:disable Security/Eval
        end
      end
    end
  end
end
