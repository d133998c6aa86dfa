import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { type InputSet, Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { parseJson } from '../../../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

const FACTS = '{"os": {"family": "Debian", "release": {"major": "12"}}, "role": "web", "layers": ["x", "y"]}';

interface World {
  readonly files?: Readonly<Record<string, string>>;
  readonly global?: Readonly<Record<string, string>>;
  readonly strict?: 'error' | 'warning';
}

interface Outcome {
  readonly notices: readonly string[];
  readonly warnings: readonly string[];
  readonly error: string | null;
  readonly inputs: InputSet;
}

/**
 * Compiles `code` with data below the environment's (`files`) and the code directory's (`global`)
 * folder.
 */
function run(code: string, { files = {}, global = {}, strict = 'error' }: World): Outcome {
  const inputs = new Inputs();
  const own = Object.entries(files).map(([path, text]) => [`environments/production/${path}`, text]);
  const facts = parseJson(FACTS);
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
      files: { ...Object.fromEntries(own), ...global },
      manifest: null,
      globalHiera: '/code/hiera.yaml',
      inputs,
    }),
    settings: { language: 'openvox-8', strict, strictVariables: true, tasks: false, storeconfigs: false },
    inputs,
    exportsOf: () => [],
    code,
  });
  const log = result.status === 'needs' ? [] : result.log;
  return {
    notices: log.filter((entry) => entry.level === 'notice').map((entry) => entry.message),
    warnings: log.filter((entry) => entry.level === 'warning').map((entry) => entry.message),
    error: result.status === 'failed' ? result.error.message.replace(' on node a.example.com', '') : null,
    inputs: inputs.getResult(),
  };
}

const LAYERED: World = {
  files: {
    'hiera.yaml': `
version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
  - {name: node, path: "nodes/%{trusted.certname}.yaml"}
  - {name: os, paths: ["os/%{facts.os.family}-%{facts.os.release.major}.yaml", "os/%{facts.os.family}.yaml"]}
  - {name: services, glob: "services/*.yaml"}
  - {name: layers, mapped_paths: [layers, layer, "layers/%{layer}.yaml"]}
  - {name: json, path: j.json, data_hash: json_data}
  - {name: hocon, path: h.conf, data_hash: hocon_data}
  - {name: common, path: common.yaml}
`,
    'data/nodes/a.example.com.yaml': 'k: node\nlist: [a, b]\nh: {a: 1, n: {x: node}}\n',
    'data/os/Debian.yaml': 'k: os\nos: yes\nlist: [b, c]\nh: {b: 2, n: {y: os}}\n',
    'data/services/dns.yaml': 'dns: 1\n',
    'data/layers/y.yaml': 'layered: y\n',
    'data/j.json': '{"js": [1, 2.0, null]}',
    'data/h.conf': `hocon { deep = \${other} }\nother: 5`,
    'data/common.yaml': `
k: common
list: [d, [e]]
h: {c: 3, n: {x: common}}
kept: [--b, z]
loop: "%{lookup('loop2')}"
loop2: "%{lookup('loop')}"
text: "%{facts.os.family} %{lookup('h.n.x')} %{literal('%')}{x} %{scope('role')}"
all: "%{alias('list')}"
part: "x%{alias('list')}"
bad: "%{nope('x')}"
method_in_data: "%{lookup(\\"k\\")}"
"a.b": dotted
numbers: "%{lookup('list')} %{lookup('h')}"
typed: '12'
lookup_options:
  typed: {convert_to: Integer}
  '^he?$': {merge: deep}
  opt: {merge: unique}
opt: [1]
m::from_env: env
`,
    'modules/m/hiera.yaml':
      'version: 5\nhierarchy: [{name: c, path: c.yaml}]\ndefault_hierarchy: [{name: d, path: d.yaml}]\n',
    'modules/m/data/c.yaml': 'm::p: module\nforeign: 1\nm::from_env: module\n',
    'modules/m/data/d.yaml': 'm::q: by default\nm::p: never\n',
    'modules/m/manifests/init.pp':
      "class m($p = 'none', $q = 'none', $from_env = 'none', $r = 'none') { notice([$p, $q, $from_env, $r]) }",
  },
};

describe('values', () => {
  it.each([
    ["'k'", 'node'],
    ["'os'", 'true'],
    ["'dns'", '1'],
    ["'layered'", 'y'],
    ["'js'", '[1, 2.0, ]'],
    ["'hocon.deep'", '5'],
    ["'list'", '[a, b]'],
    ["'list.1'", 'b'],
    ["'h.n.y'", 'os'],
    ["'h'", '{c => 3, n => {x => node, y => os}, b => 2, a => 1}'],
    ["'list', {merge => unique}", '[a, b, c, d, e]'],
    ["'list', {merge => deep}", '[d, [e], b, c, a]'],
    ["'h', {merge => hash}", '{c => 3, n => {x => node}, b => 2, a => 1}'],
    ["'h', {merge => first}", '{a => 1, n => {x => node}}'],
    ["'text'", 'Debian node %{x} web'],
    ["'all'", '[a, b]'],
    ["'method_in_data'", 'node'],
    [`'"a.b"'`, 'dotted'],
    ["'numbers'", '["a", "b"] {"c"=>3, "n"=>{"x"=>"node", "y"=>"os"}, "b"=>2, "a"=>1}'],
    ["'typed'", '12'],
    ["['nope', 'k']", 'node'],
    ["'nope', {default_value => 1}", '1'],
    ["'nope', {default_values_hash => {nope => 2}}", '2'],
    ["'k', {override => {k => 3}}", '3'],
    ["'m::q'", 'by default'],
  ])('lookup(%s)', (args, expected) => {
    const outcome = run(`notice(lookup(${args}))`, LAYERED);
    expect(outcome.error).toBeNull();
    expect(outcome.notices).toEqual([expected]);
  });

  it('gives class parameters from the environment, the module, and its default hierarchy', () => {
    const outcome = run('include m', LAYERED);
    expect(outcome.notices).toEqual(['[module, by default, env, none]']);
    expect(outcome.warnings).toEqual([
      "Module 'm': Value returned from data_hash function 'yaml_data', when using location '/code/environments/production/modules/m/data/c.yaml', must use keys qualified with the name of the module; got foreign",
    ]);
  });

  it('lets data functions written in Puppet use their context', () => {
    const files = {
      'hiera.yaml': 'version: 5\nhierarchy: [{name: f, lookup_key: environment::find, options: {a: 1}}]',
      'functions/environment/find.pp': `function environment::find(String $key, Hash $options, Puppet::LookupContext $context) {
  if $key in ['nope', 'lookup_options'] { $context.not_found }
  if $context.cache_has_key('n') { "again \${context.cached_value('n')}" }
  else { $context.cache('n', "\${key} \${options} \${context.environment_name} \${context.interpolate('%{facts.role}')}") }
}`,
    };
    const outcome = run("notice(lookup('k')) notice(lookup('l')) notice(lookup('nope', {default_value => 0}))", {
      files,
    });
    expect(outcome.error).toBeNull();
    expect(outcome.notices).toEqual(['k {a => 1} production web', 'again k {a => 1} production web', '0']);
  });

  it('decrypts eyaml', () => {
    const read = (name: string) => readFileSync(new URL(`../../../fixtures/eyaml/${name}`, import.meta.url), 'utf8');
    const files = {
      'hiera.yaml':
        'version: 5\nhierarchy: [{name: s, path: s.eyaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: /code/key.pem}}]',
      'data/s.eyaml': read('secrets.eyaml'),
    };
    const global = { 'key.pem': read('private_key.pkcs7.pem') };
    const code = "notice(lookup('one')) notice(lookup('nested.list')) notice(lookup('folded'))";
    const outcome = run(code, { files, global });
    expect(outcome.error).toBeNull();
    expect(outcome.notices).toEqual(['s3cret', '[plain, user:pawebss@host]', 'multi\nline']);
  });

  it.each([
    ['AAAA', 'not enough data'],
    ['MIIBeQ==', 'not enough data'],
    ['MIAAAA==', 'not enough data'],
    ['MAYFADACMAA=', 'not enveloped data'],
  ])('refuses %s as an envelope of eyaml', (text, reason) => {
    const files = {
      'hiera.yaml':
        'version: 5\nhierarchy: [{name: s, path: s.eyaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: /code/key.pem}}]',
      'data/s.eyaml': `one: ENC[PKCS7,${text}]`,
    };
    const outcome = run("lookup('one')", { files, global: { 'key.pem': 'not read' } });
    expect(outcome.error).toBe(
      `hiera-eyaml backend error decrypting ENC[PKCS7,${text}] when looking up one in /code/environments/production/data/s.eyaml. Error was Could not parse the PKCS7: ${reason}`,
    );
  });
});

describe('errors', () => {
  it.each([
    ["lookup('nope')", "Function lookup() did not find a value for the name 'nope'"],
    ["lookup(['a', 'b'])", "Function lookup() did not find a value for any of the names ['a', 'b']"],
    ["lookup('loop')", "Lookup of key 'loop' failed: Recursive lookup detected in [loop, loop2]"],
    ["lookup('part')", "'alias' interpolation is only permitted if the expression is equal to the entire string"],
    ["lookup('bad')", "Unknown interpolation method 'nope'"],
    [
      "lookup('k', {merge => nope})",
      "Evaluation Error: Error while evaluating a Function Call, Unknown merge strategy: 'nope' (line: 1, column: 1)",
    ],
    ["lookup('k', {merge => hash})", 'The first element of the merge has wrong type, expects a Hash value, got String'],
    [
      "lookup('k', Integer)",
      'Evaluation Error: Error while evaluating a Function Call, Found value has wrong type, expects an Integer value, got String (line: 1, column: 1)',
    ],
    ["lookup('a..b')", "Syntax error in key: 'a..b'"],
  ])('%s', (code, message) => {
    expect(run(code, LAYERED).error).toBe(message);
  });

  it.each([
    [
      'version: 9',
      'This runtime does not support hiera.yaml version 9 (file: /code/environments/production/hiera.yaml)',
    ],
    [
      'version: 5\nhierarchy:\n  - {name: a, path: x, glob: y}',
      "Only one of path, paths, glob, globs, uri, uris, or mapped_paths can be defined in hierarchy 'a' (file: /code/environments/production/hiera.yaml)",
    ],
    [
      'version: 5\nhierarchy:\n  - {name: a, data_hash: no_such}',
      "Unable to find 'data_hash' function named 'no_such' (file: /code/environments/production/hiera.yaml)",
    ],
    [
      'version: 5\nhierarchy:\n  - name: a\n    path: x\n  - name: a\n    path: y',
      "Hierarchy name 'a' defined more than once. First defined at (line: 3) (file: /code/environments/production/hiera.yaml, line: 5)",
    ],
    [
      '---\n:hierarchy: [common]',
      'hiera.yaml version 3 cannot be used in an environment (file: /code/environments/production/hiera.yaml)',
    ],
  ])('hiera.yaml %j', (text, message) => {
    expect(run("lookup('k', {default_value => 1})", { files: { 'hiera.yaml': text } }).error).toBe(message);
  });

  it.each([
    [
      'error',
      'Unable to parse (/code/environments/production/data/common.yaml): did not find expected node content while parsing a flow node at line 1 column 5',
      'k: [}',
    ],
    ['error', '/code/environments/production/data/common.yaml: file does not contain a valid yaml hash', 'just text'],
    ['warning', null, 'just text'],
  ] as const)('data with strict=%s: %s', (strict, message, text) => {
    const files = { 'hiera.yaml': 'version: 5', 'data/common.yaml': text };
    expect(run("lookup('k', {default_value => 1})", { files, strict }).error).toBe(message);
  });
});

describe('inputs', () => {
  it('records every file that was read or looked for, every listing, and the variables of interpolations', () => {
    const { inputs } = run("notice(lookup('text'))", LAYERED);
    const data = Object.entries(inputs.files).filter(([path]) => /production\/(data|hiera)/.test(path));
    const shown = data.map(([path, seen]) => [
      path.replace('environments/production/', ''),
      seen === null ? '-' : 'read',
    ]);
    expect(Object.fromEntries(shown)).toEqual({
      'data/common.yaml': 'read',
      'data/h.conf': 'read',
      'data/j.json': 'read',
      'data/layers/x.yaml': '-',
      'data/layers/y.yaml': 'read',
      'data/nodes/a.example.com.yaml': 'read',
      'data/os/Debian-12.yaml': '-',
      'data/os/Debian.yaml': 'read',
      'data/services/': 'read',
      'data/services/dns.yaml': 'read',
      'hiera.yaml': 'read',
    });
    expect(Object.keys(inputs.facts)).toEqual(
      expect.arrayContaining(['["layers"]', '["os","family"]', '["os","release","major"]', '["role"]']),
    );
    expect(inputs.facts['["os","family"]']).not.toBe('{}');
    expect(Object.keys(inputs.trusted)).toEqual(['["certname"]']);
    expect(inputs.files['hiera.yaml']).toBeNull();
  });
});
