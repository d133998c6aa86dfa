# frozen_string_literal: true

# The version of the runner that is installed; nothing without one. The program is not run.
Facter.add(:understudy_runner_version) do
  setcode do
    folders = ['/opt/understudy-runner', File.join(ENV['ProgramData'].to_s, 'PuppetLabs/understudy-runner')]
    program = folders.map { |folder| File.join(folder, 'understudy-runner.rb') }.find { |path| File.file?(path) }
    File.read(program, 10_000, encoding: 'UTF-8')[/^  VERSION = '([^']+)'/, 1] if program
  end
end
