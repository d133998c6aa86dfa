import { afterAll, describe, expect, it } from 'vitest';
import type { KeptText } from '../../../../shared/puppet/compiler/kept-values.ts';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby({ timeLimitMs: 5_000 });
afterAll(() => ruby.close());

let functions = 0;

/** Runs Ruby code in a function, with these texts kept on the server. */
function run(code: string, kept: Readonly<Record<string, string>> = {}) {
  functions += 1;
  const name = `f${functions}`;
  const text = `Puppet::Functions.create_function(:'m::${name}') do\n  dispatch(:f) {}\n  def f\n${code}\n  end\nend\n`;
  const files = { [`modules/m/lib/puppet/functions/m/${name}.rb`]: text };
  const inputs = new Inputs();
  const keptValues = (value: string): KeptText | null =>
    value in kept ? { text: String(kept[value]), version: `v-${value}` } : null;
  ruby.beginCompile('code');
  const result = compileSource(`m::${name}()`, { ruby, files, keptValues, inputs });
  if (result.status === 'needs') throw new Error('all values are there');
  const value = result.status === 'ok' ? result.lastValue : result.error.message.replace(`m::${name}:`, 'm::f:');
  return { value, kept: result.kept, seen: inputs.getResult().keptValues };
}

const NOT_THERE = 'No such file or directory @ rb_sysopen - /opt/app/none';
const FAILED = "Execution of 'false' returned 1: ";

const CACHE = `path = File.join(Puppet[:vardir], 'cache', 'password')
if File.exist?(path)
  YAML.safe_load(File.read(path))
else
  FileUtils.mkdir_p(File.dirname(path))
  File.open(path, 'w', 0o600) { |file| file.write(YAML.dump('drawn')) }
  File.chown(File.stat(Puppet[:vardir]).uid, nil, path)
  'drawn'
end`;

describe('files that code of modules keeps on the server', () => {
  it('creates a value, named by its path below vardir', () => {
    expect(run(CACHE)).toEqual({
      value: 'drawn',
      kept: [{ name: 'cache/password', from: null, text: '--- drawn\n' }],
      seen: { cache: null, 'cache/password': null },
    });
  });

  it('finds the value of an earlier compile, and changes nothing', () => {
    expect(run(CACHE, { 'cache/password': '--- earlier\n' })).toEqual({
      value: 'earlier',
      kept: [],
      seen: { 'cache/password': 'v-cache/password' },
    });
  });

  it.each([
    ["File.write('/opt/app/a', 'x'); File.read('/opt/app/a')", 'x', [{ name: '/opt/app/a', from: null, text: 'x' }]],
    [
      "file = File.new('/opt/app/a', 'a+'); size = file.stat.size; file.puts('x'); file.rewind; [size, file.gets]",
      [0n, 'x\n'],
      [{ name: '/opt/app/a', from: null, text: 'x\n' }],
    ],
    [
      "file = File.new('/opt/app/old', 'a+'); line = file.gets; file.truncate(0); file.puts('new'); line",
      'was',
      [{ name: '/opt/app/old', from: 'v-/opt/app/old', text: 'new\n' }],
    ],
    [
      "File.open('/opt/app/a', File::CREAT | File::RDWR) { |file| file.flock(File::LOCK_EX); file << 'x' }; File.size('/opt/app/a')",
      1n,
      [{ name: '/opt/app/a', from: null, text: 'x' }],
    ],
    [
      "File.open('/opt/app/old', File::RDWR | File::CREAT) { |file| file.rewind; file.write('n'); file.flush; file.truncate(file.pos) }; File.read('/opt/app/old')",
      'n',
      [{ name: '/opt/app/old', from: 'v-/opt/app/old', text: 'n' }],
    ],
    [
      "FileUtils.mkdir_p('/var/simp/store'); Dir.chdir('/var/simp/store') { Dir.exist?(Pathname.new('a')) || FileUtils.mkdir('a', mode: 0o770); FileUtils.chmod(0o770, 'a'); Dir.entries('a'); File.write('a/key', 'x') }; File.read('/var/simp/store/a/key')",
      'x',
      [{ name: '/var/simp/store/a/key', from: null, text: 'x' }],
    ],
    [
      "require 'etc'; stat = File.stat(Puppet[:vardir]); [Etc.getpwuid(Process.uid).name, Etc.getgrgid(Process.gid).name, stat.uid == Process.uid]",
      ['puppet', 'puppet', true],
      [],
    ],
    [
      "File.write('/opt/app/b.tmp', 'x'); File.rename('/opt/app/b.tmp', '/opt/app/b'); File.exist?('/opt/app/b.tmp')",
      false,
      [{ name: '/opt/app/b', from: null, text: 'x' }],
    ],
    [
      "File.delete('/opt/app/old'); File.exist?('/opt/app/old')",
      false,
      [{ name: '/opt/app/old', from: 'v-/opt/app/old', text: null }],
    ],
    [
      "FileUtils.mkdir_p('/opt/app/d'); File.write('/opt/app/d/a', 'x'); Find.find('/opt/app/d').to_a",
      ['/opt/app/d', '/opt/app/d/a'],
      [{ name: '/opt/app/d/a', from: null, text: 'x' }],
    ],
    [
      "owner = Etc.getpwuid(File.stat(Puppet[:vardir]).uid).name; FileUtils.chown(owner, owner, '/opt/app/old'); owner",
      'puppet',
      [],
    ],
    ["begin\nFile.read('/opt/app/none')\nrescue Errno::ENOENT => e\ne.message\nend", NOT_THERE, []],
  ])('as Ruby does with a file: %s', (code, value, kept) => {
    expect(run(code, { '/opt/app/old': 'was' })).toMatchObject({ value, kept });
  });

  it('lists none of them: each has its name', () => {
    expect(run("FileUtils.mkdir_p('/opt/app'); Dir.children('/opt/app')").value).toBe(
      'Evaluation Error: Error while evaluating a Function Call, Dir.children(/opt/app) is not available to the function m::f: the Ruby of modules has no list of what is kept on the server: each value has its name (line: 1, column: 1) on node node.example.com',
    );
  });

  it('keeps what was created before the code failed', () => {
    const { value, kept } = run("File.write('/opt/app/a', 'x')\nraise 'no'");
    expect([value, kept]).toEqual([
      'Evaluation Error: Error while evaluating a Function Call, no (line: 1, column: 1) on node node.example.com',
      [{ name: '/opt/app/a', from: null, text: 'x' }],
    ]);
  });

  it('keeps the private key that ssh-keygen creates, and derives the public one', () => {
    const create =
      "Puppet::Util::Execution.execute(['/usr/bin/ssh-keygen', '-t', 'rsa', '-b', 1024, '-P', '', '-f', path], failonfail: true)";
    const code = `path = File.join(Puppet[:vardir], 'ssh', 'deploy')
FileUtils.mkdir_p(File.dirname(path))
${create} unless File.exist?(path)
File.read("#{path}.pub").scan(/^.* (.*) .*$/)[0][0]`;
    const first = run(code);
    expect(first.value).toMatch(/^AAAAB3NzaC1yc2EAAAADAQAB[A-Za-z0-9+/=]+$/);
    const [change, ...more] = first.kept ?? [];
    expect([change?.name, change?.from, more]).toEqual(['ssh/deploy', null, []]);
    expect(run(code, { 'ssh/deploy': change?.text ?? '' })).toMatchObject({ value: first.value, kept: [] });
  });

  it('refuses to look for what this compile kept in a folder', () => {
    const refused = 'list of what is kept on the server: each value has its name';
    expect(run("File.write('/var/simp/a/b', 'x'); Dir.glob('/var/simp/a/*')").value).toContain(refused);
    expect(run("FileUtils.mkdir_p('/var/simp/a'); Dir.entries('/var/simp/a').size").value).toContain(refused);
  });

  it('keeps texts of a bounded length', () => {
    expect(run("File.write('/opt/app/a', 'x' * 70000)").value).toMatch(
      /A value that is kept on the server has at most 65536 characters; '\/opt\/app\/a' has 70000/,
    );
  });

  it('writes no other files', () => {
    expect(run("begin\nFile.write('/etc/app', 'x')\nrescue SystemCallError => e\ne.message\nend")).toEqual({
      value: 'Read-only file system - /etc/app',
      kept: [],
      seen: undefined,
    });
  });
});

describe('commands that code of modules runs', () => {
  it.each([
    ["Puppet::Util::Execution.execute(['systemd-escape', ['--path', '/a b']], failonfail: true)", 'a\\x20b\n'],
    ["Puppet::Util::Execution.execute('echo a').exitstatus", 0n],
    ['`systemd-escape a/b`', 'a-b\n'],
    ["Facter::Core::Execution.execute('echo  a ')", 'a'],
    ["out, err, status = Open3.capture3('echo', 'a b')\n[out, err, status.success?]", ['a b\n', '', true]],
    ["begin\nPuppet::Util::Execution.execute(['false'])\nrescue Puppet::ExecutionFailure => e\ne.message\nend", FAILED],
  ])('are computed when their arguments say all: %s', (code, value) => {
    expect(run(code).value).toEqual(value);
  });

  it.each([
    ["Puppet::Util::Execution.execute(['date'])", 'Puppet::Util::Execution.execute (date)'],
    ['`echo $HOME`', 'A command in backquotes (echo $HOME)'],
    ["Facter::Core::Execution.execute('uname -r')", 'Facter::Core::Execution.execute (uname -r)'],
  ])('are refused by name otherwise: %s', (code, asked) => {
    expect(run(code).value).toContain(`${asked} is not available to the function m::f: the Ruby of modules has no`);
  });
});
