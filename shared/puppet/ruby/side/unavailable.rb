# frozen_string_literal: true

# What the Ruby of modules has not: the network, other processes, the host it runs on.
module Understudy
  # Not a StandardError: code that rescues errors would go on as if something were missing on the server.
  class Unavailable < NotImplementedError; end

  module Running
    @names = []

    class << self
      # What code of modules runs meanwhile, in words; nil for what is named by what runs around it.
      def as(name)
        @names.push(name || self.name)
        yield
      ensure
        @names.pop
      end

      def name
        @names.last || 'code of modules'
      end
    end
  end

  # `asked`: what code called; `lacking`: what the Ruby of modules has not.
  def self.unavailable!(asked, lacking)
    raise Unavailable, "#{asked} is not available to #{Running.name}: the Ruby of modules has no #{lacking}"
  end

  # Makes methods that refuse.
  module Refusing
    # Of the class or module itself.
    def refuse_all(*names, lacking: 'network')
      names.each do |method|
        define_singleton_method(method) { |*, **, &_block| Understudy.unavailable!("#{self.name}.#{method}", lacking) }
      end
    end

    # Of its instances.
    def refuse_methods(*names, lacking:)
      names.each do |method|
        define_method(method) { |*, **, &_block| Understudy.unavailable!("#{self.class.name}##{method}", lacking) }
      end
    end
  end
end
