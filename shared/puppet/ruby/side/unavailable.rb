# frozen_string_literal: true

# Refuses what the Ruby of modules lacks: the network, other processes, the host.
module Understudy
  # Not a StandardError: code that rescues errors would continue as if something were missing on the
  # server.
  class Unavailable < NotImplementedError; end

  module Running
    @names = []

    class << self
      # Names the module code that runs meanwhile; nil keeps the name set by the surrounding code.
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

  # `asked`: the method that the code called; `lacking`: what the Ruby of modules lacks.
  def self.unavailable!(asked, lacking)
    raise Unavailable, "#{asked} is not available to #{Running.name}: the Ruby of modules has no #{lacking}"
  end

  # Defines methods that refuse.
  module Refusing
    # Defines refusing methods of the class or module itself.
    def refuse_all(*names, lacking: 'network')
      names.each do |method|
        define_singleton_method(method) { |*, **, &_block| Understudy.unavailable!("#{self.name}.#{method}", lacking) }
      end
    end

    # Defines refusing methods of its instances.
    def refuse_methods(*names, lacking:)
      names.each do |method|
        define_method(method) { |*, **, &_block| Understudy.unavailable!("#{self.class.name}##{method}", lacking) }
      end
    end
  end
end
