# frozen_string_literal: true

# Runs the Ruby side as a process: reads one frame a line from standard input and answers on
# standard output. The first argument limits its memory, in bytes; the others name commands that it
# may start.

require_relative 'api'
require_relative 'forks'

Process.setrlimit(Process::RLIMIT_AS, Integer(ARGV[0])) if ARGV[0]
Understudy::Commands.allowed = ARGV.drop(1)
Understudy.preload
Understudy.prepare
Understudy::Forks.start
loop do
  case Understudy.serve
  when 'hold' then Understudy::Forks.hold
  when 'back' then exit!(Understudy::Forks::BACK)
  when 'base' then exit!(Understudy::Forks::BASE)
  else exit!(0)
  end
end
