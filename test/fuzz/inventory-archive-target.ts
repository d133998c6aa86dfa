import { buffer } from 'node:stream/consumers';
import { BodyRefused } from '../../shared/http/body/body-kinds.ts';
import { readPart } from '../../shared/http/body/read-part.ts';
import { importArchive } from '../../shared/inventory/archive/import-archive.ts';
import { DamagedArchive, packTar } from '../../shared/util/tar-stream.ts';
import type { FuzzOutcome, FuzzTarget } from './fuzz-target.ts';
import type { SeededChance } from './seeded-chance.ts';

const HASH = 'a'.repeat(40);
const NAMES = [
  ...['puppetdb-bak/export-metadata.json', 'puppetdb-bak/facts/n.json', `puppetdb-bak/catalogs/n-${HASH}.json`],
  ...[`puppetdb-bak/reports/${'n'.repeat(200)}-${HASH}.json`, 'puppetdb-bak/facts/ü.json', 'puppetdb-bak/', '../x', ''],
];
const TEXTS = ['{}', '{"a":1}', '{', '[]', '', '{"command_versions":{"replace_facts":5}}', '{"command_versions":[]}'];
const VERSIONS = '{"command_versions":{"replace_facts":5,"replace_catalog":9,"store_report":8}}';
const BOUNDS = { depth: 50, values: 1000, bytes: 64 * 1024 };
const [START, END] = [
  '--B\r\nContent-Disposition: form-data; name="archive"; filename="x.tgz"\r\n\r\n',
  '\r\n--B--\r\n',
];

async function* listEntries<T>(entries: readonly T[]) {
  yield* entries;
}

/** A form with an archive of PuppetDB, not compressed: mutations reach entries. */
export const INVENTORY_ARCHIVE_TARGET: FuzzTarget = {
  name: 'inventory-archive',
  async generate(chance: SeededChance): Promise<Buffer> {
    const entries = chance.times(5, () => ({ name: chance.of(NAMES), bytes: Buffer.from(chance.of(TEXTS)) }));
    const metadata = { name: 'puppetdb-bak/export-metadata.json', bytes: Buffer.from(VERSIONS) };
    const archive = packTar(listEntries([metadata, ...entries]), () => 0);
    return Buffer.concat([Buffer.from(START), await buffer(archive), Buffer.from(END)]);
  },
  async run(input: Buffer): Promise<FuzzOutcome> {
    let stored = 0;
    const enqueue = async () => {
      stored += 1;
      return [];
    };
    try {
      const options = { queue: { enqueue }, clock: { sleep: async () => undefined }, bounds: BOUNDS };
      const count = await importArchive(readPart(cut(input), 'B', 'archive'), options);
      return count === stored ? 'accepted' : { fault: `it counts ${count} of ${stored} commands` };
    } catch (error) {
      if (error instanceof DamagedArchive || error instanceof BodyRefused) return 'refused';
      throw error;
    }
  },
};

/** Pieces of a length that no block and no boundary has. */
async function* cut(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 337) yield bytes.subarray(at, at + 337);
}
