import { gunzipSync } from 'node:zlib';
import { listUnknownToAgent } from '../../puppet/catalog/agent-support.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { loadCatalog } from '../catalogs/catalog-blob.ts';
import { loadFacts } from '../facts/facts-blob.ts';

interface StoredResource {
  readonly type: string;
  readonly title: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/**
 * The reasons for which the node's agent, by the facts that it sent last, cannot apply the catalog
 * in force; none without a catalog or facts.
 */
export async function findUnknownToAgent(
  node: Pick<NodeRecord, 'certname' | 'catalog' | 'facts'>,
  { blobs }: Pick<Stores, 'blobs'>,
): Promise<readonly string[]> {
  const bytes = node.catalog === null ? null : await loadCatalog(blobs, node.catalog.hash);
  const stored = bytes === null ? null : await loadFacts(blobs, node);
  if (bytes === null || stored === null) return [];
  const { resources = [] }: { resources?: readonly StoredResource[] } = JSON.parse(gunzipSync(bytes).toString('utf8'));
  return resources.flatMap(({ type, title, parameters = {} }) =>
    listUnknownToAgent({ type, title, read: (name) => parameters[name] }, (name) => stored.facts.get(name)),
  );
}
