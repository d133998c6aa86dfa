import { PREFIXES } from '../../config/deployment.ts';
import { listPages } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { factsBlobOf, NAMED_FACTS, readStoringTime } from '../facts/facts-blob.ts';
import type { CatalogScan } from './scan-catalogs.ts';

/** A check-in or a compile that had facts before them has ended by then. */
const KEPT_MS = 3600_000;
const AT_ONCE = 16;

/**
 * Deletes facts that no node's record names any more. Young ones stay: their check-in or their
 * compile may be under way. Their age is the lesser one by the clocks of the blob store and of who
 * stored them, of which one may have been set meanwhile.
 */
export async function pruneFacts(
  { blobs, clock }: Pick<Stores, 'blobs' | 'clock'>,
  { facts }: CatalogScan,
  dryRun: boolean,
  isOver: () => boolean,
): Promise<number> {
  if (facts === null) return 0;
  const named = [...facts].map(([certname, pointer]) => ({ certname, facts: pointer }));
  const used = new Set(named.map(factsBlobOf));
  const replaced = new Set(named.map(({ certname }) => factsBlobOf({ certname, facts: null })));
  const since = clock.now() - KEPT_MS;
  let deleted = 0;
  for await (const entries of listPages(blobs, PREFIXES.facts)) {
    const unused = entries.filter(
      ({ key, putAt }) =>
        Math.max(putAt, readStoringTime(key)) < since &&
        (key.startsWith(NAMED_FACTS) ? !used.has(key) : replaced.has(key)),
    );
    await inParallel(AT_ONCE, unused, async ({ key }) => {
      if (isOver()) return;
      if (!dryRun) await blobs.delete(key);
      deleted += 1;
    });
    if (isOver()) break;
  }
  return deleted;
}
