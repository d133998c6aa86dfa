import { catalogBlob, putCatalog } from '../../shared/fleet/catalogs/catalog-blob.ts';
import { storeFacts } from '../../shared/fleet/facts/facts-blob.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { deployFiles, type TestServices } from './http-services.ts';

/** A file of the environment. */
export const SITE = 'environments/production/manifests/site.pp';

/** An environment with a state before the one in force. */
export async function deployTwice(services: TestServices): Promise<void> {
  const codeId = await deployFiles(services, 'production', { [SITE]: '# before' });
  await deployFiles(services, 'production', { [SITE]: '' });
  const record = await services.environments.get('production');
  if (record === null) throw new Error('the environment is deployed');
  const history = [{ codeId, deployedAt: 1, by: 'test' }];
  await services.environments.replace({ ...record, history, revision: 3, settled: 3 }, record.revision);
}

/** A dead letter, the first job of the queue. */
export async function bury({ queue }: TestServices, certname: string): Promise<void> {
  await queue.send('express', [{ certname, generation: 1, reason: 'first catalog', at: 1 }]);
  for (let isAlive = true; isAlive; ) {
    const jobs = await queue.receive(1, 0);
    for (const job of jobs) await queue.retryAfter(job, 0);
    isAlive = jobs.length > 0;
  }
}

/** A node whose record has all that one may have. */
export async function commitCatalog({ nodes, blobs }: TestServices, certname: string): Promise<void> {
  const resource = { type: 'File', title: '/x', parameters: { content: 'secret' }, sensitive_parameters: ['content'] };
  const [one, other] = ['one', 'other'].map((name) =>
    catalogBlob(JSON.stringify({ name, resources: [resource], edges: [] }), null, 5),
  );
  if (one === undefined || other === undefined) throw new Error('there are two catalogs');
  for (const blob of [one, other]) await putCatalog(blobs, blob, null);
  const facts = await storeFacts(blobs, { facts: PuppetHash.of([['os', 'linux']]), trusted: PuppetHash.of([]) }, 1);
  await nodes.markSeen(certname, 'production', 1);
  await nodes.factsStored(certname, facts);
  await nodes.want(certname, 'first catalog', 1, { asked: true });
  await nodes.commit({
    certname,
    generation: 1,
    catalog: {
      hash: one.hash,
      static: { sha256: 's' },
      codeId: 'c',
      namedCode: [],
      compiledAt: 5,
      durationMs: 6,
      exported: 'e',
      previous: { hash: other.hash, codeId: null, compiledAt: 4 },
    },
    failure: { message: 'm', at: 5, codeId: null },
    inputs: {
      environment: 'production',
      classification: null,
      checksumTypes: ['sha256'],
      compiler: 'c',
      facts: { '["os"]': 'x' },
      trusted: {},
      settings: {},
      dependencies: {
        set: 'd',
        membership: 'm',
        own: { contents: ['data/n.yaml'], kinds: [], keys: { 'data/n.yaml': ['a'] } },
        states: 's',
        codeId: 'c',
      },
      collectors: [{ type: 'File', query: null }],
      collected: 'c',
      volatile: ['time'],
      compiles: [],
    },
    at: 5,
  });
}
