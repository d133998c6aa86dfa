# frozen_string_literal: true

# Loaded before `main.rb` where Ruby runs in WebAssembly. There are no processes: what would start one is refused there, since the
# system's own stubs say that it went well.

require 'rbconfig'

module Understudy
  module NoProcesses
    def self.refuse(command)
      raise Errno::EACCES, command.to_s
    end

    %i[system exec spawn ` fork].each do |name|
      define_method(name) { |*command, **_options| NoProcesses.refuse(command.find { |part| part.is_a?(String) }) }
    end
  end
end

Kernel.prepend(Understudy::NoProcesses)
Object.prepend(Understudy::NoProcesses)
[Kernel, Process, IO].each { |owner| owner.singleton_class.prepend(Understudy::NoProcesses) }
IO.singleton_class.prepend(Module.new { def popen(*command, **_options) = Understudy::NoProcesses.refuse(command.join(' ')) })
