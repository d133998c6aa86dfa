import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CollectorRecord, ExportedResource } from '../../../shared/puppet/catalog/exported.ts';
import { digestCollected, digestExports } from '../../../shared/store/exports-digest.ts';
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
  const all = (except = '') => exports.collect([{ type, query: null }], except);
  const titles = async (except = '', query: unknown = null) =>
    (await exports.collect([{ type, query }], except)).map((one) => `${one.certname} ${one.title}`);
  const raise = (...certnames: readonly string[]) =>
    exports.noteChanges(certnames.map((certname) => ({ before: null, after: resource(certname, 'any') })));
  /** Replaces exports, and raises the versions of their shards as the receiver of changes does. */
  const replace = async (certname: string, generation: number, resources: readonly ExportedResource[]) => {
    const isReplaced = await exports.replaceExports(certname, generation, resources);
    await raise(certname);
    return isReplaced;
  };
  const listed = async (of: string, ...keys: readonly string[]) => {
    const found: CollectorRecord[] = [];
    for (let after: string | null = null, isLast = false; !isLast; isLast = after === null) {
      const page = await exports.listCollectors(of, keys, after);
      found.push(...page.collectors.map(({ certname, type, query }) => ({ certname, type, query })));
      after = page.next;
    }
    return found;
  };

  describe('exports', () => {
    it('gives back what was exported, ordered, without the exporter itself', async () => {
      const rich = { mode: '0644', list: [1, 2.5, null], nested: { a: true }, __ptype: 'x' };
      await replace('b', 1, [resource('b', 'two'), resource('b', 'one', rich)]);
      await replace('a', 1, [resource('a', 'three')]);
      expect(await all('c')).toEqual([resource('a', 'three'), resource('b', 'one', rich), resource('b', 'two')]);
      expect(await titles('b')).toEqual(['a three']);
      expect(await exports.collect([], 'c')).toEqual([]);
      expect(await exports.collect([{ type: `${type}x`, query: null }], 'c')).toEqual([]);
    });

    it('lists what one node exports of some types', async () => {
      await replace('a', 1, [resource('a', 'one'), { ...resource('a', 'two'), type: `${type}x` }]);
      await replace('b', 1, [resource('b', 'one')]);
      expect(await exports.listOwn('a', [type])).toEqual([resource('a', 'one')]);
      expect(await exports.listOwn('a', [`${type}x`, `${type}y`])).toMatchObject([{ title: 'two' }]);
      expect(await exports.listOwn('a', [])).toEqual([]);
      const all = (await exports.listOwn('a', null)).map(({ type: own, title }) => `${own} ${title}`);
      expect(all).toEqual(expect.arrayContaining([`${type} one`, `${type}x two`]));
      expect(await exports.listOwn('nobody', null)).toEqual([]);
      expect(await exports.listOwn('c', [type])).toEqual([]);
    });

    it('keeps nodes apart whatever their names have in them', async () => {
      await replace('a', 1, [resource('a', 'b#c'), resource('a', '23b#c')]);
      await replace('a#b', 9, [resource('a#b', 'c')]);
      await replace('a%23b', 9, [resource('a%23b', 'c')]);
      expect(await titles()).toEqual(['a 23b#c', 'a b#c', 'a#b c', 'a%23b c']);
      for (const certname of ['a#b', 'a%23b']) await exports.delete(certname);
      await raise('a#b', 'a%23b');
      expect(await titles()).toEqual(['a 23b#c', 'a b#c']);
    });

    it('replaces as a whole: changes, adds and removes', async () => {
      await replace('a', 1, [resource('a', 'kept'), resource('a', 'changed', { v: 1 }), resource('a', 'gone')]);
      expect(
        await replace('a', 2, [resource('a', 'kept'), resource('a', 'changed', { v: 2 }), resource('a', 'new')]),
      ).toBe(true);
      expect(await titles()).toEqual(['a changed', 'a kept', 'a new']);
      expect((await all())[0]?.parameters).toEqual({ v: 2 });
      expect(await replace('a', 3, [])).toBe(true);
      expect(await titles()).toEqual([]);
    });

    it('keeps a newer generation from an older compile', async () => {
      await replace('a', 5, [resource('a', 'new')]);
      expect(await replace('a', 4, [resource('a', 'old')])).toBe(false);
      expect(await replace('a', 5, [resource('a', 'again')])).toBe(true);
      expect(await titles()).toEqual(['a again']);
    });

    it('ends with the newest of several replacements at the same time', async () => {
      const generations = [3, 1, 5, 2, 4];
      await Promise.allSettled(
        generations.map((generation) =>
          replace('a', generation, [resource('a', `only ${generation}`), resource('a', 'shared', { generation })]),
        ),
      );
      expect(await titles()).toEqual(['a only 5', 'a shared']);
      expect((await all())[1]?.parameters).toEqual({ generation: 5 });
    });

    it('tells the digest of what a node exports', async () => {
      expect(await exports.getDigest(`nobody${type}`)).toBe(digestExports([]));
      const node = `node${type}`;
      const own = [resource(node, 'x', { v: 1 }), resource(node, 'y')];
      await replace(node, 1, own);
      expect(await exports.getDigest(node)).toBe(digestExports(own.toReversed()));
      await replace(node, 2, own.slice(0, 1));
      expect(await exports.getDigest(node)).toBe(digestExports(own.slice(0, 1)));
    });

    it('takes long titles and many resources', async () => {
      const node = `many${type}`;
      const long = Array.from({ length: 300 }, (_, index) =>
        resource(node, `${'/very/long/path'.repeat(70)}/${index}`),
      );
      await replace(node, 1, long);
      expect(await titles()).toHaveLength(300);
    });
  });

  describe('queries', () => {
    const tag = (value: string) => ['tag', '==', value];
    const title = (value: string) => ['title', '==', value];

    beforeEach(async () => {
      await replace('a', 1, [resource('a', 'x', { port: 80 }), resource('a', 'y', { port: 81 })]);
      await replace('b', 1, [resource('b', 'x', { port: 80 }), resource('b', 'Web', { port: 80 })]);
    });

    it.each<[unknown, readonly string[]]>([
      [tag('x'), ['a x', 'b x']],
      [tag('class'), ['a x', 'a y', 'b Web', 'b x']],
      [tag('WEB'), ['b Web']],
      [title('x'), ['a x', 'b x']],
      [title('web'), []],
      [[tag('class'), 'and', title('y')], ['a y']],
      [
        [tag('class'), 'and', ['port', '==', 80]],
        ['a x', 'b Web', 'b x'],
      ],
      [
        [tag('y'), 'or', title('x')],
        ['a x', 'a y', 'b x'],
      ],
      [
        [title('y'), 'or', title('Web')],
        ['a y', 'b Web'],
      ],
      [['port', '!=', 80], ['a y']],
      [
        ['tag', '!=', 'y'],
        ['a x', 'b Web', 'b x'],
      ],
    ])('%j', async (query, found) => {
      expect(await titles('', query)).toEqual(found);
      const queries = [{ type, query }];
      for (const except of ['', 'a']) {
        const others = (await all(except)).filter((one) => found.includes(`${one.certname} ${one.title}`));
        expect(await exports.digestCollected(queries, except)).toBe(digestCollected(queries, others));
      }
    });

    it('are answered together, each resource once, of several types in order', async () => {
      const other = `${type}Other`;
      const own = { ...resource('a', 'z'), type: other };
      await exports.replaceExports('a', 2, [resource('a', 'x'), own]);
      await exports.noteChanges([{ before: null, after: own }]);
      await raise('a');
      const queries = [
        { type: other, query: null },
        { type, query: tag('x') },
        { type, query: title('x') },
      ];
      const found = await exports.collect(queries, '');
      expect(found.map((one) => [one.certname, one.type, one.title])).toEqual([
        ['a', type, 'x'],
        ['a', other, 'z'],
        ['b', type, 'x'],
      ]);
    });

    it('have a digest that changes with what they find, and with nothing else', async () => {
      const queries = [{ type, query: tag('x') }];
      const first = await exports.digestCollected(queries, 'c');
      await replace('a', 2, [resource('a', 'x', { port: 80 })]);
      expect(await exports.digestCollected(queries, 'c')).toBe(first);
      await replace('a', 3, [resource('a', 'x', { port: 90 })]);
      const second = await exports.digestCollected(queries, 'c');
      expect(second).not.toBe(first);
      expect(await exports.digestCollected(queries, 'a')).not.toBe(second);
      await replace('a', 4, [resource('a', 'x', { port: 80 })]);
      expect(await exports.digestCollected(queries, 'c')).toBe(first);
      await replace('a', 5, []);
      expect(await exports.digestCollected(queries, 'c')).toBe(await exports.digestCollected(queries, 'a'));
    });

    it('find a resource by its new tags only, once they changed', async () => {
      const tagged = (...tags: readonly string[]) => ({ ...resource('a', 'x'), tags });
      await replace('a', 2, [tagged('kept', 'gone')]);
      expect(await titles('', tag('gone'))).toEqual(['a x']);
      await replace('a', 3, [tagged('kept', 'new')]);
      expect(await titles('', tag('gone'))).toEqual([]);
      expect(await titles('', tag('new'))).toEqual(['a x']);
      expect(await titles('', tag('kept'))).toEqual(['a x']);
      await exports.delete('a');
      await raise('a');
      expect(await titles('', tag('kept'))).toEqual([]);
    });

    it('read many exports in pages', async () => {
      const many = Array.from({ length: 1005 }, (_, index) => ({
        ...resource('a', `t${String(index).padStart(4, '0')}`),
        tags: ['class'],
      }));
      await replace('a', 2, many);
      const found = await exports.collect([{ type, query: tag('class') }], 'b');
      expect(found.map((one) => one.title)).toEqual(many.map((one) => one.title));
    });
  });

  describe('collectors', () => {
    it('gives back the collectors of a type, each query once', async () => {
      const query = [['tag', '==', 'web'], 'and', ['port', '!=', 80]];
      await exports.replaceCollectors('a', 1, [collector('a', query), collector('a', query), collector('a', null)]);
      await exports.replaceCollectors('b', 1, [collector('b', query)]);
      const found = await listed(type, 'tag=web');
      expect(found).toHaveLength(3);
      expect(found).toEqual(
        expect.arrayContaining([collector('a', query), collector('a', null), collector('b', query)]),
      );
      expect(await listed(type, 'tag=db')).toEqual([collector('a', null)]);
      expect(await listed(`${type}x`, 'tag=web')).toEqual([]);
    });

    it('replaces as a whole, newest generation', async () => {
      await exports.replaceCollectors('a', 2, [collector('a', null)]);
      expect(await exports.replaceCollectors('a', 2, [collector('a', ['title', '==', 'x'])])).toBe(true);
      expect(await exports.replaceCollectors('a', 1, [])).toBe(false);
      expect(await listed(type, 'title=x')).toEqual([collector('a', ['title', '==', 'x'])]);
      expect(await listed(type, 'title=y')).toEqual([]);
    });
  });

  it('withdraws what a node gives and takes', async () => {
    await replace('a', 1, [resource('a', 'x')]);
    await exports.replaceCollectors('a', 1, [collector('a', null)]);
    await exports.delete('a');
    await raise('a');
    expect(await titles()).toEqual([]);
    expect(await listed(type)).toEqual([]);
    expect(await replace('a', 1, [resource('a', 'again')])).toBe(true);
  });
});
