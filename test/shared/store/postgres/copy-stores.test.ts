import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyData } from '../../../../shared/cli/commands/copy-command.ts';
import { copyStores } from '../../../../shared/store/copy-stores.ts';
import { EmbeddedDatabase } from '../../../../shared/store/embedded/database.ts';
import { openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import type { BlobStore } from '../../../../shared/store/ports/blob-store.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { openPostgresStores } from '../../../../shared/store/postgres/stores.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';

let folder: string;
let printed: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-copy-'));
  printed = '';
});
afterEach(() => rmSync(folder, { recursive: true }));
const print = async (text: string) => {
  printed += text;
};

async function fill(stores: Stores): Promise<void> {
  for (let number = 0; number < 450; number += 1) {
    await stores.nodes.markSeen(`n${number}.example.com`, 'production', number);
  }
  await stores.queue.send('express', [{ certname: 'n1.example.com', generation: 1, reason: 'Ünïcode \0', at: 1 }]);
  await stores.exports.replaceExports('a', 1, [
    { certname: 'a', type: 'File', title: 'x'.repeat(900), tags: ['web'], parameters: { n: 1 } },
  ]);
  await stores.documents.count('reports', 'a', { text: 'snow ☃' });
  await stores.blobs.put('files/one', Buffer.alloc(1_200_000, 7));
  await stores.blobs.put('reports/two', Buffer.from('two'));
}

describe.skipIf(!canSharePostgres())('data copy', () => {
  it('moves a fleet to a database, and back, without a difference', async () => {
    const [first, last] = [join(folder, 'first'), join(folder, 'last')];
    const source = openEmbeddedStores(first);
    await fill(source);
    source.close();
    const url = await createTestDatabase();
    await copyData(first, url, print);
    expect(printed).toMatch(/^Copied \d+ rows and 2 blobs \(2 MB\) from '.*first' to postgresql:/);
    const shared = await openPostgresStores(url, { directory: folder, connections: 2 });
    expect((await shared.nodes.getCounts()).nodes).toBe(450);
    await shared.queue.send('express', [{ certname: 'n2.example.com', generation: 1, reason: 'new', at: 1 }]);
    expect((await shared.queue.getDepth()).express.visible).toBe(2);
    await shared.close();
    await copyData(url, last, print);
    const back = openEmbeddedStores(last);
    expect(await back.queue.receive(5, 0)).toMatchObject([
      { job: { certname: 'n1.example.com', reason: 'Ünïcode \0' } },
      { job: { certname: 'n2.example.com' } },
    ]);
    expect(await back.documents.get('reports', 'a')).toEqual({ text: 'snow ☃', count: 1 });
    expect(await back.exports.listOwn('a', null)).toMatchObject([{ title: 'x'.repeat(900) }]);
    expect(Buffer.from((await back.blobs.get('files/one')) ?? []).equals(Buffer.alloc(1_200_000, 7))).toBe(true);
    back.close();
  });

  it('names a damaged blob that it leaves out', async () => {
    const source = openEmbeddedStores(join(folder, 'first'));
    await fill(source);
    source.close();
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => /reports\/two/.test(name));
    writeFileSync(join(folder, file ?? ''), 'other');
    await copyData(join(folder, 'first'), await createTestDatabase(), print);
    expect(printed).toMatch(/ and 1 blob \(2 MB\) from /);
    expect(printed).toContain('\nwarning: blob reports/two is damaged and was not copied\n');
  });

  it('says that a part is there when the copy fails', async () => {
    const [first, url] = [openEmbeddedStores(join(folder, 'first')), await createTestDatabase()];
    await fill(first);
    const stores = await openPostgresStores(url, { directory: folder, connections: 2, isCommand: true });
    const { database } = stores;
    const from = { database: new EmbeddedDatabase(join(folder, 'first')), blobs: first.blobs, name: 'first' };
    const copyTo = (blobs: Pick<BlobStore, 'put' | 'get'>) =>
      copyStores(from, { database, blobs: Object.assign(Object.create(stores.blobs), blobs), name: 'last' });
    const wrong = { put: async () => {}, get: async () => Buffer.from('other') };
    await expect(copyTo(wrong)).rejects.toThrow(
      'blob files/one of last is not what was written; last has a part of the copy: empty it before the next try',
    );
    await expect(copyTo(wrong)).rejects.toThrow(/^last is not empty: table nodes has rows$/);
    from.database.close();
    first.close();
    await stores.close();
  });

  it('refuses a target that has something, and a source that is in use', async () => {
    const source = openEmbeddedStores(join(folder, 'first'));
    await fill(source);
    const url = await createTestDatabase();
    source.serveAlone();
    await expect(copyData(join(folder, 'first'), url, print)).rejects.toThrow('is already served by another process');
    source.close();
    await copyData(join(folder, 'first'), url, print);
    await expect(copyData(join(folder, 'first'), url, print)).rejects.toThrow('is not empty: table nodes has rows');
    await expect(copyData(url, join(folder, 'first'), print)).rejects.toThrow('is a data directory already');
    await expect(copyData(join(folder, 'none'), url, print)).rejects.toThrow('it has no understudy.db');
  });
});
