# frozen_string_literal: true

# Loaded before `main.rb` in WebAssembly. There are no threads and no processes. Starting a process
# is refused here, because the system's own stubs report success.

require 'rbconfig'
require_relative 'unavailable'
require_relative 'deadlines'
require_relative 'no_network'
require_relative 'no_host'

module Understudy
  module NoProcesses
    def `(command)
      outcome = Commands.outcome(command) unless Understudy.defining_type?
      outcome ? outcome.stdout : NoProcesses.refuse('A command in backquotes', [command])
    end

    %i[system exec spawn fork].each do |name|
      define_method(name) { |*command, **_options| NoProcesses.refuse("Kernel##{name}", command) }
    end

    # The definition of a resource type continues as if the command did not exist.
    def self.refuse(asked, command)
      text = command.find { |part| part.is_a?(String) }
      raise Errno::EACCES, text.to_s if Understudy.respond_to?(:defining_type?) && Understudy.defining_type?

      Understudy.unavailable!(text ? "#{asked} (#{text})" : asked, 'other processes')
    end
  end

  module NoPipes
    def popen(*command, **_options)
      NoProcesses.refuse('IO.popen', command.flatten)
    end
  end

  module NoOtherProcesses
    %i[kill wait wait2 waitpid waitpid2 waitall detach daemon setsid].each do |name|
      define_method(name) { |*, **| Understudy.unavailable!("Process.#{name}", 'other processes') }
    end
  end

  module NoThreads
    %i[new start fork].each do |name|
      define_method(name) { |*, **, &_block| Understudy.unavailable!("Thread.#{name}", 'threads') }
    end
  end
end

Kernel.prepend(Understudy::NoProcesses)
Object.prepend(Understudy::NoProcesses)
[Kernel, Process, IO].each { |owner| owner.singleton_class.prepend(Understudy::NoProcesses) }
IO.singleton_class.prepend(Understudy::NoPipes)
Process.singleton_class.prepend(Understudy::NoOtherProcesses)
Thread.singleton_class.prepend(Understudy::NoThreads)

module Understudy
  # Serves, and reports an exception, of which the host would not hear.
  def self.serve!
    serve
  rescue Exception => e # rubocop:disable Lint/RescueException
    STDERR.write(e.full_message(highlight: false))
  end

  # Warms up Ruby's method caches with typical requests, and then removes their definitions.
  module Rehearsal
    FUNCTION = 'understudy_rehearsal'
    LEGACY_FUNCTION = 'understudy_rehearsal3'
    PATH = '/understudy_rehearsal'

    def self.forget
      Puppet::Functions.forget(FUNCTION)
      Puppet::Pops::Functions::Instances.forget
      Puppet::Parser::Functions.forget(LEGACY_FUNCTION)
      Templates.forget(0)
      Loaded.forget(PATH)
      3.times { GC.start }
    end
  end
end
