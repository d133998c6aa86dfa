import { catalogUuid } from '../../fleet/catalogs/catalog-blob.ts';
import type { FreshnessPolicy } from '../../fleet/policies/policy-fields.ts';
import type { ReportSummary } from '../../fleet/reports/node-reports.ts';
import type { CatalogPointer, NodeRecord } from '../../store/ports/node-record.ts';

/** Reason why a committed catalog does not make its node due for a run. */
export type NotDueReason = 'same' | 'first' | 'gone' | 'newer follows' | 'off' | 'asked by itself' | 'notified';

/**
 * Whether two commits differ in what any agent of the node gets: the catalog, or one of its static
 * forms.
 */
export function isOtherCatalog(before: CatalogPointer, after: CatalogPointer): boolean {
  const types = new Set([...Object.keys(before.static ?? {}), ...Object.keys(after.static ?? {})]);
  const formOf = ({ hash, static: forms }: CatalogPointer, type: string) => forms?.[type] ?? hash;
  return before.hash !== after.hash || [...types].some((type) => formOf(before, type) !== formOf(after, type));
}

/** A node's catalogs before and after a commit, and the state that decides about a run. */
export interface DueQuestion {
  readonly before: CatalogPointer | null;
  readonly after: CatalogPointer;
  /** The node's record after the commit; null when it is gone. */
  readonly record: Pick<NodeRecord, 'catalog' | 'asked' | 'built'> | null;
  readonly policy: Pick<FreshnessPolicy, 'notify' | 'freshness'>;
  /** `compiledAt` of the last catalog that the node was notified of; null for none. */
  readonly notified: number | null;
}

/** Returns null when a committed catalog makes its node due for a run; else the reason why not. */
export function decideDue({ before, after, record, policy, notified }: DueQuestion): NotDueReason | null {
  // The node asked for its first catalog by itself.
  if (before === null) return 'first';
  if (!isOtherCatalog(before, after)) return 'same';
  if (policy.notify === 'off') return 'off';
  if (record === null) return 'gone';
  if (record.catalog !== null && record.catalog.compiledAt > after.compiledAt) return 'newer follows';
  if (isAwaitedBy(record, policy)) return 'asked by itself';
  return notified !== null && notified >= after.compiledAt ? 'notified' : null;
}

/** Whether a held request of the node waits for this catalog. The policy `stale` holds none. */
function isAwaitedBy(
  { asked, built }: Pick<NodeRecord, 'asked' | 'built'>,
  { freshness }: Pick<FreshnessPolicy, 'freshness'>,
): boolean {
  return freshness !== 'stale' && asked.waiting && asked.generation >= built;
}

/**
 * Whether a report says that the node applied this catalog, in the form that its agent gets. A run
 * with noop applied nothing.
 */
export function hasApplied(
  { catalogUuid: applied, noop, receivedAt }: Pick<ReportSummary, 'catalogUuid' | 'noop' | 'receivedAt'>,
  { hash, static: forms = {}, compiledAt }: CatalogPointer,
): boolean {
  if (noop || !applied) return false;
  const statics = Object.values(forms);
  if (statics.some((form) => catalogUuid(form) === applied)) return true;
  // Without a static form, an agent sees the content of files only when it runs.
  return catalogUuid(hash) === applied && (statics.length === 0 || receivedAt >= compiledAt);
}
