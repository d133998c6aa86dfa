// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the sources are Puppet code
/** `%{...}` in data, as the installed Puppet (7.23) resolves it; values as `%p` shows them. */
import { describe, expect, it } from 'vitest';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { parseJson } from '../../../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

type Data = null | boolean | number | string | readonly Data[] | { readonly [key: string]: Data };

const FACTS = {
  kernel: 'Linux',
  os: { name: 'Debian' },
  list: ['a', 'b'],
  yes: true,
  number: 7,
  'dotted.fact': 'df',
};

const DATA: Readonly<Record<string, Data>> = {
  key: 'value',
  hash: { a: { b: 'deep' } },
  list: ['x', 'y'],
  nested: "<%{lookup('key')}>",
  loop: "%{lookup('loop2')}",
  loop2: "%{lookup('loop')}",
  'quoted key': 'quoted',
  'dotted.key': 'dotted',
  number: 5,
  flag: true,
  nil: null,
};

const RESOLVED: readonly (readonly [data: Data, expected: string])[] = [
  ['plain', '"plain"'],
  ['%{kernel}', '"Linux"'],
  ['%{::kernel}', '"Linux"'],
  ['%{facts.kernel}', '"Linux"'],
  ['%{facts.os.name}', '"Debian"'],
  ['%{os.name}', '"Debian"'],
  ['%{facts.list.1}', '"b"'],
  ['%{facts.list}', '"[\\"a\\", \\"b\\"]"'],
  ['%{facts.os}', '"{\\"name\\"=>\\"Debian\\"}"'],
  ['%{facts.nothing}', '""'],
  ['%{facts.yes}', '"true"'],
  ['%{facts.number}', '"7"'],
  ['%{trusted.certname}', '"a.example.com"'],
  ['%{environment}', '"production"'],
  ['x %{kernel} y %{kernel}', '"x Linux y Linux"'],
  ['%{ kernel }', '"Linux"'],
  ['%{}', '""'],
  ['%{::}', '""'],
  ["%{''}", '""'],
  ['%{"::"}', '""'],
  ["%{lookup('key')}", '"value"'],
  ['%{lookup("key")}', '"value"'],
  ["%{hiera('key')}", '"value"'],
  ["%{lookup('hash.a.b')}", '"deep"'],
  ["%{lookup('list.0')}", '"x"'],
  ["%{lookup('list')}", '"[\\"x\\", \\"y\\"]"'],
  ["%{lookup('hash')}", '"{\\"a\\"=>{\\"b\\"=>\\"deep\\"}}"'],
  ["%{alias('list')}", '["x", "y"]'],
  ["%{alias('hash.a')}", '{"b"=>"deep"}'],
  ["%{literal('%')}{x}", '"%{x}"'],
  ["%{scope('kernel')}", '"Linux"'],
  ["%{scope('facts.os.name')}", '"Debian"'],
  ["%{lookup('nested')}", '"<value>"'],
  ["%{lookup('absent')}", '""'],
  ['%', '"%"'],
  ['%{kernel', '"%{kernel"'],
  ["%{lookup('quoted key')}", '"quoted"'],
  ["%{facts.'dotted.fact'}", '"df"'],
  ['%{lookup("\'dotted.key\'")}', '"dotted"'],
  ['%%{kernel}', '"%Linux"'],
  ['%{facts.os.nosuch}', '""'],
  ["%{lookup('number')}", '"5"'],
  ["%{lookup('flag')}", '"true"'],
  ["%{lookup('nil')}", '""'],
  ["%{alias('number')}", '5'],
  [['%{kernel}', { '%{kernel}': "%{lookup('key')}" }], '["Linux", {"Linux"=>"value"}]'],
  ["%{alias('absent')}", '""'],
  ['a\n%{kernel}\nb', '"a\\nLinux\\nb"'],
];

const ERRORS: readonly (readonly [data: Data, message: string])[] = [
  [" %{alias('list')}", "'alias' interpolation is only permitted if the expression is equal to the entire string"],
  ["%{nope('x')}", "Unknown interpolation method 'nope'"],
  ["%{lookup('loop')}", "Lookup of key 'loop' failed: Recursive lookup detected in [it, loop, loop2]"],
  ['%{nosuch}', "Undefined variable 'nosuch'; "],
  ["%{lookup( 'key')}", "Syntax error in string: %{lookup( 'key')}"],
  [
    '%{kernel.x}',
    "Data Provider type mismatch: Got String when a hash-like object was expected to access value using 'x' from key 'kernel.x'",
  ],
  [
    '%{facts.list.x}',
    "Data Provider type mismatch: Got Array when a hash-like object was expected to access value using 'x' from key 'facts.list.x'",
  ],
];

const HIERARCHY = 'version: 5\nhierarchy: [{name: c, path: c.json, data_hash: json_data}]\n';

/** What a lookup of `data` gives; the message when it fails. */
function resolve(data: Data): { readonly value?: string; readonly error?: string } {
  return lookUp({ 'hiera.yaml': HIERARCHY, 'data/c.json': JSON.stringify({ ...DATA, it: data }) });
}

function lookUp(files: Readonly<Record<string, string>>): { readonly value?: string; readonly error?: string } {
  const inputs = new Inputs();
  const facts = parseJson(JSON.stringify(FACTS));
  const result = compile({
    node: {
      certname: 'a.example.com',
      environment: 'production',
      facts: inputs.recordFacts(facts instanceof PuppetHash ? facts : new PuppetHash()),
      trusted: inputs.recordTrusted(PuppetHash.of([['certname', 'a.example.com']])),
      serverFacts: null,
      parameters: new PuppetHash(),
      classes: [],
    },
    environment: createMemoryEnvironment({
      name: 'production',
      codeDirectory: '/code',
      files: Object.fromEntries(Object.entries(files).map(([path, text]) => [`environments/production/${path}`, text])),
      manifest: null,
      globalHiera: '/code/hiera.yaml',
      inputs,
    }),
    settings: { language: 'openvox-8', strict: 'error', strictVariables: true, tasks: false, storeconfigs: false },
    inputs,
    exportsOf: () => [],
    code: "notice(sprintf('%p', lookup('it')))",
  });
  if (result.status === 'failed') return { error: shorten(result.error.message) };
  const notice = result.status === 'ok' ? result.log.find(({ level }) => level === 'notice') : undefined;
  return notice === undefined ? {} : { value: notice.message };
}

/** The message without the call that failed, and without its place. */
function shorten(message: string): string {
  return message
    .replace(/ on node a\.example\.com$/, '')
    .replace(/ ?\((file: [^()]*|line: [^()]*)\)$/, '')
    .replace(/^Evaluation Error: Error while evaluating a Function Call, /, '');
}

describe('interpolation in data', () => {
  it.each(RESOLVED)('%j is %s', (data, expected) => {
    expect(resolve(data)).toEqual({ value: expected });
  });

  it.each(ERRORS)('%j fails with: %s', (data, message) => {
    expect(resolve(data)).toEqual({ error: message });
  });
});

describe('interpolation in hiera.yaml', () => {
  it('takes variables, but no methods', () => {
    const path = (text: string) => HIERARCHY.replace('path: c.json', `path: "${text}.json"`);
    expect(lookUp({ 'hiera.yaml': path('%{facts.kernel}'), 'data/Linux.json': '{"it": 1}' })).toEqual({ value: '1' });
    expect(lookUp({ 'hiera.yaml': path("%{lookup('key')}") })).toEqual({
      error: 'Interpolation using method syntax is not allowed in this context',
    });
  });
});
