# frozen_string_literal: true

# Commands that code of modules runs. The host computes those whose outcome depends on their
# arguments alone; a native Ruby starts those that its operator named. All others are refused.
module Understudy
  module Commands
    # A line for a shell that has nothing but words, some of them quoted.
    PLAIN_LINE = %r{\A(?:[\w./:=@%+,\s-]|'[^']*'|"[^"$`\\]*")+\z}
    # A path of the system's own programs; another folder may have a program of the same name.
    SYSTEM_PATH = %r{\A/(?:usr/)?(?:local/)?s?bin/([^/]+)\z}
    Outcome = Struct.new(:stdout, :stderr, :status)

    @allowed = []

    class << self
      # Names of commands that this process may start.
      attr_writer :allowed

      # Returns the outcome, or nil for a command that is refused.
      def outcome(command)
        argv = command.is_a?(String) ? words(command) : [command].flatten.map(&:to_s)
        return nil if argv.nil? || argv.empty? || Understudy.channel.nil?

        computed = Understudy.ask('command', 'argv' => argv)
        return Outcome.new(*computed.values_at('stdout', 'stderr', 'status')) if computed

        start(argv)
      end

      private

      def words(line)
        line.match?(PLAIN_LINE) ? Shellwords.split(line) : nil
      end

      def start(argv)
        program = argv.first
        return nil unless @allowed.include?(program) || @allowed.include?(program[SYSTEM_PATH, 1])

        Volatile.mark("the command #{File.basename(argv.first)}")
        stdout, stderr, status = Open3.capture3(*argv)
        Outcome.new(stdout, stderr, status.exitstatus)
      end
    end
  end
end
