# frozen_string_literal: true

# Blocks operations that would reveal the compiling machine or leave something on it.
require_relative 'after_loading'

module Understudy
  module NoHost
    USERS = %i[getlogin getpwnam getpwuid getgrnam getgrgid passwd group getpwent getgrent uname nprocessors].freeze

    # Users and groups of the machine.
    module Users
      USERS.each do |method|
        define_method(method) { |*args, &_block| Understudy.unavailable!("Etc.#{method}#{"(#{args.first})" unless args.empty?}", 'host to ask') }
      end
    end

    module NoCommands
      # The status of a computed command.
      Status = Struct.new(:exitstatus) do
        def success?
          exitstatus.zero?
        end
        alias_method :to_i, :exitstatus
      end

      { capture3: %i[stdout stderr], capture2: %i[stdout] }.each do |method, streams|
        define_method(method) do |*command, **options|
          plain = options.empty? && command.all?(String)
          outcome = Commands.outcome(command.one? ? command.first : command) if plain && !Understudy.defining_type?
          next NoProcesses.refuse("Open3.#{method}", command.flatten) unless outcome

          [*streams.map { |stream| outcome[stream] }, Status.new(outcome.status)]
        end
      end

      %i[capture2e popen2 popen2e popen3 pipeline pipeline_r pipeline_rw pipeline_start pipeline_w].each do |method|
        define_method(method) { |*command, **, &_block| NoProcesses.refuse("Open3.#{method}", command.flatten) }
      end
    end

    module NoTemporaryFiles
      %i[new open create].each do |method|
        define_method(method) { |*, **, &_block| Understudy.unavailable!("Tempfile.#{method}", 'files to write') }
      end
    end

    module NoTemporaryFolders
      def tmpdir
        '/tmp'
      end

      def mktmpdir(*, **, &_block)
        Understudy.unavailable!('Dir.mktmpdir', 'files to write')
      end
    end

    # All writes fail with the system's error for an unimplemented operation.
    module NoWriting
      %i[rename symlink link truncate mkfifo].each do |method|
        define_method(method) { |name, *| raise Errno::EROFS, name.to_s }
      end
      %i[chmod lchmod chown lchown utime lutime].each do |method|
        define_method(method) { |*args| raise Errno::EROFS, args.last.to_s }
      end
    end

    module NoFolders
      %i[mkdir rmdir delete unlink].each do |method|
        define_method(method) { |name, *| raise Errno::EROFS, name.to_s }
      end
    end

    File.singleton_class.prepend(NoWriting)
    Dir.singleton_class.prepend(NoFolders)
    %w[etc etc.so].each { |feature| AfterLoading.of(feature) { ::Etc.singleton_class.prepend(Users) } }
    AfterLoading.of('open3') { ::Open3.singleton_class.prepend(NoCommands) }
    AfterLoading.of('tempfile') { ::Tempfile.singleton_class.prepend(NoTemporaryFiles) }
    AfterLoading.of('tmpdir') { ::Dir.singleton_class.prepend(NoTemporaryFolders) }
  end
end
