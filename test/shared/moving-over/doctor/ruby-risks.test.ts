import { describe, expect, it } from 'vitest';
import { codeOfTemplate, riskOf } from '../../../../shared/moving-over/doctor/ruby-risks.ts';

describe('riskOf', () => {
  it.each([
    ['response = Net::HTTP.get(uri)', 'fails', 'needs the network (Net::HTTP)'],
    ['Resolv.getaddress(name)', 'fails', 'resolves names over the network (Resolv)'],
    ['out = `id -u`', 'fails', 'starts a process (`id -u`)'],
    ["system('id')", 'fails', 'starts a process (system)'],
    ["Open3.capture2('id')", 'fails', 'starts a process (Open3.)'],
    ['Puppet::Util::Execution.execute(cmd)', 'fails', 'starts a process (Puppet::Util::Execution)'],
    ['os = Facter.value(:os)', 'fails', "asks Facter for the server's own facts (Facter.value)"],
    [
      'Puppet::Node.indirection.find(name)',
      'fails',
      'uses internals of Puppet that are not available (Puppet::Node.indirection)',
    ],
    ['Tempfile.new(Puppet[:vardir])', 'fails', 'writes files (Tempfile.new)'],
    ["require 'open-uri'", 'fails', 'needs the network (open-uri)'],
    [
      'File.read(Puppet.settings[:hostcert])',
      'fails',
      "asks for the server's own keys or certificates (Puppet.settings[:hostcert])",
    ],
    ['File.write(path, text)', 'fails', 'writes files (File.write)'],
    [
      "File.write(File.join(Puppet[:vardir], 'x'), text)",
      'differs',
      'keeps values on the server: they are in the store, by environment and name (File.write)',
    ],
    [
      "File.read('/etc/hosts')",
      'differs',
      "looks for files of the server: only those of the control repo are available (File.read('/etc)",
    ],
    ["ENV['HOME']", 'differs', 'reads environment variables: there are none (ENV)'],
    [
      'Time.now.to_i',
      'differs',
      'reads the clock or random numbers: its nodes are compiled at each check-in (Time.now)',
    ],
    ['rand(10)', 'differs', 'reads the clock or random numbers: its nodes are compiled at each check-in (rand)'],
  ])('sees %s', (code, verdict, reason) => {
    expect(riskOf(`# a comment\n${code}`)).toEqual({ verdict, reason, line: 2 });
  });

  it.each([
    '# Net::HTTP.get(uri)',
    '=begin\nTime.now\n=end',
    "desc 'Runs `id`, see Net::HTTP'",
    'desc <<-DOC\n  Facter.value(:os) is not used\nDOC',
    "Puppet::Util::Execution.execute(['systemd-escape', name])",
    'fail "Use `id` for #{name}"',
    'lookup.system_name',
    "host = Facter.value(:hostname) + Facter.fact('networking.domain').value",
    "File.join('/etc', name)",
    'Puppet::Functions.create_function(:rand_string) { Random.new(seed).rand(3) }',
    'list.shuffle(random: seeded)',
  ])('sees nothing in %j', (code) => {
    expect(riskOf(code)).toBeNull();
  });

  it('prefers what does not run to what differs', () => {
    expect(riskOf('Time.now\nsystem "id"')).toMatchObject({ verdict: 'fails', line: 2 });
  });

  it('takes the code of templates, each line in its place', () => {
    const text = 'Run `id` here\n<%# Time.now %>\n<%- if @a -%>\n<%= `id` %>\n<%- end -%>\n';
    expect(riskOf(codeOfTemplate(text))).toEqual({ verdict: 'fails', reason: 'starts a process (`id`)', line: 4 });
  });
});
