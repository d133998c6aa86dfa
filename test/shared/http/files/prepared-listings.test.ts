import { afterEach, beforeEach, expect, it } from 'vitest';
import { listingsBlob, snapshotBlob } from '../../../../shared/fleet/snapshots/snapshot-blobs.ts';
import { loadSnapshot } from '../../../../shared/fleet/snapshots/snapshot-cache.ts';
import { createApp } from '../../../../shared/http/app.ts';
import { FileServer } from '../../../../shared/http/files/file-server.ts';
import { prepareListings, readListings } from '../../../../shared/http/files/prepared-listings.ts';
import type { BlobStore } from '../../../../shared/store/ports/blob-store.ts';
import { CompileWorld } from '../../../helpers/compile-world.ts';
import { deployFolder } from '../../../helpers/deploy-folder.ts';
import { createPeer, httpServices, type TestServices } from '../../../helpers/http-services.ts';
import { intercept } from '../../../helpers/intercept.ts';

const IGNORE = 'ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg';
const COMMON = 'checksum_type=sha256&environment=production';
/** As agents ask, in the words of the recordings. */
const ASKED = [
  `pluginfacts?recurse=true&max_files=-1&${IGNORE}&links=follow&source_permissions=use&${COMMON}`,
  `plugins?recurse=true&max_files=-1&${IGNORE}&links=follow&source_permissions=ignore&${COMMON}`,
  `plugins?recurse=false&links=manage&source_permissions=ignore&${COMMON}`,
  `locales?recurse=true&max_files=-1&${IGNORE}&ignore=%2A.pot&ignore=config.yaml&links=follow&source_permissions=ignore&${COMMON}`,
];
let world: CompileWorld;
let http: TestServices;

beforeEach(async () => {
  world = new CompileWorld();
  http = await httpServices();
  const base = 'environments/production/modules';
  world.write({
    'environments/production/manifests/site.pp': '',
    [`${base}/one/lib/facter/a.rb`]: 'a',
    [`${base}/one/lib/CVS/x`]: 'x',
    [`${base}/two/lib/facter/a.rb`]: 'other',
    [`${base}/two/lib/puppet/functions/"{ctime}1970-01-01 00:00:00 +0000".rb`]: 'odd',
    [`${base}/two/facts.d/f.sh`]: 'echo a=b',
    [`${base}/two/locales/ja/two.po`]: 'ja',
    [`${base}/two/locales/two.pot`]: 'pot',
  });
});
afterEach(() => world.close());

/** Answers of a front door, and which snapshots it read for them. */
async function answers(paths: readonly string[]) {
  const read: string[] = [];
  const blobs = intercept<BlobStore>(world.stores.blobs, {
    get: (key) => {
      read.push(key);
      return world.stores.blobs.get(key);
    },
  });
  const { environments } = world.stores;
  const app = createApp({ ...http.services, blobs, environments, files: new FileServer(environments, blobs) });
  const texts = [];
  for (const path of paths) {
    const response = await app.request(
      `/puppet/v3/file_metadatas/${path}`,
      {},
      { peer: createPeer('web01.example.com') },
    );
    texts.push(`${response.status} ${response.headers.get('Content-Type')} ${await response.text()}`);
  }
  return { texts, read };
}

it('answers what every agent asks for as it was prepared, just as it would without, and opens no snapshot for it', async () => {
  const plain = await deployFolder(world.stores, world.repo, 'production', 'test');
  const made = await answers(ASKED);
  expect(made.read).toContain(snapshotBlob(plain.codeId));
  const snapshot = await loadSnapshot(world.stores.blobs, plain.codeId);
  const listings = await prepareListings(snapshot, plain.codeId, world.stores.blobs);
  await world.stores.blobs.put(listingsBlob(plain.codeId), listings);
  const prepared = await answers(ASKED);
  expect(prepared.texts).toEqual(made.texts);
  expect(prepared.read).toEqual([listingsBlob(plain.codeId)]);
  expect(made.texts[1]).toContain('two/lib');
  expect(made.texts[1]).not.toContain('CVS');
});

it('is part of a deploy, which does not fail where the environment cannot be read', async () => {
  const deploy = () => deployFolder(world.stores, world.repo, 'production', 'test', { listings: prepareListings });
  const { codeId } = await deploy();
  expect([...readListings(await world.stores.blobs.get(listingsBlob(codeId))).keys()]).toHaveLength(ASKED.length);
  world.write({ 'environments/production/environment.conf': 'modulepath\n[' });
  const broken = await deploy();
  expect(broken.changed).toBe(true);
  expect(await world.stores.blobs.has(listingsBlob(broken.codeId))).toBe(false);
});

it('leaves everything else to the snapshot', async () => {
  const { codeId } = await deployFolder(world.stores, world.repo, 'production', 'test', {
    listings: prepareListings,
  });
  const asked = [
    `plugins?recurse=true&max_files=-1&links=follow&checksum_type=md5&environment=production`,
    `modules/one?recurse=true&links=manage&environment=production`,
  ];
  const { texts, read } = await answers(asked);
  expect(texts[0]).toContain('{md5}0cc175b9c0f1b6a831c399e269772661');
  expect(read).toContain(snapshotBlob(codeId));
  const refused = await answers([
    'plugins?recurse=true&links=sideways&environment=production',
    'plugins?environment=none',
  ]);
  expect(refused.texts.map((text) => text.slice(0, 3))).toEqual(['500', '404']);
});
