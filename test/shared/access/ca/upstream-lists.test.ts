import { expect, it } from 'vitest';
import { pruneRevocations } from '../../../../shared/access/ca/revocation-store.ts';
import { UpstreamListStore } from '../../../../shared/access/ca/upstream-lists.ts';
import type { DocumentStore } from '../../../../shared/store/ports/document-store.ts';
import { SeededChance } from '../../../fuzz/seeded-chance.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'];

/** A text that does not pack well, as lists of serial numbers. */
function listsOf(characters: number, seed: number): string {
  const chance = new SeededChance(seed);
  return Array.from({ length: characters }, () => chance.of(LETTERS)).join('');
}

async function keys(documents: DocumentStore): Promise<string[]> {
  return (await documents.list('ca', 'upstream-lists', 100)).map(({ key }) => key);
}

const MODIFIED = 'Sun, 22 Nov 2026 12:00:00 GMT';

describeStores('UpstreamListStore', (open) => {
  it('keeps lists of any length, and writes them when they change only', async () => {
    const { documents } = await open();
    const store = new UpstreamListStore(documents);
    const pem = listsOf(1_500_000, 1);
    const first = await store.write({ pem, modified: MODIFIED, checkedAt: 1 }, null);
    const names = await keys(documents);
    expect(names.length).toBeGreaterThan(3);
    expect(await new UpstreamListStore(documents).read()).toEqual(first);
    const second = await store.write({ pem, modified: MODIFIED, checkedAt: 2 }, first);
    expect([await store.read(), await keys(documents)]).toEqual([second, names]);
    expect(second).toMatchObject({ pem, checkedAt: 2 });
    const third = await store.write({ pem: 'short', modified: null, checkedAt: 3 }, second);
    expect(await store.read()).toEqual(third);
    expect(await keys(documents)).toEqual(['upstream-lists', `upstream-lists/${third.head.id}/0`]);
  });

  it('has what was seen last by whichever front door, and no parts of others', async () => {
    const { documents } = await open();
    const [here, there] = [new UpstreamListStore(documents), new UpstreamListStore(documents)];
    const old = await here.write({ pem: 'old', modified: null, checkedAt: 1 }, null);
    const later = await there.write({ pem: 'later', modified: null, checkedAt: 3 }, old);
    expect(await here.write({ pem: 'old', modified: null, checkedAt: 2 }, old)).toEqual(later);
    expect(await here.write({ pem: 'new', modified: null, checkedAt: 2 }, old)).toEqual(later);
    expect(await here.write({ pem: 'new', modified: null, checkedAt: 4 }, old)).toMatchObject({ pem: 'new' });
    const all = await Promise.all(
      [5, 6, 7, 8].map((checkedAt) =>
        new UpstreamListStore(documents).write({ pem: `at ${checkedAt}`, modified: null, checkedAt }, null),
      ),
    );
    expect(all.map(({ checkedAt }) => checkedAt).at(-1)).toBe(8);
    expect(await here.read()).toMatchObject({ pem: 'at 8', checkedAt: 8 });
    expect(await keys(documents)).toHaveLength(2);
  });

  it('has nothing when a part is lost: lists can be fetched again', async () => {
    const { documents } = await open();
    const store = new UpstreamListStore(documents);
    expect(await store.read()).toBeNull();
    const { head } = await store.write({ pem: 'a', modified: null, checkedAt: 1 }, null);
    await documents.delete('ca', `upstream-lists/${head.id}/0`);
    expect(await store.read()).toBeNull();
    expect(await store.write({ pem: 'a', modified: null, checkedAt: 2 }, null)).toMatchObject({ pem: 'a' });
    expect(await store.read()).toMatchObject({ pem: 'a', checkedAt: 2 });
  });

  it('loses parts that belong to no lists in force', async () => {
    const { documents } = await open();
    const store = new UpstreamListStore(documents);
    const { head } = await store.write({ pem: 'a', modified: null, checkedAt: 5 }, null);
    for (const id of ['4-aa', '6-bb']) await documents.put('ca', `upstream-lists/${id}/0`, { text: '' });
    expect(await pruneRevocations(documents)).toBe(1);
    const left = ['upstream-lists', `upstream-lists/${head.id}/0`, 'upstream-lists/6-bb/0'];
    expect(await keys(documents)).toEqual(left.sort());
  });
});
