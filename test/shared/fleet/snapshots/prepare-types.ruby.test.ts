import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  prepareTypes,
  printPreparedTypes,
  readPreparedTypes,
} from '../../../../shared/fleet/snapshots/prepare-types.ts';
import { prepareTypesInThread } from '../../../../shared/fleet/snapshots/prepare-types-thread.ts';
import { typesBlob } from '../../../../shared/fleet/snapshots/snapshot-blobs.ts';
import { loadSnapshot } from '../../../../shared/fleet/snapshots/snapshot-cache.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';
import { deployFolder } from '../../../helpers/deploy-folder.ts';
import { fakeRuby } from '../../../helpers/fake-ruby.ts';

const MODULE = 'environments/production/modules/m/lib';
const SERVED = '/etc/puppetlabs/code/environments/production/modules/m/lib';
const FILES = {
  'environments/production/manifests/site.pp': "plain { 'p': } computed { 'c': size => 1 }",
  [`${MODULE}/puppet/type/plain.rb`]: 'Puppet::Type.newtype(:plain) do\n  newparam(:name)\nend\n',
  [`${MODULE}/puppet/type/computed.rb`]:
    "require 'puppet_x/names'\nPuppet::Type.newtype(:computed) do\n  NAMES.each { |name| newparam(name) }\nend\n",
  [`${MODULE}/puppet/type/broken.rb`]: "Puppet::Type.newtype(:broken) do\n  raise 'no'\nend\n",
  [`${MODULE}/puppet_x/names.rb`]: 'NAMES = %w[name size]',
};

let world: CompileWorld;
beforeEach(() => {
  world = new CompileWorld(undefined, compile);
  world.write(FILES);
});
afterEach(() => world.close());

const deploy = () => deployFolder(world.stores, world.repo, 'production', 'test', { types: prepareTypesInThread });
const typesOf = async (codeId: string) => readPreparedTypes(await world.stores.blobs.get(typesBlob(codeId)));

describe('resource types that a deploy prepares', () => {
  it('are those whose text does not say all, with the files that they depend on', async () => {
    const types = await typesOf((await deploy()).codeId);
    expect([...types.keys()]).toEqual(['computed']);
    const { description, files } = types.get('computed') ?? {};
    expect(description?.parameters).toEqual(['name', 'size']);
    expect(Object.keys(files ?? {})).toEqual(
      expect.arrayContaining([`${SERVED}/puppet/type/computed.rb`, `${SERVED}/puppet_x/names.rb`]),
    );
  });

  it('may ask where a module is; those that ask for what only a compile has are left to it', async () => {
    const type = (name: string, code: string) =>
      `Puppet::Type.newtype(:${name}) do\n  [:name, :at].each { |one| newparam(one) }\n  ${code}\nend\n`;
    world.write({
      [`${MODULE}/puppet/type/finds.rb`]: type('finds', "raise 'no' unless Puppet::Module.find('m')&.path"),
      [`${MODULE}/puppet/type/asks.rb`]: type('asks', "Puppet::Parser::Files.find_file('m/x', nil)"),
    });
    const types = await typesOf((await deploy()).codeId);
    expect([...types.keys()]).toEqual(['computed', 'finds']);
  });

  it('serve compiles without Ruby, which depend on the same files', async () => {
    await deploy();
    const answer = await world.run(checkIn('n.example.com'));
    expect(catalogOf(answer).resources).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Plain', title: 'p' }),
        expect.objectContaining({ type: 'Computed', title: 'c', parameters: { size: 1 } }),
      ]),
    );
    world.write({ [`${MODULE}/puppet_x/names.rb`]: 'NAMES = %w[name]' });
    const { nodes } = await deploy();
    expect(nodes).toEqual(['n.example.com']);
    const failed = await world.run(checkIn('n.example.com'));
    expect(failed).toMatchObject({ status: 'failed', message: expect.stringContaining("no parameter named 'size'") });
  });

  it('are taken over while their files are as they were', async () => {
    const { codeId } = await deploy();
    const old = await typesOf(codeId);
    const snapshot = await loadSnapshot(world.stores.blobs, codeId);
    const refusing = fakeRuby({});
    const blob = new Map<string, Uint8Array>();
    for (const { sha256 } of Object.values(snapshot.files)) {
      blob.set(sha256, (await world.stores.blobs.get(`files/${sha256}`)) ?? new Uint8Array());
    }
    const read = (sha256: string) => blob.get(sha256) ?? new Uint8Array();
    expect(prepareTypes(snapshot, codeId, read, refusing, old)).toEqual(old);
    expect(prepareTypes(snapshot, codeId, read, refusing, new Map())).toEqual(new Map());
    expect(readPreparedTypes(printPreparedTypes(old))).toEqual(old);
  });
});
