import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CollectorRecord, ExportedResource } from '../../../shared/puppet/catalog/exported.ts';
import { exportsDigest } from '../../../shared/store/exports-digest.ts';
import type { ExportStore } from '../../../shared/store/ports/export-store.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

describeStores('ExportStore', (open) => {
  let exports: ExportStore;
  let type: string;
  let count = 0;
  beforeAll(async () => {
    exports = (await open()).exports;
  });
  beforeEach(async () => {
    count += 1;
    type = `Type${count}`;
    await exports.delete('a');
    await exports.delete('b');
  });

  const resource = (certname: string, title: string, parameters: Record<string, unknown> = {}): ExportedResource => ({
    certname,
    type,
    title,
    tags: ['class', title],
    parameters,
  });
  const collector = (certname: string, query: unknown): CollectorRecord => ({ certname, type, query });
  const titles = async (except = '') =>
    (await exports.exportsOf([type], except)).map((one) => `${one.certname} ${one.title}`);

  describe('exports', () => {
    it('gives back what was exported, ordered, without the exporter itself', async () => {
      const rich = { mode: '0644', list: [1, 2.5, null], nested: { a: true }, __ptype: 'x' };
      await exports.replaceExports('b', 1, [resource('b', 'two'), resource('b', 'one', rich)]);
      await exports.replaceExports('a', 1, [resource('a', 'three')]);
      expect(await exports.exportsOf([type], 'c')).toEqual([
        resource('a', 'three'),
        resource('b', 'one', rich),
        resource('b', 'two'),
      ]);
      expect(await titles('b')).toEqual(['a three']);
      expect(await exports.exportsOf([], 'c')).toEqual([]);
      expect(await exports.exportsOf([`${type}x`], 'c')).toEqual([]);
    });

    it('keeps nodes apart whatever their names have in them', async () => {
      await exports.replaceExports('a', 1, [resource('a', 'b#c'), resource('a', '23b#c')]);
      await exports.replaceExports('a#b', 9, [resource('a#b', 'c')]);
      await exports.replaceExports('a%23b', 9, [resource('a%23b', 'c')]);
      expect(await titles()).toEqual(['a 23b#c', 'a b#c', 'a#b c', 'a%23b c']);
      for (const certname of ['a#b', 'a%23b']) await exports.delete(certname);
      expect(await titles()).toEqual(['a 23b#c', 'a b#c']);
    });

    it('replaces as a whole: changes, adds and removes', async () => {
      await exports.replaceExports('a', 1, [
        resource('a', 'kept'),
        resource('a', 'changed', { v: 1 }),
        resource('a', 'gone'),
      ]);
      expect(
        await exports.replaceExports('a', 2, [
          resource('a', 'kept'),
          resource('a', 'changed', { v: 2 }),
          resource('a', 'new'),
        ]),
      ).toBe(true);
      expect(await titles()).toEqual(['a changed', 'a kept', 'a new']);
      expect((await exports.exportsOf([type], ''))[0]?.parameters).toEqual({ v: 2 });
      expect(await exports.replaceExports('a', 3, [])).toBe(true);
      expect(await titles()).toEqual([]);
    });

    it('keeps a newer generation from an older compile', async () => {
      await exports.replaceExports('a', 5, [resource('a', 'new')]);
      expect(await exports.replaceExports('a', 4, [resource('a', 'old')])).toBe(false);
      expect(await exports.replaceExports('a', 5, [resource('a', 'again')])).toBe(true);
      expect(await titles()).toEqual(['a again']);
    });

    it('ends with the newest of several replacements at the same time', async () => {
      const generations = [3, 1, 5, 2, 4];
      await Promise.allSettled(
        generations.map((generation) =>
          exports.replaceExports('a', generation, [
            resource('a', `only ${generation}`),
            resource('a', 'shared', { generation }),
          ]),
        ),
      );
      expect(await titles()).toEqual(['a only 5', 'a shared']);
      expect((await exports.exportsOf([type], ''))[1]?.parameters).toEqual({ generation: 5 });
    });

    it('tells the digest of what a node exports', async () => {
      expect(await exports.getDigest(`nobody${type}`)).toBe(exportsDigest([]));
      const node = `node${type}`;
      const all = [resource(node, 'x', { v: 1 }), resource(node, 'y')];
      await exports.replaceExports(node, 1, all);
      expect(await exports.getDigest(node)).toBe(exportsDigest(all.toReversed()));
      await exports.replaceExports(node, 2, all.slice(0, 1));
      expect(await exports.getDigest(node)).toBe(exportsDigest(all.slice(0, 1)));
    });

    it('takes long titles and many resources', async () => {
      const node = `many${type}`;
      const long = Array.from({ length: 300 }, (_, index) =>
        resource(node, `${'/very/long/path'.repeat(70)}/${index}`),
      );
      await exports.replaceExports(node, 1, long);
      expect(await titles()).toHaveLength(300);
    });
  });

  describe('collectors', () => {
    it('gives back the collectors of a type, each query once', async () => {
      const query = [['tag', '==', 'web'], 'and', ['port', '!=', 80]];
      await exports.replaceCollectors('a', 1, [collector('a', query), collector('a', query), collector('a', null)]);
      await exports.replaceCollectors('b', 1, [collector('b', query)]);
      const found = await exports.collectorsOf(type);
      expect(found).toHaveLength(3);
      expect(found).toEqual(
        expect.arrayContaining([collector('a', query), collector('a', null), collector('b', query)]),
      );
      expect(await exports.collectorsOf(`${type}x`)).toEqual([]);
    });

    it('replaces as a whole, newest generation', async () => {
      await exports.replaceCollectors('a', 2, [collector('a', null)]);
      expect(await exports.replaceCollectors('a', 2, [collector('a', ['title', '==', 'x'])])).toBe(true);
      expect(await exports.replaceCollectors('a', 1, [])).toBe(false);
      expect(await exports.collectorsOf(type)).toEqual([collector('a', ['title', '==', 'x'])]);
    });
  });

  it('withdraws what a node gives and takes', async () => {
    await exports.replaceExports('a', 1, [resource('a', 'x')]);
    await exports.replaceCollectors('a', 1, [collector('a', null)]);
    await exports.delete('a');
    expect(await titles()).toEqual([]);
    expect(await exports.collectorsOf(type)).toEqual([]);
    expect(await exports.replaceExports('a', 1, [resource('a', 'again')])).toBe(true);
  });
});
