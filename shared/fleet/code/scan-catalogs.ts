import type { StoredDocument } from '../../store/ports/document-store.ts';
import type { FactsPointer } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';

/** References of the catalogs of all nodes. */
export interface CatalogScan {
  /** Code ids that stored catalogs name. */
  readonly codeIds: ReadonlySet<string>;
  /**
   * Hashes of the catalogs in use that begin with one of `digits`; null when the scan continued an
   * earlier one, which kept none.
   */
  readonly hashes: ReadonlySet<string> | null;
  /** The facts that nodes have, by certname; null like `hashes`. */
  readonly facts: ReadonlyMap<string, FactsPointer> | null;
  /** Hexadecimal digits: each scan looks at one quarter of the catalogs. */
  readonly digits: string;
}

type ScanPorts = Pick<Stores, 'nodes' | 'documents' | 'clock'>;

const COLLECTION = 'code-work';
const KEY = 'catalog-scan';
const PAGE = 250;
const HOUR_MS = 3600_000;
/** Each quarter has its turn every four days. */
const QUARTERS = ['0123', '4567', '89ab', 'cdef'] as const;
/**
 * An interrupted scan is continued within this time: code that became needed since then is young.
 */
const LONGEST_SCAN_MS = 20 * HOUR_MS;

/**
 * Scans the catalogs of all nodes, page by page, by their pointers alone. Null when `isOver` became
 * true before the end; the next scan then continues at that place, unless `isTrial`, which stores
 * nothing.
 */
export async function scanCatalogs(
  ports: ScanPorts,
  isTrial: boolean,
  isOver: () => boolean,
): Promise<CatalogScan | null> {
  const now = ports.clock.now();
  const digits = QUARTERS[Math.floor(now / DAY_MS) % QUARTERS.length] ?? '';
  const begun = isTrial ? null : readProgress(await ports.documents.get(COLLECTION, KEY), now);
  const codeIds = new Set(begun?.codeIds);
  const hashes = new Set<string>();
  const facts = new Map<string, FactsPointer>();
  let after = begun?.after ?? null;
  for (;;) {
    const { catalogs, facts: pointers, next } = await ports.nodes.listCatalogs(after, PAGE);
    for (const { hash, static: forms = {}, codeId, namedCode, previous } of catalogs) {
      for (const one of [codeId ?? [], namedCode].flat()) codeIds.add(one);
      const kept = previous === undefined ? [] : [previous.hash];
      for (const one of [hash, ...Object.values(forms), ...kept]) if (digits.includes(one.charAt(0))) hashes.add(one);
    }
    for (const { certname, digest, at } of pointers) facts.set(certname, { digest, at });
    if (next === null) break;
    after = next;
    if (!isOver()) continue;
    const progress = { after, codeIds: [...codeIds], startedAt: begun?.startedAt ?? now };
    if (!isTrial) await ports.documents.put(COLLECTION, KEY, progress);
    return null;
  }
  if (begun) await ports.documents.delete(COLLECTION, KEY);
  return { codeIds, hashes: begun ? null : hashes, facts: begun ? null : facts, digits };
}

interface Progress {
  readonly after: string;
  readonly codeIds: readonly string[];
  readonly startedAt: number;
}

/** Null when there is none, or when it is too old to continue. */
function readProgress(document: StoredDocument | null, now: number): Progress | null {
  const { after, codeIds, startedAt } = document ?? {};
  if (typeof after !== 'string' || !Array.isArray(codeIds) || typeof startedAt !== 'number') return null;
  return startedAt < now - LONGEST_SCAN_MS ? null : { after, codeIds: codeIds.map(String), startedAt };
}
