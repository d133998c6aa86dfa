# frozen_string_literal: true

# Runs commands of the installed Puppet, each in a fork of this process, which has loaded it and
# knows the machine's facts. A run of the agent thus takes 0.3 s of CPU, not 2 s: loading Puppet
# takes more than half of the rest, Facter's look at the machine the other part (2026-11-23).
# In: {id, args, env, output} as a line of JSON; out: {id, code}. A command writes to the file
# `output`.

require 'json'
require 'facter'
require 'puppet'
require 'puppet/util/command_line'
require 'puppet/application/agent'
require 'puppet/configurer'

# What the first look for a library in the installed gems reads.
Gem::Specification.stubs

# What /usr/bin/puppet does.
def run_puppet(args, env, output)
  $stdin.reopen(File::NULL)
  $stdout.reopen(output, 'a')
  $stderr.reopen($stdout)
  [$stdout, $stderr].each { |stream| stream.sync = true }
  ENV.replace(env)
  $PROGRAM_NAME = 'puppet'
  ARGV.replace(args)
  Puppet::Util::CommandLine.new.execute
end

answers = $stdout.dup
answers.sync = true
# Facter prints what it may not read.
$stdout.reopen(File::NULL)

# What Facter read of the machine stays known when Puppet resets it. Facts of the environment, of
# modules and of folders are read anew.
Facter.to_hash
Facter::SessionCache.define_singleton_method(:invalidate_all_caches) {}

# The types of every run's catalogs, those of its settings among them. From here on, each run would
# print what Facter may not read.
%w[component file filebucket group notify schedule stage user whit].each { |name| require "puppet/type/#{name}" }

$stdin.each_line do |line|
  asked = JSON.parse(line)
  pid = fork do
    answers.close
    run_puppet(asked['args'], asked['env'], asked['output'])
  end
  Thread.new do
    _, status = Process.wait2(pid)
    answers.puts(JSON.generate('id' => asked['id'], 'code' => status.exitstatus))
  end
end
