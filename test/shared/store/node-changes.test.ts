import { expect, it } from 'vitest';
import type { NodeChange } from '../../../shared/store/ports/node-changes.ts';
import type { CatalogPointer } from '../../../shared/store/ports/node-record.ts';
import { NO_INPUTS } from '../../helpers/no-inputs.ts';
import { describeStores, type OpenedStores } from '../../helpers/store-implementations.ts';

const facts = (digest: string, at: number) => ({ digest, at });
const catalog = (hash: string, compiledAt: number): CatalogPointer => {
  return { hash, codeId: 'code', namedCode: [], compiledAt, durationMs: 1, exported: '' };
};
const failure = { message: 'Evaluation Error', at: 7, codeId: 'code' };

describeStores('changes of nodes', (open) => {
  /** New stores whose changes are followed. */
  const follow = async (): Promise<OpenedStores> => {
    const stores = await open();
    await stores.takeChanges();
    return stores;
  };
  /** Without their times, which the store chooses. */
  const take = async (stores: OpenedStores) =>
    (await stores.takeChanges()).map(({ at: _, ...rest }: NodeChange) => rest);

  it('tell what each write did to a node, once', async () => {
    const stores = await follow();
    const { nodes } = stores;
    const certname = 'a.test';
    const commit = { certname, catalog: null, failure: null, inputs: NO_INPUTS, at: 5 };

    await nodes.markSeen(certname, 'production', 1);
    expect(await take(stores)).toEqual([{ certname, kind: 'created' }]);
    await nodes.want(certname, 'facts', 2, { asked: true, facts: facts('f1', 2) });
    expect(await take(stores)).toEqual([{ certname, kind: 'facts', before: null, after: facts('f1', 2) }]);
    await nodes.commit({ ...commit, generation: 1, catalog: catalog('h1', 5) });
    expect(await take(stores)).toEqual([{ certname, kind: 'catalog', before: null, after: catalog('h1', 5) }]);
    await nodes.factsStored(certname, facts('f1', 6));
    expect(await take(stores)).toEqual([{ certname, kind: 'facts', before: facts('f1', 2), after: facts('f1', 6) }]);
    await nodes.want(certname, 'x', 6, { asked: true });
    await nodes.commit({ ...commit, generation: 2, failure });
    expect(await take(stores)).toEqual([{ certname, kind: 'failure', before: null, after: failure }]);
    await nodes.want(certname, 'x', 8, { asked: true });
    await nodes.commit({ ...commit, generation: 3, catalog: catalog('h1', 9) });
    expect(await take(stores)).toEqual([
      { certname, kind: 'catalog', before: catalog('h1', 5), after: catalog('h1', 9) },
      { certname, kind: 'failure', before: failure, after: null },
    ]);
    await nodes.delete(certname);
    expect(await take(stores)).toEqual([{ certname, kind: 'removed' }]);
    expect(await take(stores)).toEqual([]);
  });

  it('leave out everything else that is written of a node', async () => {
    const stores = await open();
    const { nodes } = stores;
    const certname = 'a.test';
    await nodes.markSeen(certname, 'production', 1);
    await stores.takeChanges();
    await nodes.markSeen(certname, 'production', 2);
    await nodes.want(certname, 'x', 3, { asked: true });
    await nodes.ask(certname, 1, 3, 0, true);
    await nodes.lease(certname, 4, 9, 'job');
    await nodes.finishRound(certname, 9);
    await nodes.markVerified(certname, 1, 5);
    await nodes.classify(certname, { classes: ['a'], parameters: {}, environment: null }, 'x', 6);
    expect(
      await nodes.commit({
        certname,
        generation: 1,
        catalog: catalog('h', 1),
        failure: null,
        inputs: NO_INPUTS,
        at: 5,
      }),
    ).toBe(false);
    await nodes.factsStored('unknown.test', facts('f', 1));
    await nodes.delete('unknown.test');
    expect(await take(stores)).toEqual([]);
  });

  it('tell reports with their documents, and no other document', async () => {
    const stores = await follow();
    const { documents } = stores;
    const document = { certname: 'a.test', status: 'changed' };
    await documents.put('reports/a.test', '1', document);
    await documents.put('report-index/changed/3', '1-a.test', document);
    await documents.put('reports', 'a.test/1', document);
    expect(await take(stores)).toEqual([{ certname: 'a.test', kind: 'report', document }]);
    await documents.count('unchanged-runs/3', 'a.test', document);
    expect(await take(stores)).toEqual([{ certname: 'a.test', kind: 'report', document }]);
    await documents.count('unchanged-runs/3', 'a.test', { ...document, status: 'unchanged' });
    expect(await take(stores)).toMatchObject([{ document: { status: 'unchanged' } }]);
    await documents.delete('reports/a.test', '1');
    expect(await take(stores)).toEqual([]);
  });
});
