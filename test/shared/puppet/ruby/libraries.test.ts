import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby({ timeLimitMs: 5_000 });
afterAll(() => ruby.close());

const FUNCTION = 'modules/m/lib/puppet/functions/m/f.rb';
const RACC = new URL('../../../fixtures/racc/sums.rb', import.meta.url);

/** The result of Ruby code in a function, or the message of the error. */
function run(code: string, files: Readonly<Record<string, string>> = {}): unknown {
  const text = `Puppet::Functions.create_function(:'m::f') do\n  dispatch(:f) {}\n  def f\n${code}\n  end\nend\n`;
  const result = compileSource('m::f()', { ruby, files: { [FUNCTION]: text, ...files } });
  return result.status === 'failed' ? result.error.message : result.status === 'ok' && result.lastValue;
}

const refused = (asked: string, lacking: string) =>
  `Evaluation Error: Error while evaluating a Function Call, ${asked} is not available to the function m::f: the Ruby of modules has no ${lacking} (line: 1, column: 1) on node node.example.com`;

describe('parsers that racc generated', () => {
  const files = { 'modules/m/lib/puppet_x/m/sums.rb': readFileSync(RACC, 'utf8') };
  // The answers are those of racc 1.6.2 itself.
  it.each([
    ['1 + 2 * 3 ; 4 ;', [[7n, 4n], []]],
    [
      '1 + + ; 2 ; 3 3 3 ; 5 * 6 ;',
      [
        ['bad', 2n, 'bad', 30n],
        ['"+" +', 'NUMBER 3'],
      ],
    ],
    ['', [[], []]],
    ['1 !', '\nparse error on value "!" (error)'],
    ['1 + 2', [null, ['$end ']]],
  ])('parse %s', (text, expected) => {
    const parse = (way: string) =>
      run(
        `require 'puppet_x/m/sums'\nsums = Sums.new\nbegin\n[sums.parse(${JSON.stringify(text)}, ${way}), sums.errors]\nrescue Racc::ParseError => e\ne.message\nend`,
        files,
      );
    expect([parse(':do'), parse(':yield')]).toEqual([expected, expected]);
  });
});

it('a library that is held is hidden from code that does not require it, in each compile', () => {
  const seen = () => {
    ruby.beginCompile('');
    return run('defined?(REXML).inspect');
  };
  expect(seen()).toBe('nil');
  expect(run("require 'rexml/xpath'\nREXML::XPath.first(REXML::Document.new('<a><b>1</b></a>'), '//b').text")).toBe(
    '1',
  );
  ruby.beginCompile('');
  expect(run("[require('rexml/document'), require('rexml/document'), REXML.name]")).toEqual([true, false, 'REXML']);
  expect(seen()).toBe('nil');
  expect(run("begin; require 'rexml/nosuch'; rescue LoadError; 'none'; end")).toBe('none');
});

describe('files of modules', () => {
  it('may require each other in a circle', () => {
    const files = {
      'modules/m/lib/puppet_x/a.rb': "require 'puppet_x/b'\nmodule PuppetX; A = B + 1; end\n",
      'modules/m/lib/puppet_x/b.rb': "require 'puppet_x/a'\nmodule PuppetX; B = 1; end\n",
    };
    expect(run("require 'puppet_x/a'\nPuppetX::A", files)).toBe(2n);
  });

  it('are tested through Pathname and FileTest as through File', () => {
    const files = { 'modules/m/secrets/a.txt': 'words', 'modules/m/secrets/empty': '' };
    const code = `require 'pathname'
      found = ['secrets/a.txt', 'secrets/empty', 'secrets', 'nosuch'].map do |name|
        path = Pathname.new(Puppet::Module.find('m').path) + '../m' + name
        tests = %i[exist? file? directory? readable? writable? symlink?].map { |test| path.cleanpath.send(test) ? 1 : 0 }
        [tests.join, FileTest.size?(path.to_s), File.size?(path), path.directory? ? path.children.map { |child| child.basename.to_s }.sort : 0]
      end
      found << Pathname.new(Puppet::Module.find('m').path).join('secrets/a.txt').read`;
    expect(run(code, files)).toEqual([
      ['110100', 5n, 5n, 0n],
      ['110100', null, null, 0n],
      ['101100', null, null, ['a.txt', 'empty']],
      ['000000', null, null, 0n],
      'words',
    ]);
  });

  it('name the file that is missing, and not the file that needs it', () => {
    const files = { 'modules/m/lib/puppet_x/c.rb': "require 'nosuch/thing'\n" };
    expect(run("begin\nrequire 'puppet_x/c'\nrescue LoadError => e\n[e.message, e.path]\nend", files)).toEqual([
      'cannot load such file -- nosuch/thing',
      'nosuch/thing',
    ]);
  });
});

describe('parts of Puppet that a compile lacks', () => {
  it('can be named, mixed in and inherited from', () => {
    const code = `
      mixed = Class.new { include Puppet::Util::SELinux }
      property = Class.new(Puppet::SELFileContext)
      [mixed.include?(Puppet::Util::SELinux), property < Puppet::Property, Puppet::HTTP::ResponseError < StandardError,
       Puppet::Provider::Package.superclass.name, Puppet::Util.const_defined?(:Nothing)]`;
    expect(run(code)).toEqual([true, true, true, 'Puppet::Provider', false]);
  });

  it('are found from the inside of a module, as code names them', () => {
    const files = {
      'modules/m/lib/puppet/util/m_tool.rb':
        'module Puppet\nmodule Util\nmodule MTool\nNAME = FileType.name\nend\nend\nend\n',
    };
    expect(run("require 'puppet/util/m_tool'\nPuppet::Util::MTool::NAME", files)).toBe('Puppet::Util::FileType');
  });

  it.each([
    ['Puppet::Util::SELinux.selinux_support?', 'Puppet::Util::SELinux.selinux_support?', 'node to manage'],
    [
      'Class.new { include Puppet::Util::SELinux }.new.get_selinux_current_context("/x")',
      'Puppet::Util::SELinux#get_selinux_current_context',
      'node to manage',
    ],
    ['Puppet::HTTP::Client.new', 'Puppet::HTTP::Client.new', 'network'],
    ['Puppet::Util::Puppetdb::Http.action("x")', 'Puppet::Util::Puppetdb::Http', 'network'],
    ['Puppet::Face[:node, :current]', 'Puppet::Face.[]', 'commands of Puppet'],
    [
      'begin\nPuppet::Pal.in_tmp_environment\nrescue StandardError\n1\nend',
      'Puppet::Pal.in_tmp_environment',
      'second compiler',
    ],
    ['require "syslog/logger"\nSyslog::Logger.new("x")', 'Syslog::Logger.new', 'host to log on'],
    ['require "net/smtp"\nNet::SMTP.start("x")', 'Net::SMTP.start', 'network'],
    ['Facter::Core::Execution.execute("uname")', 'Facter::Core::Execution.execute (uname)', 'other processes'],
  ])('are refused by name when code uses them: %s', (code, asked, lacking) => {
    expect(run(code)).toBe(refused(asked, lacking));
  });

  it('do not hide that Puppet has no such name', () => {
    expect(run('begin\nPuppet::Util::Nothing\nrescue NameError => e\ne.message\nend')).toBe(
      'uninitialized constant Puppet::Util::Nothing',
    );
  });
});
