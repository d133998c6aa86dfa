import { describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { MemoryTree, memoryFile } from '../../../../shared/puppet/environment/memory-tree.ts';
import { diffSnapshots } from '../../../../shared/puppet/environment/snapshot-diff.ts';
import { fileStates, verifyInputs } from '../../../../shared/puppet/environment/verify.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';

type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };

function value(plain: Plain): Value {
  if (Array.isArray(plain)) return plain.map(value);
  if (typeof plain === 'object' && plain !== null) return hash(plain);
  return typeof plain === 'number' && Number.isInteger(plain) ? BigInt(plain) : plain;
}

function hash(plain: { [key: string]: Plain }): PuppetHash {
  return PuppetHash.of(Object.entries(plain).map(([key, item]) => [key, value(item)]));
}

const FACTS = {
  os: { family: 'Debian', release: { major: '12', minor: '5' } },
  mountpoints: { '/': { size: 10 } },
  disks: ['sda', 'sdb'],
  uptime: 5,
};

/** Gets what is at a path, step by step, as Puppet's `$facts['a']['b']` does. */
function dig(facts: PuppetHash, ...path: string[]): Value | undefined {
  let found: Value | undefined = facts;
  for (const key of path) found = found instanceof PuppetHash ? found.get(key) : undefined;
  return found;
}

function keysOf(value: Value | undefined): readonly Value[] {
  return value instanceof PuppetHash ? [...value.keys()] : [];
}

describe('facts', () => {
  it.each<[string, (facts: PuppetHash) => unknown, string[]]>([
    ['nothing', () => undefined, []],
    ['the deepest path', (facts) => dig(facts, 'os', 'release', 'major'), ['["os","release","major"]']],
    ['an array as a whole', (facts) => dig(facts, 'disks'), ['["disks"]']],
    ['a hash that was only passed on', (facts) => dig(facts, 'os'), ['["os"]']],
    ['a hash that was iterated', (facts) => [...(dig(facts, 'os') as PuppetHash).entries()], ['["os"]']],
    ['all when all were iterated', (facts) => [dig(facts, 'uptime'), ...facts.values()], ['[]']],
    ['all when all were copied', (facts) => facts.copy(), ['[]']],
    ['an absent path and the hash around it', (facts) => dig(facts, 'os', 'nope'), ['["os","nope"]', '["os"]']],
    [
      'the names of keys',
      (facts) => [...(dig(facts, 'os') as PuppetHash).keys(), dig(facts, 'os', 'family')],
      ['["os","family"]', '["os"]'],
    ],
    ['a key that was asked for', (facts) => facts.has('uptime'), ['["uptime"]']],
    ['a whole hash once', (facts) => [dig(facts, 'os', 'family'), [...(dig(facts, 'os') as PuppetHash)]], ['["os"]']],
  ])('records %s', (_, read, paths) => {
    const inputs = new Inputs();
    read(inputs.recordFacts(hash(FACTS)));
    expect(Object.keys(inputs.getResult().facts)).toEqual(paths);
  });

  it.each<[string, string[], Plain, { [key: string]: Plain }, string[]]>([
    ['the value', ['os', 'family'], null, { ...FACTS, os: { ...FACTS.os, family: 'RedHat' } }, ['changed']],
    ['another value', ['os', 'family'], null, { ...FACTS, uptime: 6 }, []],
    ['a sibling', ['os', 'family'], null, { ...FACTS, os: { ...FACTS.os, name: 'x' } }, []],
    ['the type of the value', ['uptime'], null, { ...FACTS, uptime: '5' }, ['changed']],
    ['integer to float', ['uptime'], null, { ...FACTS, uptime: 5.5 }, ['changed']],
    ['an element', ['disks'], null, { ...FACTS, disks: ['sda'] }, ['changed']],
    ['a removed fact', ['uptime'], null, { os: FACTS.os }, ['disappeared']],
    ['a fact that was absent', ['new'], null, { ...FACTS, new: 1 }, ['appeared']],
    ['a hash that became a string', ['os'], null, { ...FACTS, os: 'Debian' }, ['changed']],
    ['the inside of a hash that was passed on', ['os'], null, { ...FACTS, os: {} }, []],
  ])('verdict on a change of %s', (_, path, __, now, reasons) => {
    const inputs = new Inputs();
    dig(inputs.recordFacts(hash(FACTS)), ...path);
    const changes = verifyInputs(inputs.getResult(), { facts: hash(now) });
    expect(changes.map((change) => [change.kind, change.name, change.reason])).toEqual(
      reasons.map((reason) => ['fact', path.join('.'), reason]),
    );
    expect(verifyInputs(inputs.getResult(), { facts: hash(FACTS) })).toEqual([]);
  });

  it('tells names of keys from values', () => {
    const inputs = new Inputs();
    expect(inputs.recordFacts(hash({ a: 1, b: 2 })).size).toBe(2);
    expect(verifyInputs(inputs.getResult(), { facts: hash({ a: 3, b: 4 }) })).toEqual([]);
    expect(verifyInputs(inputs.getResult(), { facts: hash({ a: 1 }) })).toEqual([
      { kind: 'fact', name: '(all of fact)', reason: 'changed' },
    ]);
  });

  it.each<[string, { [key: string]: Plain }, (facts: PuppetHash) => unknown, { [key: string]: Plain }, string]>([
    [
      'of an iterated hash',
      { a: { x: 1, y: 2 } },
      (facts) => [...facts.entries()],
      { a: { y: 2, x: 1 } },
      '(all of fact)',
    ],
    ['of iterated names', { a: { x: 1, y: 2 } }, (facts) => keysOf(facts.get('a')), { a: { y: 3, x: 4 } }, 'a'],
    ['inside a value', { a: [{ x: 1, y: 2 }] }, (facts) => facts.get('a'), { a: [{ y: 2, x: 1 }] }, 'a'],
  ])('sees the order of keys %s', (_, before, read, after, name) => {
    const inputs = new Inputs();
    read(inputs.recordFacts(hash(before)));
    expect(verifyInputs(inputs.getResult(), { facts: hash(before) })).toEqual([]);
    expect(verifyInputs(inputs.getResult(), { facts: hash(after) })).toEqual([
      { kind: 'fact', name, reason: 'changed' },
    ]);
  });

  it('tells 0.0 from -0.0', () => {
    const inputs = new Inputs();
    inputs.recordFacts(PuppetHash.of([['zero', 0]])).get('zero');
    expect(verifyInputs(inputs.getResult(), { facts: PuppetHash.of([['zero', 0]]) })).toEqual([]);
    expect(verifyInputs(inputs.getResult(), { facts: PuppetHash.of([['zero', -0]]) })).toEqual([
      { kind: 'fact', name: 'zero', reason: 'changed' },
    ]);
  });
});

describe('trusted facts, settings and volatile functions', () => {
  const inputs = new Inputs();
  inputs.recordTrusted(hash({ certname: 'a', extensions: { pp_role: 'web' } })).get('certname');
  inputs.recordSetting('strict', 'error');
  inputs.recordVolatile('time');

  it.each([
    [{ trusted: hash({ certname: 'a', extensions: {} }), settings: { strict: 'error', other: 'x' } }, []],
    [{ trusted: hash({ certname: 'b' }) }, [{ kind: 'trusted', name: 'certname', reason: 'changed' }]],
    [{ settings: { strict: 'off' } }, [{ kind: 'setting', name: 'strict', reason: 'changed' }]],
    [{ volatile: true }, [{ kind: 'volatile', name: 'time', reason: 'volatile' }]],
  ])('verdict on %o', (present, changes) => {
    expect(verifyInputs(inputs.getResult(), present)).toEqual(changes);
  });
});

describe('files', () => {
  const CODE = 'environments/production';
  const FILES: Record<string, string> = {
    [`${CODE}/data/common.yaml`]: 'a: 1',
    [`${CODE}/manifests/site.pp`]: 'notice(1)',
    [`${CODE}/files/seen.txt`]: 'x',
    [`${CODE}/unused.txt`]: 'x',
    [`${CODE}/folder/x.txt`]: 'x',
    [`${CODE}/list.txt`]: 'x',
  };
  const inputs = new Inputs();
  const environment = createMemoryEnvironment({ name: 'production', codeDirectory: '/code', files: FILES, inputs });
  environment.read(`/code/${CODE}/data/common.yaml`);
  environment.read(`/code/${CODE}/data/node.yaml`);
  environment.list(`/code/${CODE}/manifests`);
  environment.kindOf(`/code/${CODE}/files/seen.txt`);
  environment.kindOf(`/code/${CODE}/modules/foo`);
  environment.digest(`/code/${CODE}/folder`);
  environment.list(`/code/${CODE}/list.txt`);

  /** The file becomes a folder with a file of that name; null: its folder becomes a file. */
  function becoming(path: string, name: string | null): Record<string, string | null> {
    const other = name === null ? path.replace(/\/[^/]*$/, '') : `${path}/${name}`;
    return { [`${CODE}/${path}`]: null, [`${CODE}/${other}`]: 'y' };
  }

  const changes: [string, Record<string, string | null>, string[]][] = [
    ['nothing', {}, []],
    ['an unused file', { [`${CODE}/unused.txt`]: 'y', [`${CODE}/unused2.txt`]: 'y' }, []],
    ['a file that was read', { [`${CODE}/data/common.yaml`]: 'a: 2' }, [`${CODE}/data/common.yaml changed`]],
    ['a removed file', { [`${CODE}/data/common.yaml`]: null }, [`${CODE}/data/common.yaml disappeared`]],
    ['a file that was not there', { [`${CODE}/data/node.yaml`]: '' }, [`${CODE}/data/node.yaml appeared`]],
    ['the names in a listed folder', { [`${CODE}/manifests/b.pp`]: '' }, [`${CODE}/manifests/ changed`]],
    ['the content of a file in a listed folder', { [`${CODE}/manifests/site.pp`]: 'y' }, []],
    ['the content of a file that was only seen', { [`${CODE}/files/seen.txt`]: 'y' }, []],
    ['a file that was seen and went', { [`${CODE}/files/seen.txt`]: null }, [`${CODE}/files/seen.txt disappeared`]],
    ['a file that was seen and becomes a folder', becoming('files/seen.txt', 'x'), [`${CODE}/files/seen.txt changed`]],
    [
      'a file that was read and becomes a folder',
      becoming('data/common.yaml', 'x'),
      [`${CODE}/data/common.yaml changed`],
    ],
    ['a folder that was read as a file and becomes one', becoming('folder/x.txt', null), [`${CODE}/folder changed`]],
    ['the content of a folder that was read as a file', { [`${CODE}/folder/x.txt`]: 'y' }, []],
    ['a file that was listed and becomes a folder', becoming('list.txt', 'x'), [`${CODE}/list.txt changed`]],
    ['the content of a file that was listed', { [`${CODE}/list.txt`]: 'y' }, []],
    [
      'an entry of a listed folder that becomes a folder',
      { [`${CODE}/manifests/site.pp`]: null, [`${CODE}/manifests/site.pp/x`]: 'y' },
      [`${CODE}/manifests/ changed`],
    ],
    ['a folder that was not there', { [`${CODE}/modules/foo/x.pp`]: '' }, [`${CODE}/modules/foo appeared`]],
  ];

  function apply(change: Record<string, string | null>): Record<string, string> {
    const merged = Object.entries({ ...FILES, ...change });
    return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
  }

  it.each(changes)('verdict on a change of %s', (_, change, expected) => {
    const files = Object.entries(apply(change)).map(([path, text]) => [`/code/${path}`, memoryFile(text)] as const);
    const tree = new MemoryTree(new Map(files), { folders: [`/code/${CODE}/modules`] });
    const found = verifyInputs(inputs.getResult(), { stateOf: fileStates(tree, '/code') });
    expect(found.map(({ name, reason }) => `${name} ${reason}`)).toEqual(expected);
  });

  it.each(changes)('the difference of snapshots names the recorded path for a change of %s', (_, change, expected) => {
    const manifest = (files: Record<string, string>) => ({
      environment: 'production',
      files: Object.fromEntries(
        Object.entries(files).map(([path, text]) => [path, { sha256: text, size: text.length, mode: 0o644 }]),
      ),
    });
    const touched = diffSnapshots(manifest(FILES), manifest(apply(change)));
    for (const line of expected) expect(touched).toContain(line.replace(/ \w+$/, ''));
  });
});

it('records which entries of the modulepath are modules', () => {
  const MODULES = 'environments/production/modules';
  const before = { [`${MODULES}/aa`]: 'x', [`${MODULES}/bb/x`]: 'x' };
  const verdict = (after: Readonly<Record<string, string>>) => {
    const inputs = new Inputs();
    const options = { name: 'production', codeDirectory: '/code', files: before, inputs };
    expect(createMemoryEnvironment(options).listModules()).toMatchObject([{ name: 'bb' }]);
    const files = Object.entries(after).map(([path, text]) => [`/code/${path}`, memoryFile(text)] as const);
    return verifyInputs(inputs.getResult(), { stateOf: fileStates(new MemoryTree(new Map(files)), '/code') });
  };
  expect(verdict(before)).toEqual([]);
  const change = { kind: 'file', name: `${MODULES}/`, reason: 'changed' };
  expect(verdict({ [`${MODULES}/aa/x`]: 'x', [`${MODULES}/bb/x`]: 'x' })).toEqual([change]);
  expect(verdict({ [`${MODULES}/aa`]: 'x', [`${MODULES}/bb`]: 'x' })).toEqual([change]);
});
