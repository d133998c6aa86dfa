import { expect, it } from 'vitest';
import { AccessRefused } from '../../../../shared/access/accounts/access-control.ts';
import { type QueryScope, SavedQueries } from '../../../../shared/access/accounts/saved-queries.ts';
import { openAccessWorld } from '../../../helpers/access-world.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

const ANN = { id: 'a', login: 'ann' };
const BOB = { id: 'b', login: 'bob' };
const NAME_RULE = 'A name has 1 to 80 characters, no blank at its ends, no slash and no control character';
const FULL = 'Saved queries have no more than 250000 bytes together: delete one first';

function makeQuery(name: string, by = ANN, query = 'nodes { }') {
  return { name, query, at: 1, by };
}

describeStores('saved queries', (open) => {
  const openQueries = async () => new SavedQueries((await open()).documents);

  it('are listed by name, those of a user apart from those of all', async () => {
    const saved = await openQueries();
    await saved.put('own', makeQuery('web'));
    await saved.put('own', makeQuery('db'));
    await saved.put('own', makeQuery('db', BOB));
    await saved.put('shared', makeQuery('all', BOB));
    const names = async (id: string) => {
      const { own, shared } = await saved.list(id);
      return [own.map(({ name }) => name), shared.map(({ name }) => name)];
    };
    expect(await names('a')).toEqual([['db', 'web'], ['all']]);
    expect(await names('b')).toEqual([['db'], ['all']]);
    expect(await names('c')).toEqual([[], ['all']]);
    expect(await saved.findShared('all')).toEqual(makeQuery('all', BOB));
    expect(await saved.findShared('web')).toBeNull();
  });

  it('replace one of the same name, and go one by one', async () => {
    const saved = await openQueries();
    await saved.put('own', makeQuery('web'));
    await saved.put('own', makeQuery('web', ANN, 'facts { }'));
    expect((await saved.list('a')).own).toEqual([makeQuery('web', ANN, 'facts { }')]);
    expect(await saved.remove('own', 'b', 'web')).toBe(false);
    expect(await saved.remove('own', 'a', 'web')).toBe(true);
    expect(await saved.remove('own', 'a', 'web')).toBe(false);
    expect((await saved.list('a')).own).toEqual([]);
  });

  it('keep their number when many are saved at once', async () => {
    const saved = await openQueries();
    for (let n = 0; n < 98; n += 1) await saved.put('shared', makeQuery(`q${n}`));
    const results = await Promise.allSettled(['x', 'y', 'z'].map((name) => saved.put('shared', makeQuery(name))));
    expect(results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toEqual([
      new AccessRefused('schema-violation', 'No more than 100 queries are kept: delete one first'),
    ]);
    expect((await saved.list('a')).shared).toHaveLength(100);
    await saved.put('shared', makeQuery('q1', BOB));
  });

  it('go with their user', async () => {
    const { documents } = await open();
    const saved = new SavedQueries(documents);
    const { access, addUser } = openAccessWorld({}, documents);
    const user = await addUser('amari');
    await saved.put('own', makeQuery('web', user));
    await access.accounts.delete(user);
    expect((await saved.list(user.id)).own).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['no name', '', NAME_RULE],
    ['a blank at an end', 'web ', NAME_RULE],
    ['81 characters', 'x'.repeat(81), NAME_RULE],
    ['a line feed', 'a\nb', NAME_RULE],
    ['a slash', 'a/b', NAME_RULE],
    ['a backslash', 'a\\b', NAME_RULE],
    ['the name of a folder', '..', NAME_RULE],
  ])('refuse %s', async (_, name, message) => {
    const saved = await openQueries();
    await expect(saved.put('own', makeQuery(name))).rejects.toEqual(new AccessRefused('schema-violation', message));
  });

  it.each<[QueryScope]>([['own'], ['shared']])('%s, refuse more text than a document takes', async (scope) => {
    const saved = await openQueries();
    const wide = '€'.repeat(7_900);
    for (let n = 0; n < 10; n += 1) await saved.put(scope, makeQuery(`q${n}`, ANN, wide));
    await expect(saved.put(scope, makeQuery('last', ANN, wide))).rejects.toEqual(
      new AccessRefused('schema-violation', FULL),
    );
    for (const query of [' ', 'x'.repeat(8_001)]) {
      await expect(saved.put(scope, makeQuery('odd', ANN, query))).rejects.toEqual(
        new AccessRefused('schema-violation', 'A saved query has 1 to 8000 characters'),
      );
    }
  });
});
