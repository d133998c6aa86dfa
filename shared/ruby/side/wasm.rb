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

module Understudy
  # So much memory is free before a machine has to grow: one that grew is made anew where a smaller one would be set back.
  SPARE_BYTES = 1 << 25

  def self.spare_memory
    Array.new(SPARE_BYTES >> 20) { "\0" * (1 << 20) }
    GC.start
  end
end
