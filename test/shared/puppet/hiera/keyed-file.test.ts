import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { type InputSet, Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { MemoryTree, memoryFile } from '../../../../shared/puppet/environment/memory-tree.ts';
import { fileStates, verifyInputs } from '../../../../shared/puppet/environment/verify.ts';
import { HieraCache } from '../../../../shared/puppet/hiera/hiera-cache.ts';
import { dataStates } from '../../../../shared/puppet/hiera/keyed-file.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

const ROOT = 'environments/production';
const eyaml = (name: string) => readFileSync(new URL(`../../../fixtures/eyaml/${name}`, import.meta.url), 'utf8');

const FILES: Readonly<Record<string, string>> = {
  'hiera.yaml': `
version: 5
hierarchy:
  - {name: role, path: role.yaml}
  - {name: json, path: j.json, data_hash: json_data}
  - {name: hocon, path: h.conf, data_hash: hocon_data}
  - {name: secret, path: secrets.eyaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: "/code/${ROOT}/key.pem", pkcs7_public_key: none}}
  - {name: named, path: named.json}
  - {name: own, path: own.yaml, data_hash: m::whole}
  - {name: common, paths: [common.yaml, empty.yaml]}
`,
  'data/role.yaml': 'merged: {x: 1}\nlookup_options: {merged: {merge: hash}}\nfirst: role\n',
  'data/j.json': '{"js": 1, "other": 2}',
  'data/h.conf': 'hocon { deep = 1 }\nother: 5',
  'data/secrets.eyaml': `${eyaml('secrets.eyaml')}\nlookup_options: {more_options: {merge: first}}\n`,
  'key.pem': eyaml('private_key.pkcs7.pem'),
  'data/named.json': '{"named": 1}',
  'data/own.yaml': 'own: 1\n',
  'data/common.yaml':
    'merged: {y: 2, z: {b: 1, a: 2}}\nfirst: common\nplain: 1\ndeep: {a: {b: 1}, c: 2}\n' +
    'linked: "%{lookup(\'target\')}"\ntarget: t\nunused: 1\n',
  'data/empty.yaml': '---\n',
  'modules/m/hiera.yaml': 'version: 5\nhierarchy: [{name: c, path: c.yaml}]\n',
  'modules/m/data/c.yaml': 'm::p: module\nm::unused: 1\nlookup_options: {m::q: {merge: first}}\n',
  'modules/m/manifests/init.pp': 'class m($p) { notify { $p: } }',
  'modules/m/functions/whole.pp': 'function m::whole($options, $context) { yaml_data($options, $context) }',
};

function paths(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${ROOT}/${path}`, text]));
}

interface Compiled {
  readonly inputs: InputSet;
  readonly status: string;
}

function run(code: string, files: Readonly<Record<string, string>> = FILES, hieraCache = new HieraCache()): Compiled {
  const inputs = new Inputs();
  const { status } = compile({
    node: {
      certname: 'a',
      environment: 'production',
      facts: inputs.recordFacts(new PuppetHash()),
      trusted: inputs.recordTrusted(new PuppetHash()),
      serverFacts: null,
      parameters: new PuppetHash(),
      classes: [],
    },
    environment: createMemoryEnvironment({
      name: 'production',
      codeDirectory: '/code',
      files: paths(files),
      manifest: null,
      globalHiera: '/code/hiera.yaml',
      inputs,
    }),
    settings: { language: 'openvox-8', strict: 'warning', strictVariables: true, tasks: false, storeconfigs: false },
    inputs,
    exportsOf: () => [],
    hieraCache,
    code,
  });
  return { inputs: inputs.getResult(), status };
}

/** The changes that verification finds when these files have other texts (null: are deleted). */
function verdict(code: string, change: Readonly<Record<string, string | null>>): readonly string[] {
  const cache = new HieraCache();
  const { inputs } = run(code, FILES, cache);
  const all = Object.entries(paths({ ...FILES, ...change } as Record<string, string>));
  const kept = all.filter(([, text]) => text !== null);
  const tree = new MemoryTree(new Map(kept.map(([path, text]) => [`/code/${path}`, memoryFile(text)])));
  const present = { stateOf: fileStates(tree, '/code'), dataOf: dataStates(tree, '/code', cache) };
  return verifyInputs(inputs, present).map(
    ({ kind, name, reason }) => `${kind} ${name.replace(`${ROOT}/`, '')} ${reason}`,
  );
}

/** Code that shows the value of a key. */
function get(key: string): string {
  return `notify { String(lookup('${key}')): }`;
}

/** A data file with another text in place of `text`. */
function edit(path: string, text: string, other: string): Record<string, string> {
  const before = FILES[path] ?? '';
  expect(before).toContain(text);
  return { [path]: before.replace(text, other) };
}

describe('a data file of Hiera', () => {
  it.each<[string, string, Record<string, string | null>, string[]]>([
    [
      'a key that was read',
      get('plain'),
      edit('data/common.yaml', 'plain: 1', 'plain: 2'),
      ['plain of data/common.yaml changed'],
    ],
    [
      'a key that was removed',
      get('plain'),
      edit('data/common.yaml', 'plain: 1\n', ''),
      ['plain of data/common.yaml disappeared'],
    ],
    [
      'a key that was looked for',
      get('plain'),
      edit('data/role.yaml', 'first', 'plain: 3\nfirst'),
      ['plain of data/role.yaml appeared'],
    ],
    [
      'the type of a value',
      get('plain'),
      edit('data/common.yaml', 'plain: 1', 'plain: 1.0'),
      ['plain of data/common.yaml changed'],
    ],
    ['a key that was not read', get('plain'), edit('data/common.yaml', 'unused: 1', 'unused: 2'), []],
    ['a new key', get('plain'), edit('data/common.yaml', 'unused', 'new: 1\nunused'), []],
    ['a comment', get('plain'), edit('data/common.yaml', 'plain', '# more\nplain'), []],
    ['a key below one that was found', get('first'), edit('data/common.yaml', 'first: common', 'first: x'), []],
    [
      'the rest of a dotted key',
      get('deep.a.b'),
      edit('data/common.yaml', 'c: 2', 'c: 3'),
      ['deep of data/common.yaml changed'],
    ],
    [
      'one part of a merge',
      get('merged'),
      edit('data/common.yaml', 'y: 2', 'y: 3'),
      ['merged of data/common.yaml changed'],
    ],
    [
      'the order of keys inside a value',
      get('merged'),
      edit('data/common.yaml', '{b: 1, a: 2}', '{a: 2, b: 1}'),
      ['merged of data/common.yaml changed'],
    ],
    [
      'the lookup_options of the key',
      get('merged'),
      edit('data/role.yaml', 'merge: hash', 'merge: first'),
      ['lookup_options[merged] of data/role.yaml changed'],
    ],
    ['those of another key', get('plain'), edit('data/role.yaml', 'merge: hash', 'merge: first'), []],
    [
      'a pattern for the key',
      get('first'),
      edit('data/role.yaml', '{merged', '{^fir: {merge: unique}, merged'),
      ['lookup_options[first] of data/role.yaml appeared'],
    ],
    ['a pattern for others', get('first'), edit('data/role.yaml', '{merged', '{^se: {merge: unique}, merged'), []],
    [
      'a pattern that fails all lookups',
      get('plain'),
      edit('data/role.yaml', '{merged', '{"^(": {merge: unique}, merged'),
      ['lookup_options[plain] of data/role.yaml appeared'],
    ],
    [
      'an interpolation among the options of others',
      get('plain'),
      edit('data/role.yaml', '{merged', '{"%{x}": {merge: unique}, merged'),
      ['lookup_options[plain] of data/role.yaml appeared'],
    ],
    [
      'lookup_options that are no hash any more',
      get('plain'),
      edit('data/role.yaml', '{merged: {merge: hash}}', 'none'),
      ['lookup_options[plain] of data/role.yaml appeared'],
    ],
    [
      'no lookup_options any more',
      get('merged'),
      edit('data/role.yaml', 'lookup_options: {merged: {merge: hash}}\n', ''),
      ['lookup_options[merged] of data/role.yaml disappeared'],
    ],
    [
      'the lookup_options of a module for the key',
      "include('m')",
      edit('modules/m/data/c.yaml', '{m::q', '{m::p: {merge: unique}, m::q'),
      ['lookup_options[m::p](m) of modules/m/data/c.yaml appeared'],
    ],
    [
      'those of a module for another key',
      "include('m')",
      edit('modules/m/data/c.yaml', '{m::q', '{m::r: {merge: unique}, m::q'),
      [],
    ],
    [
      'those of a module for a key that is not its own',
      "include('m')",
      edit('modules/m/data/c.yaml', '{m::q', '{n::r: {merge: unique}, m::q'),
      ['lookup_options[m::p](m) of modules/m/data/c.yaml appeared'],
    ],
    [
      'those of an encrypted file',
      get('one'),
      edit('data/secrets.eyaml', 'more_options', 'one'),
      ['lookup_options[one] of data/secrets.eyaml appeared'],
    ],
    [
      'those of an encrypted file for another key',
      get('one'),
      edit('data/secrets.eyaml', 'more_options', 'others'),
      [],
    ],
    [
      'new lookup_options',
      get('plain'),
      edit('data/common.yaml', 'unused', 'lookup_options: {}\nunused'),
      ['lookup_options of data/common.yaml appeared'],
    ],
    [
      'the key of an interpolation',
      get('linked'),
      edit('data/common.yaml', 'target: t', 'target: u'),
      ['target of data/common.yaml changed'],
    ],
    ['a JSON key that was read', get('js'), edit('data/j.json', '"js": 1', '"js": 2'), ['js of data/j.json changed']],
    ['another JSON key', get('js'), edit('data/j.json', '"other": 2', '"other": 3'), []],
    [
      'a HOCON key that was read',
      get('hocon'),
      edit('data/h.conf', 'deep = 1', 'deep = 2'),
      ['hocon of data/h.conf changed'],
    ],
    ['another HOCON key', get('hocon'), edit('data/h.conf', 'other: 5', 'other: 6'), []],
    [
      'another key of an eyaml file',
      get('one'),
      { 'data/secrets.eyaml': `${FILES['data/secrets.eyaml']}more: 1\n` },
      [],
    ],
    [
      'the ciphertext of a key',
      get('one'),
      edit('data/secrets.eyaml', 'one:', 'gone:'),
      ['one of data/secrets.eyaml disappeared'],
    ],
    [
      'a class parameter',
      "include('m')",
      edit('modules/m/data/c.yaml', 'p: module', 'p: x'),
      ['m::p of modules/m/data/c.yaml changed'],
    ],
    ['another class parameter', "include('m')", edit('modules/m/data/c.yaml', 'unused: 1', 'unused: 2'), []],
  ])('is verified by its keys: %s', (_, code, change, expected) => {
    expect(run(code).status).toBe('ok');
    expect(verdict(code, change)).toEqual(expected.map((name) => `data ${name}`));
    expect(verdict(code, {})).toEqual([]);
  });

  const PLAIN = get('plain');
  it.each<[string, string, Record<string, string | null>, string[]]>([
    ['it is deleted', PLAIN, { 'data/common.yaml': null }, ['data/common.yaml disappeared']],
    ['it does not parse any more', PLAIN, { 'data/common.yaml': 'a: [' }, ['data/common.yaml changed']],
    ['it has no hash any more', PLAIN, { 'data/common.yaml': 'text' }, ['data/common.yaml changed']],
    ['it becomes empty', PLAIN, { 'data/common.yaml': '' }, ['data/common.yaml changed']],
    [
      'it becomes a folder',
      PLAIN,
      { 'data/common.yaml': null, 'data/common.yaml/x': 'y' },
      ['data/common.yaml changed'],
    ],
    [
      'the file is read as well',
      `${PLAIN} notify { file('/code/${ROOT}/data/common.yaml'): }`,
      edit('data/common.yaml', 'unused: 1', 'unused: 2'),
      ['data/common.yaml changed'],
    ],
    ['a function of a module reads it', PLAIN, edit('data/own.yaml', 'own: 1', 'own: 2'), ['data/own.yaml changed']],
    ['its name is of another format', PLAIN, edit('data/named.json', '1', '2'), ['data/named.json changed']],
    ['it was empty', PLAIN, { 'data/empty.yaml': 'unused: 1' }, ['data/empty.yaml changed']],
  ])('is an input as a whole when %s', (_, code, change, expected) => {
    expect(verdict(code, change)).toEqual(expected.map((name) => `file ${name}`));
  });

  it('that does not parse is an input as a whole', () => {
    const { inputs, status } = run(PLAIN, { ...FILES, ...edit('data/common.yaml', 'plain: 1', 'plain: [') });
    expect(status).toBe('failed');
    expect(inputs.files[`${ROOT}/data/common.yaml`]).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.keys(inputs.dataKeys)).not.toContain(`${ROOT}/data/common.yaml`);
  });

  it('stands as existing, with each key that was looked for', () => {
    const { inputs } = run(PLAIN);
    expect(inputs.files[`${ROOT}/data/common.yaml`]).toBe('+f');
    expect(inputs.dataKeys).toMatchObject({
      [`${ROOT}/data/common.yaml`]: { lookup_options: null, plain: expect.stringMatching(/^[0-9a-f]{64}$/) },
      [`${ROOT}/data/role.yaml`]: { 'lookup_options[plain]': null, plain: null },
    });
  });

  it('whose lookup_options fail all lookups is looked at again once they are right', () => {
    const wrong = { ...FILES, ...edit('data/role.yaml', '{merged', '{"^(": {merge: unique}, merged') };
    const { inputs, status } = run(PLAIN, wrong);
    expect(status).toBe('failed');
    expect(inputs.dataKeys[`${ROOT}/data/role.yaml`]).toEqual({
      'lookup_options[plain]': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('tells a key that has the name of an input from that input', () => {
    const named = (own: string) => ({
      ...FILES,
      'data/common.yaml': `lookup_options: {a: {merge: first}}\n'lookup_options[a]': ${own}\na: 1\n`,
    });
    const digestWith = (own: string) =>
      run(`${get('a')} ${get('lookup_options[a]')}`, named(own)).inputs.dataKeys[`${ROOT}/data/common.yaml`]?.[
        'lookup_options[a]'
      ];
    expect(digestWith('1')).not.toBe(digestWith('2'));
  });

  it('gives the same record from the cache as from the file', () => {
    const cache = new HieraCache();
    const first = run(PLAIN, FILES, cache);
    expect(run(PLAIN, FILES, cache)).toEqual(first);
    expect(run(PLAIN)).toEqual(first);
  });
});
