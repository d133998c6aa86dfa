import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { InvalidArchive, storeUploadedCode } from '../../shared/fleet/code/uploaded-code.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { MemoryBlobs } from '../helpers/memory-stores.ts';
import type { FuzzOutcome, FuzzTarget } from './fuzz-target.ts';
import type { SeededChance } from './seeded-chance.ts';

const NAMES = [
  ...['manifests/site.pp', 'manifests/', 'modules/m/manifests/init.pp', './manifests/a.pp', 'environment.conf', 'data'],
  ...[
    '../secret',
    '../../secret',
    '/etc/passwd',
    'manifests/../../secret',
    'a'.repeat(300),
    'link',
    'link/site.pp',
    '',
  ],
];
const TARGETS = ['../secret', '../../secret', '/etc/passwd', 'manifests', '.', '..', 'link', 'manifests/site.pp', ''];
/** File, hard link, link, device, folder, fifo, extended headers, long names. */
const KINDS = ['0', '0', '0', '1', '2', '2', '3', '5', '5', '6', 'x', 'g', 'L', 'K', '\0'];
const SECRET = 'nothing may write here';
const BLOCK = 512;

/** An archive that is unpacked in a folder with a file that nothing may change. */
export class ArchiveTarget implements FuzzTarget {
  readonly name = 'archive';
  readonly #folder = mkdtempSync(join(tmpdir(), 'understudy-fuzz-'));
  readonly #stores = openEmbeddedStores(join(this.#folder, 'data'));
  readonly #work = join(this.#folder, 'work');
  readonly #secret = join(this.#folder, 'secret');

  constructor() {
    mkdirSync(this.#work);
    writeFileSync(this.#secret, SECRET);
  }

  close(): void {
    this.#stores.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** The tar archive; it is compressed when it runs, so that mutations reach the entries. */
  generate(chance: SeededChance): Buffer {
    const entries = chance.times(6, () => makeEntry(chance));
    return Buffer.concat([makeFile('manifests/site.pp', 'notice(1)\n'), ...entries, Buffer.alloc(2 * BLOCK)]);
  }

  async run(input: Buffer): Promise<FuzzOutcome> {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = this.#work;
    const outcome = await this.#stage(gzipSync(input, { level: 1 }));
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    if (readFileSync(this.#secret, 'utf8') !== SECRET) return { fault: 'it wrote outside of its folder' };
    const left = readdirSync(this.#work);
    if (left.length > 0) return { fault: `it left ${left.join(', ')} behind` };
    const others = readdirSync(this.#folder).filter((name) => !['data', 'work', 'secret'].includes(name));
    return others.length > 0 ? { fault: `it wrote ${others.join(', ')} outside of its folder` } : outcome;
  }

  async #stage(body: Buffer): Promise<FuzzOutcome> {
    const archive = new Blob([Uint8Array.from(body)]).stream();
    try {
      const ports = { ...this.#stores, blobs: new MemoryBlobs() };
      await storeUploadedCode(ports, 'production', archive, 'fuzz', {}, { allowEmpty: true });
      return 'accepted';
    } catch (error) {
      if (error instanceof InvalidArchive) return 'refused';
      throw error;
    }
  }
}

function makeEntry(chance: SeededChance): Buffer {
  const name = chance.of(NAMES);
  const kind = chance.of(KINDS);
  const content = chance.of([
    '',
    'notice(1)\n',
    'x'.repeat(600),
    '30 path=../../secret\n',
    '28 linkpath=../../secret\n',
  ]);
  const size = chance.often(0.05) ? '77777777777' : content.length.toString(8).padStart(11, '0');
  return makeFile(name, content, {
    kind,
    link: chance.of(TARGETS),
    size,
    mode: chance.of(['0000644', '0004755', '0000000']),
  });
}

interface EntryFields {
  readonly kind?: string;
  readonly link?: string;
  readonly size?: string;
  readonly mode?: string;
}

/** One entry in ustar form, with a right checksum. */
function makeFile(
  name: string,
  content: string,
  { kind = '0', link = '', size, mode = '0000644' }: EntryFields = {},
): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name.slice(0, 100), 0, 'latin1');
  header.write(`${mode}\0`, 100);
  header.write(`${size ?? content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write(kind, 156, 'latin1');
  header.write(kind === '0' ? '' : link, 157);
  header.write('ustar\x0000', 257);
  header.write('        ', 148);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}
