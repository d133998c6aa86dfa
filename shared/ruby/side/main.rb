# frozen_string_literal: true

# The Ruby side of the border as a process: reads one frame a line from standard input, answers on standard output.

require_relative 'api'

Understudy.prepare
Understudy.serve
