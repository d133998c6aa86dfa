import { describe, expect, it } from 'vitest';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { MemoryTree, memoryFile } from '../../../../shared/puppet/environment/memory-tree.ts';
import { fileStates, verifyInputs } from '../../../../shared/puppet/environment/verify.ts';
import { HieraCache } from '../../../../shared/puppet/hiera/hiera-cache.ts';
import { dataStates } from '../../../../shared/puppet/hiera/keyed-file.ts';
import { parseJson } from '../../../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

const CODE = 'environments/production';
const FILES: Readonly<Record<string, string>> = {
  [`${CODE}/manifests/site.pp`]: `
    $family = $facts['os']['family']
    notice($role, $trusted['extensions']['pp_role'], $settings::strict, $facts['absent'])
    if 'virtual' in $facts { notice('virtual') }
    $facts['mounts'].each |$name, $mount| { notice($name) }
    include app
    notice(file('app/motd.txt', 'app/fallback.txt'), epp('app/x.epp'), app::plus(1), lookup('key'))
    notice(generate_nothing_here_is_volatile())
    function generate_nothing_here_is_volatile() { 1 }
  `,
  [`${CODE}/hiera.yaml`]: 'version: 5\nhierarchy: [{name: c, paths: ["%{facts.os.family}.yaml", common.yaml]}]',
  [`${CODE}/data/common.yaml`]: 'key: 1\napp::port: 80\n',
  [`${CODE}/modules/app/manifests/init.pp`]: 'class app(Integer $port) { }',
  [`${CODE}/modules/app/files/fallback.txt`]: 'x',
  [`${CODE}/modules/app/templates/x.epp`]: 'x',
  [`${CODE}/modules/app/functions/plus.pp`]: 'function app::plus($x) { $x + 1 }',
  [`${CODE}/modules/other/manifests/init.pp`]: 'class other { }',
  [`${CODE}/data/RedHat.yaml`]: 'key: 2',
};
const FACTS = {
  os: { family: 'Debian', name: 'Debian' },
  role: 'web',
  mounts: { '/': { size: 1 } },
  virtual: 'kvm',
  uptime: 5,
};
const TRUSTED = { certname: 'a', extensions: { pp_role: 'web', pp_env: 'x' } };

function hash(plain: unknown): PuppetHash {
  const value = parseJson(JSON.stringify(plain));
  return value instanceof PuppetHash ? value : new PuppetHash();
}

function recordedInputs() {
  const inputs = new Inputs();
  const result = compile({
    node: {
      certname: 'a',
      environment: 'production',
      facts: inputs.recordFacts(hash(FACTS)),
      trusted: inputs.recordTrusted(hash(TRUSTED)),
      serverFacts: null,
      parameters: new PuppetHash(),
      classes: [],
    },
    environment: createMemoryEnvironment({ name: 'production', codeDirectory: '/code', files: FILES, inputs }),
    settings: { language: 'openvox-8', strict: 'warning', strictVariables: false, tasks: false, storeconfigs: false },
    inputs,
    exportsOf: () => [],
  });
  expect(result).toMatchObject({ status: 'ok' });
  return inputs.getResult();
}

/**
 * The names of the inputs that differ when facts, trusted facts, settings or files are as `change`
 * says.
 */
function verdict(change: {
  readonly facts?: object;
  readonly trusted?: object;
  readonly settings?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string | null>>;
}): readonly string[] {
  const files = Object.entries({ ...FILES, ...change.files }).filter((entry) => entry[1] !== null);
  const tree = new MemoryTree(new Map(files.map(([path, text]) => [`/code/${path}`, memoryFile(text ?? '')])));
  const present = {
    facts: hash({ ...FACTS, ...change.facts }),
    trusted: hash({ ...TRUSTED, ...change.trusted }),
    settings: { strict: 'warning', ...change.settings },
    stateOf: fileStates(tree, '/code'),
    dataOf: dataStates(tree, '/code', new HieraCache()),
  };
  return verifyInputs(recordedInputs(), present).map(({ kind, name }) => `${kind} ${name.replace(`${CODE}/`, '')}`);
}

describe('the verdict on a catalog', () => {
  it.each([
    ['a fact that was read', { facts: { os: { family: 'RedHat', name: 'Debian' } } }, ['fact os.family']],
    ['another part of a fact', { facts: { os: { family: 'Debian', name: 'x' } } }, []],
    ['a top-scope variable', { facts: { role: 'db' } }, ['fact role']],
    ['a fact that was looked for', { facts: { absent: 1 } }, ['fact absent']],
    ['a fact that was not read', { facts: { uptime: 6, new: 1 } }, []],
    ['the value of a fact that was only asked for', { facts: { virtual: 'physical' } }, []],
    ['something in a fact that was iterated', { facts: { mounts: { '/': { size: 2 } } } }, ['fact mounts']],
    ['a trusted fact', { trusted: { extensions: { pp_role: 'db' } } }, ['trusted extensions.pp_role']],
    ['another trusted fact', { trusted: { certname: 'a', extensions: { pp_role: 'web', pp_env: 'y' } } }, []],
    ['a setting', { settings: { strict: 'error' } }, ['setting strict']],
    ['another setting', { settings: { tasks: 'true' } }, []],
  ])('on a change of %s', (_, change, names) => {
    expect(verdict(change)).toEqual(names);
  });

  it.each([
    ['the site manifest', 'manifests/site.pp', ['manifests/site.pp']],
    ['a class', 'modules/app/manifests/init.pp', ['modules/app/manifests/init.pp']],
    ['a function', 'modules/app/functions/plus.pp', ['modules/app/functions/plus.pp']],
    ['a template', 'modules/app/templates/x.epp', ['modules/app/templates/x.epp']],
    ['a file that was read', 'modules/app/files/fallback.txt', ['modules/app/files/fallback.txt']],
    ['a file that was looked for', 'modules/app/files/motd.txt', ['modules/app/files/motd.txt']],
    ['hiera.yaml', 'hiera.yaml', ['hiera.yaml']],
    ['data that was read', 'data/common.yaml', ['data/common.yaml']],
    ['data that was looked for', 'data/Debian.yaml', ['data/Debian.yaml']],
    ['data of others', 'data/RedHat.yaml', []],
    ['a module that is not used', 'modules/other/manifests/init.pp', []],
    ['a file that nobody asked for', 'modules/app/files/unused.txt', []],
  ])('on a change of %s', (_, path, names) => {
    expect(verdict({ files: { [`${CODE}/${path}`]: 'changed' } })).toEqual(names.map((name) => `file ${name}`));
  });

  it('on no change', () => {
    expect(verdict({})).toEqual([]);
  });
});
