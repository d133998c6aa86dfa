# frozen_string_literal: true

# The namespace of modules' extensions.
module PuppetX
end

module Puppet
  class Error < RuntimeError
    attr_accessor :original

    def initialize(message, original = nil)
      super(message.scrub)
      @original = original
    end
  end

  # File and line of an error, shown after its message.
  module ExternalFileError
    attr_accessor :file, :line, :pos, :puppetstack

    def initialize(message, file = nil, line = nil, pos = nil, original = nil)
      pos, original = nil, pos if pos.is_a?(Exception)
      super(message, original)
      @file = file == '' ? nil : file
      @line = line
      @pos = pos
      @puppetstack = []
    end

    # Returns the message without its location.
    def basic_text
      to_s.delete_suffix(Puppet::Util::Errors.error_location_with_space(@file, @line, @pos))
    end

    def to_s
      super + Puppet::Util::Errors.error_location_with_space(@file, @line, @pos)
    end
  end

  class ParseError < Error
    include ExternalFileError
  end

  class ResourceError < Error
    include ExternalFileError
  end

  class ParseErrorWithIssue < ParseError
    attr_reader :issue_code, :basic_message, :arguments
    attr_accessor :environment, :node

    def initialize(message, file = nil, line = nil, pos = nil, original = nil, issue_code = nil, arguments = nil)
      super(message, file, line, pos, original)
      @issue_code = issue_code
      @basic_message = message
      @arguments = arguments
    end
  end

  class PreformattedError < ParseErrorWithIssue; end
  class DevError < Error; end

  module DataBinding
    class LookupError < PreformattedError; end
    class RecursiveLookupError < LookupError; end
  end

  class ExecutionFailure < Error; end
  class MissingCommand < Error; end
  class SettingsError < Error; end

  module Util
    module Errors
      class << self
        def error_location(file, line = nil, column = nil)
          parts = [['file', file], ['line', line], ['column', column]].reject { |_, part| part.nil? || part == '' }
          parts.pop if parts.length == 2 && parts[0][0] == 'file' && parts[1][0] == 'column'
          parts.empty? ? '' : "(#{parts.map { |key, part| "#{key}: #{part}" }.join(', ')})"
        end

        def error_location_with_space(file, line = nil, column = nil)
          text = error_location(file, line, column)
          text.empty? ? '' : " #{text}"
        end
      end

      def devfail(message)
        raise Puppet::DevError, message
      end

      # `fail("text")` and `fail(ErrorClass, "text")`.
      def fail(*args)
        type = args.first.is_a?(Class) ? args.shift : Puppet::Error
        args.pop if args.last.is_a?(Exception)
        raise type, args.first.to_s
      end
    end
  end
end

module Puppet
  module Pops
    module Evaluator
      # `break()` in a lambda.
      class PuppetStopIteration < StopIteration; end
    end
  end
end

module Understudy
  # Marks a host exception that passes through Ruby; `host_id` identifies it, so that it can be
  # rethrown unchanged.
  module HostError
    # A jump out of a lambda or out of a lookup: it leaves all code by `throw`, which no `rescue`
    # sees, to the request that the host sent.
    Jump = Class.new(Exception) # rubocop:disable Lint/InheritException
    JUMP = :understudy_jump

    CLASSES = { 'stop' => Puppet::Pops::Evaluator::PuppetStopIteration, 'jump' => Jump }.freeze
    INITIALIZE = ::Exception.instance_method(:initialize)

    attr_reader :host_id

    def self.reach(error)
      raised = from(error)
      error['kind'] == 'jump' ? throw(JUMP, raised) : raise(raised)
    end

    # Its class may want other arguments than a message.
    def self.from(error)
      raised = (CLASSES[error['kind']] || class_of(error['class'])).allocate
      INITIALIZE.bind_call(raised, error['message'].to_s)
      raised.extend(self)
      raised.instance_variable_set(:@host_id, error['original'])
      raised
    end

    # Errors that a plain `rescue` does not see pass as those of Puppet code.
    def self.class_of(name)
      found = Object.const_get(name)
      found.is_a?(Class) && found <= StandardError ? found : Puppet::ParseError
    rescue NameError, TypeError
      Puppet::ParseError
    end
    private_class_method :class_of
  end
end
