import { beforeEach, describe, expect, it } from 'vitest';
import { ConsoleFiles } from '../../../../shared/http/console/console-files.ts';
import { forgetAssets, KeptAssets } from '../../../../shared/http/console/kept-assets.ts';
import type { HttpContext } from '../../../../shared/http/endpoint.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';
import { ManualClock, MemoryBlobs } from '../../../helpers/memory-stores.ts';

const assetOf = (text: string, extension = 'js') => {
  const [bytes, hash] = [Buffer.from(text), digestSha256(text)];
  const path = `main-${hash.slice(0, 32)}.${extension}`;
  return { path, bytes, type: `text/${extension}; charset=utf-8`, hash, isImmutable: true };
};
const page = (text: string) => ({ ...assetOf(text, 'html'), path: 'index.html', isImmutable: false });

const [OLD, NEW] = [assetOf('let release = 1;', 'css'), assetOf('let release = 2;', 'css')];
let blobs: MemoryBlobs;
let clock: ManualClock;
beforeEach(() => {
  blobs = new MemoryBlobs();
  clock = new ManualClock();
});

async function ask(files: ConsoleFiles, path: string): Promise<Response> {
  const context = { req: { url: `https://localhost/console/${path}`, header: () => undefined } };
  return files.answer(context as unknown as HttpContext);
}

describe('two servers of which one has the next release', () => {
  it('have the files of both, to be kept for good', async () => {
    for (const [own, other] of [
      [OLD, NEW],
      [NEW, OLD],
    ] as const) {
      await new KeptAssets(blobs, clock).keep([page('other'), other]);
      const kept = new KeptAssets(blobs, clock);
      const files = new ConsoleFiles(
        async () => [page('own'), own],
        (path) => kept.find(path),
      );
      const answers = await Promise.all([ask(files, own.path), ask(files, other.path)]);
      expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(
        [own, other].map(({ bytes }) => `${bytes}`),
      );
      for (const { headers } of answers) {
        expect([headers.get('Content-Type'), headers.get('Cache-Control')]).toEqual([
          'text/css; charset=utf-8',
          'public, max-age=31536000, immutable',
        ]);
      }
      expect(await (await ask(files, 'index.html')).text()).toBe('own');
    }
  });
});

it('forgets the files of releases that are gone', async () => {
  const now = clock.time;
  const entries = [OLD, NEW].map(({ path }, index) => ({
    key: `console/${path}`,
    size: 1,
    putAt: now - index * 91 * 86_400_000,
  }));
  const deleted: string[] = [];
  const store = Object.assign(Object.create(blobs), {
    list: async () => ({ entries, next: null }),
    delete: async (key: string) => void deleted.push(key),
  });
  await forgetAssets({ blobs: store, clock });
  expect(deleted).toEqual([`console/${NEW.path}`]);
});

describe('what the store has for a name', () => {
  it('counts only with the content that the name says', async () => {
    await blobs.put(`console/${OLD.path}`, Buffer.from('steal(document.cookie)'));
    const kept = new KeptAssets(blobs, clock);
    expect(await kept.find(OLD.path)).toBeNull();
    await kept.keep([OLD]);
    expect(await kept.find(OLD.path)).toEqual(OLD);
  });

  it.each(['index.html', 'main-4XKZ2Q7A.js', '../ca/key', `x/${OLD.path}`, OLD.path.replace('css', 'html')])(
    'is not asked for %s',
    async (path) => {
      const asked = { get: async () => expect.fail('asked'), put: async () => {} };
      expect(await new KeptAssets(asked, clock).find(path)).toBeNull();
    },
  );

  it('is asked for 60 names a minute, and once for one that is there', async () => {
    await blobs.put(`console/${OLD.path}`, OLD.bytes);
    let asked = 0;
    const counted = {
      put: async () => {},
      get: async (key: string) => {
        asked += 1;
        return blobs.get(key);
      },
    };
    const kept = new KeptAssets(counted, clock);
    for (let index = 0; index < 3; index += 1) expect(await kept.find(OLD.path)).toEqual(OLD);
    expect(asked).toBe(1);
    for (let index = 0; index < 100; index += 1) expect(await kept.find(assetOf(`guess ${index}`).path)).toBeNull();
    expect(asked).toBe(60);
    expect(await kept.find(OLD.path)).toEqual(OLD);
    clock.time += 60_000;
    await kept.find(assetOf('later').path);
    expect(asked).toBe(61);
  });
});
