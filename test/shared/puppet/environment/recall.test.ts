import { describe, expect, it } from 'vitest';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { ParseCache } from '../../../../shared/puppet/compiler/manifest-parser.ts';
import { type InputSet, Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../../../shared/puppet/environment/snapshot-environment.ts';
import { HieraCache } from '../../../../shared/puppet/hiera/hiera-cache.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';

const CODE = 'environments/production';
const ROOT = `/etc/puppetlabs/code/${CODE}`;
const THING = "Puppet::Type.newtype(:thing) do\n  newparam(:name) { isnamevar }\n  newproperty('size')\nend\n";
const FILES: Readonly<Record<string, string>> = {
  [`${CODE}/manifests/site.pp`]: `
    node one { include app, faulty, other }
    node two { thing { 'x': size => 2, provider => 'plain' } }
    node three { thing { 'x': } -> notify { epp('app/x.epp'): } }
    node four { include faulty }
  `,
  [`${CODE}/modules/app/manifests/init.pp`]:
    "class app { thing { 'y': provider => 'plain' } notice(epp('app/x.epp')) }",
  [`${CODE}/modules/app/templates/x.epp`]: '<%= 1 %>',
  [`${CODE}/modules/faulty/metadata.json`]: '{"name": "x-faulty"}',
  [`${CODE}/modules/faulty/manifests/init.pp`]: 'class faulty { }',
  [`${CODE}/modules/other/lib/puppet/provider/thing/plain.rb`]: 'Puppet::Type.type(:thing).provide(:plain) { }',
  [`${CODE}/modules/other/manifests/init.pp`]: 'class other { $x = [1][0] thing { a: } }',
  [`${CODE}/modules/things/lib/puppet/type/thing.rb`]: THING,
};
const NODES = ['one', 'two', 'three', 'four'] as const;

const SNAPSHOT = {
  environment: 'production',
  files: Object.fromEntries(
    Object.entries(FILES).map(([path, text]) => [path, { sha256: digestSha256(text), size: text.length, mode: 0o644 }]),
  ),
};

/**
 * A tree of the files as they are deployed, of which nothing is known yet, with caches of its own.
 */
function deployed() {
  const blobs = new Map(Object.values(FILES).map((text) => [digestSha256(text), Buffer.from(text)]));
  const tree = snapshotTree(SNAPSHOT, (digest) => blobs.get(digest) ?? new Uint8Array());
  return { tree, parseCache: new ParseCache(), hieraCache: new HieraCache() };
}

type Deployed = ReturnType<typeof deployed>;

function compiled(certname: string, { tree, ...caches }: Deployed): { readonly result: unknown; inputs: InputSet } {
  const inputs = new Inputs();
  const result = compile({
    node: {
      certname,
      environment: 'production',
      facts: inputs.recordFacts(new PuppetHash()),
      trusted: inputs.recordTrusted(new PuppetHash()),
      serverFacts: null,
      parameters: new PuppetHash(),
      classes: [],
    },
    environment: openSnapshotEnvironment(SNAPSHOT, 'id', tree, inputs),
    settings: { language: 'openvox-8', strict: 'warning', strictVariables: false, tasks: false, storeconfigs: false },
    inputs,
    exportsOf: () => [],
    ...caches,
  });
  return { result, inputs: inputs.getResult() };
}

describe('what compiles recall of the code', () => {
  it.each(NODES)('changes nothing of what node %s gives and records', (certname) => {
    const expected = compiled(certname, deployed());
    for (const first of NODES) {
      const shared = deployed();
      compiled(first, shared);
      expect(compiled(certname, shared)).toEqual(expected);
    }
  });

  it('covers modules, types, providers, templates and what failed', () => {
    expect(compiled('two', deployed())).toMatchObject({ result: { status: 'ok' } });
    expect(compiled('four', deployed())).toMatchObject({
      result: { status: 'failed', log: [{ message: 'No source module metadata provided for faulty' }, {}] },
    });
    const { inputs } = compiled('two', deployed());
    expect(inputs.files).toMatchObject({
      [`${CODE}/modules/things/lib/puppet/type/thing.rb`]: digestSha256(THING),
      [`${CODE}/modules/app/lib/puppet/type`]: null,
      [`${CODE}/modules/other/lib/puppet/provider/thing/`]: expect.any(String),
    });
  });
});

describe('recall', () => {
  const open = ({ tree }: Deployed, inputs: Inputs) => openSnapshotEnvironment(SNAPSHOT, 'id', tree, inputs);

  it('finds once, and records what was seen for each that asks', () => {
    const shared = deployed();
    let times = 0;
    const seen = [0, 1].map(() => {
      const inputs = new Inputs();
      const environment = open(shared, inputs);
      const outer = () => environment.memoize('inner', () => environment.kindOf(`${ROOT}/missing`));
      const found = environment.memoize('outer', () => [++times, outer(), environment.kindOf(`${ROOT}/modules`)]);
      expect(found).toEqual([1, null, 'directory']);
      return inputs.getResult().files;
    });
    expect(seen[0]).toMatchObject({ [`${CODE}/missing`]: null, [`${CODE}/modules`]: '+d' });
    expect(seen[1]).toEqual(seen[0]);
  });

  it('notes the modules for all findings that looked at them', () => {
    const shared = deployed();
    const find = (inputs: Inputs, before: boolean) => {
      const environment = open(shared, inputs);
      if (before) environment.listModules();
      return environment.memoize('names', () => environment.listModules().map(({ name }) => name));
    };
    find(new Inputs(), true);
    const inputs = new Inputs();
    expect(find(inputs, false)).toEqual(['app', 'faulty', 'other', 'things']);
    expect(inputs.getResult().files).toHaveProperty([`${CODE}/modules/`]);
  });

  it('keeps nothing of what failed, but records what was seen until then', () => {
    const shared = deployed();
    const inputs = new Inputs();
    const environment = open(shared, inputs);
    const fail = () => {
      environment.kindOf(`${ROOT}/missing`);
      throw new Error('no');
    };
    expect(() => environment.memoize('key', fail)).toThrow('no');
    expect(inputs.getResult().files).toHaveProperty([`${CODE}/missing`], null);
    expect(environment.memoize('key', () => 'found')).toBe('found');
  });
});
