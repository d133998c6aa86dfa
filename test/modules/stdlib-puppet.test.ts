/**
 * What stdlib's functions give here, and with real Puppet and the same module: the same, call by
 * call.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openUnchangingEnvironments } from '../../shared/puppet/environment/directory-environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { type Outcome, renderHere } from './both-renderings.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { puppetAnswers, renderedWithPuppet } from './puppet-answers.ts';
import { CALLED, callsOf } from './stdlib-calls.ts';

/** What the calls find in the catalog and in scope. */
const BEFORE =
  "package { 'a': ensure => 'present' } file { '/f': mode => '0644' }\n" +
  "$interfaces = 'lo,eth0' $ipaddress_lo = '127.0.0.1' $network_lo = '127.0.0.0'";

/** The time, and folders: they are no matter of the functions. */
const UNSTEADY: ReadonlySet<string> = new Set(['time', 'get_module_path']);

/**
 * What differs, by the names of the functions (of all, if there are none) and what real Puppet
 * makes of the call.
 */
const DIFFERENT: readonly (readonly [reason: string, functions: readonly string[], real: RegExp])[] = [
  ['the address of an object of Ruby is in the text', [], /#<Puppet::Pops::Types::\w+:0x/],
  [
    'a reference that a 3.x function returns is an object of Ruby in Puppet, and the type here',
    [],
    /^'?\[?.*[A-Z]\w+\[[/a-z]/,
  ],
  ['PSON is read as JSON here: Puppet 8 has none', ['parsepson'], /./],
  ['the number of a line in the C code of a version of JSON', ['parsejson'], /\d+: unexpected token|JSON::ParserError/],
  [
    "a hint names methods of Puppet's own classes, in their order",
    ['delete_at', 'range', 'validate_legacy'],
    /:Puppet::(?:Resource|Parser::Scope)\nDid you mean\?/,
  ],
  ['Puppet 8 says to_sym where 7 says intern', [], /undefined method `intern'/],
  ['a text that is no tag is no error', ['getparam'], /Invalid tag/],
  ['the type of bytes names them as a String', ['type_of'], /^String,|^Tuple\[String\]/],
  ['a backslash makes Puppet quote bytes as bytes', ['shell_join'], /^\[object/],
  ['Ruby 3.2 gives UTF-8 where 3.1 gives bytes', ['stdlib::xml_encode'], /^\[object/],
  [
    'the objects of types have methods that Ruby tries',
    ['ensure_resource', 'ensure_resources', 'to_yaml'],
    /Cannot alias|undef|PResourceType|PStringType|PIntegerType|POptionalType|method `sub'/,
  ],
];

function reasonOf(name: string, { message, error }: Outcome): string | undefined {
  const text = error ?? String(message);
  return DIFFERENT.find(
    ([, functions, real]) => (functions.length === 0 || functions.includes(name)) && real.test(text),
  )?.[0];
}

/** Addresses differ from run to run. Where the code is, is the same anyway. */
function comparable({ message, error }: Outcome): unknown {
  return error === undefined ? message : error.replace(/0x[0-9a-f]+/g, '0x');
}

const answers = puppetAnswers('stdlib-puppet', import.meta.filename, 'compile-codes.rb');
afterAll(() => answers.finish());

describe.skipIf(!hasModules())('the functions of stdlib', () => {
  const ruby = createWasmRuby();
  const calls = CALLED.filter((name) => !UNSTEADY.has(name)).flatMap((name) =>
    callsOf(name).map((args) => ({ name, call: `${name}(${args.join(', ')})` })),
  );
  let repo: string;

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-stdlib-'));
    writeControlRepo(repo, new Map());
  });

  afterAll(() => {
    ruby.close();
    rmSync(repo, { recursive: true, force: true });
  });

  it('give what real Puppet gives, but where it is said', async () => {
    const environment = openUnchangingEnvironments(repo, 'production')(NO_RECORDER);
    const codes = calls.map(({ call }) => ({
      name: call,
      code: `${BEFORE}\n$r = ${call}\nnotify { 'out': message => [String($r, '%p'), $r] }`,
    }));
    const real = await renderedWithPuppet(join(repo, 'environments', 'production', 'modules'), codes, answers);
    const ours = codes.map((code) => renderHere(code, environment, ruby));
    const unlike = calls.flatMap(({ name, call }, index) => {
      const [one, other] = [ours[index], real[index]];
      if (!one || !other || JSON.stringify(comparable(one)) === JSON.stringify(comparable(other))) return [];
      return [{ call, ours: comparable(one), real: comparable(other), reason: reasonOf(name, other) }];
    });
    expect(unlike.filter(({ reason }) => reason === undefined)).toEqual([]);
    expect(new Set(unlike.map(({ reason }) => reason))).toEqual(new Set(DIFFERENT.map(([reason]) => reason)));
    expect(unlike.length).toBeLessThan(calls.length / 35);
    expect(calls.length).toBeGreaterThan(3500);
  });
});
