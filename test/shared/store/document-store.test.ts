import { beforeAll, expect, it } from 'vitest';
import type { DocumentStore } from '../../../shared/store/ports/document-store.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

describeStores('DocumentStore', (open) => {
  let documents: DocumentStore;
  beforeAll(async () => {
    documents = (await open()).documents;
  });

  it('gives back what was put, by collection and key', async () => {
    await documents.put('reports', 'a', { status: 'changed', metrics: [1, 2.5, null], nested: { yes: true } });
    await documents.put('reports', 'b', { status: 'failed' });
    expect(await documents.get('reports', 'a')).toEqual({
      status: 'changed',
      metrics: [1, 2.5, null],
      nested: { yes: true },
    });
    expect(await documents.get('certificates', 'a')).toBeNull();
  });

  it('creates a key once', async () => {
    const results = await Promise.all([1, 2, 3, 4].map((n) => documents.create('certificates', 'serial', { n })));
    expect(results.filter(Boolean)).toHaveLength(1);
    const winner = results.indexOf(true) + 1;
    expect(await documents.get('certificates', 'serial')).toEqual({ n: winner });
  });

  it('replaces only what is as expected', async () => {
    await documents.put('authority', 'crl', { number: 1, revoked: [] });
    expect(await documents.replace('authority', 'crl', { revoked: [], number: 1 }, { number: 2, revoked: [7] })).toBe(
      true,
    );
    expect(await documents.replace('authority', 'crl', { revoked: [], number: 1 }, { number: 3 })).toBe(false);
    expect(await documents.replace('authority', 'none', {}, { number: 3 })).toBe(false);
    expect(await documents.get('authority', 'crl')).toEqual({ number: 2, revoked: [7] });
  });

  it('counts writes of a document, also those at the same time', async () => {
    await Promise.all([1, 2, 3, 4].map((n) => documents.count('runs', 'a', { n, status: 'unchanged' })));
    await documents.count('runs', 'a', { n: 5 });
    expect(await documents.get('runs', 'a')).toEqual({ n: 5, count: 5 });
    expect(await documents.list('runs', '', 10)).toEqual([{ key: 'a', document: { n: 5, count: 5 } }]);
    await documents.put('runs', 'a', { n: 6 }, 1_800_000_000_000);
    expect(await documents.get('runs', 'a')).toEqual({ n: 6 });
  });

  it('removes only what is as expected', async () => {
    await documents.put('authority', 'gone', { number: 1, revoked: [] });
    expect(await documents.remove('authority', 'gone', { number: 2, revoked: [] })).toBe(false);
    expect(await documents.get('authority', 'gone')).toEqual({ number: 1, revoked: [] });
    expect(await documents.remove('authority', 'gone', { revoked: [], number: 1 })).toBe(true);
    expect(await documents.get('authority', 'gone')).toBeNull();
    expect(await documents.remove('authority', 'gone', { number: 1, revoked: [] })).toBe(false);
  });

  it('lists a prefix in key order, page by page', async () => {
    for (const key of ['n1/3', 'n1/1', 'n1/2', 'n10/1', 'n0/9']) await documents.put('list', key, { key });
    const keys = async (...args: [string, number, string?]) =>
      (await documents.list('list', ...args)).map(({ key }) => key);
    expect(await keys('n1/', 10)).toEqual(['n1/1', 'n1/2', 'n1/3']);
    expect(await keys('n1/', 2)).toEqual(['n1/1', 'n1/2']);
    expect(await keys('n1/', 2, 'n1/2')).toEqual(['n1/3']);
    expect(await keys('n1/', 2, '')).toEqual(['n1/1', 'n1/2']);
    expect(await keys('', 10)).toEqual(['n0/9', 'n1/1', 'n1/2', 'n1/3', 'n10/1']);
    expect((await documents.list('list', 'n0', 1))[0]?.document).toEqual({ key: 'n0/9' });
  });

  it('counts the documents of a collection, and no further than asked', async () => {
    for (const key of ['a', 'b', 'c']) await documents.put('counted', key, { key });
    await documents.put('counted-too', 'd', {});
    const counts = [5, 3, 2, 0].map((most) => documents.countKeys('counted', most));
    expect(await Promise.all(counts)).toEqual([3, 3, 2, 0]);
    expect(await documents.countKeys('never-used', 10)).toBe(0);
  });

  it('deletes, also what is not there', async () => {
    await documents.put('reports', 'gone', {});
    await documents.delete('reports', 'gone');
    await documents.delete('reports', 'gone');
    expect(await documents.get('reports', 'gone')).toBeNull();
  });
});
