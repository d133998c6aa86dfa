# frozen_string_literal: true

module Puppet
  module Parser
    # The `self` of an ERB template.
    class TemplateWrapper
      include Puppet::Util
      include Puppet::Util::Logging

      # Module code may create a wrapper without a path.
      def initialize(scope, path = nil)
        @__scope__ = scope
        @__file__ = path
      end

      def file
        @__file__
      end

      def file=(name)
        @__file__ = Parser::Files.find_template(name) || raise(Puppet::ParseError, "Could not find template '#{name}'")
      end

      # Renders a text, or else the file.
      def result(text = nil)
        scope.call_function(*(text.nil? ? ['template', [file]] : ['inline_template', [text]]))
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
        "template[#{@__file__.start_with?('/') ? @__file__ : 'inline'}]"
      end

      def log_source
        to_s
      end

      def __binding__
        binding
      end

      # As a NameError shows an object, with the same address every time.
      def inspect
        '#<Puppet::Parser::TemplateWrapper:0x0000000000000000>'
      end
    end
  end
end

module Understudy
  # Compiled templates, by the host's numbers, and the variables that each one names.
  module Templates
    # Code that may read variables without naming them.
    REFLECTIVE = /instance_variable|\bbinding\b|\beval\b|instance_eval|instance_exec/
    # A class variable looked up by name. Top-scope variables are excluded, because each one that a
    # compile reads is an input.
    LOOKED_UP = /\bscope(?:\.lookupvar\s*\(|\[)\s*(['"])((?:::)?[a-z]\w*(?:::\w+)+)\1\s*[\])]/
    Compiled = Struct.new(:path, :render, :variables, :looked_up, :changes_values, :spreads)

    # `@facts['os']['family']` and the like. Facts are frozen, but an assignment raises its own
    # error.
    FACT = /
      (?:@facts|\bscope(?:\.lookupvar\(\s*(?<q>['"])(?:::)?facts\k<q>\s*\)|\[\s*(?<r>['"])(?:::)?facts\k<r>\s*\]))
      (?<keys>(?>(?:\[\s*(?:'\w+'|"\w+")\s*\])+))
      (?!\s*(?:\|\||&&|<<|>>|\*\*|[-+*\/%|&^])?=(?![=~>]))
    /x
    private_constant :FACT

    @compiled = {}

    class << self
      def compile(id, path, source)
        Loaded.paths << path
        source = asking_for_facts(source) if source.valid_encoding?
        readable = source.scrub('?')
        @compiled[id] = Compiled.new(path, compiled(id, path, source), variables_of(readable), readable.scan(LOOKED_UP).map(&:last).uniq,
                                     changes_values?(readable), LazyHash.spread_by?(readable))
      end

      # `foreseen`: variables that the template looks up, sent in advance to save calls.
      def render(id, variables, foreseen)
        template = @compiled.fetch(id) { raise Puppet::DevError, "no template #{id}" }
        wrapper = Puppet::Parser::TemplateWrapper.new(Puppet::Parser::Scope.new(foreseen: foreseen || {}), template.path)
        Containers.watch if template.changes_values
        LazyHash.spread if template.spreads
        bind(wrapper, variables || (template.variables ? {} : Understudy.ask('vars')))
        template.render.call(wrapper)
      end

      def path(id)
        @compiled[id]&.path
      end

      def forget(id)
        Loaded.paths.delete(@compiled.delete(id)&.path)
      end

      def check(path, source)
        compiled(0, path, source)
      end

      private

      # Replaces reads of named facts by queries for those facts, so that other facts are not
      # inputs. Line numbers do not change.
      def asking_for_facts(source)
        return source unless source.include?('facts')

        source.gsub(/<%(?!%).*?%>/m) do |code|
          code.gsub(FACT) { "scope.__fact__(#{Regexp.last_match(:keys).scan(/\w+/).map { |key| "'#{key}'" }.join(', ')})" }
        end
      end

      def changes_values?(source)
        source.scan(/<%(?!%)(.*?)%>/m).any? { |(code)| Containers.changed_by?(code) }
      end

      # Returns the names after `@`, or nil for all.
      def variables_of(source)
        REFLECTIVE.match?(source) ? nil : source.scan(/(?<!@)@([a-zA-Z_]\w*)/).flatten.uniq
      end

      def bind(wrapper, variables)
        variables.each do |name, value|
          next if value.nil? # `defined?(@name)` is false for what is undef

          wrapper.instance_variable_set("@#{name.gsub(/\W/, '_')}", Wire.decode(value))
        end
      end

      # A method is faster than a binding; a template that declares classes or modules cannot be
      # one.
      def compiled(id, path, source)
        code = Puppet::Util.create_erb(source).src.dup
        code.force_encoding(code[/\A#coding:(\S+)/n, 1] || Encoding::UTF_8)
        method_name = "__render_#{id}__"
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
