import { REPORT_COLLECTIONS } from '../config/report-collections.ts';
import type { StoredDocument } from './ports/document-store.ts';
import type { NodeChange, NodeChangeDetail } from './ports/node-changes.ts';
import type { CatalogPointer, FactsPointer, FailureRecord } from './ports/node-record.ts';

/** The parts of a record whose changes are logged, each as stored JSON; null for none. */
export interface NodeParts {
  readonly facts: string | null;
  readonly catalog: string | null;
  readonly failure: string | null;
}

/** Returns the changes between two states of a record. A state is null when no record exists. */
export function compareNodeParts(
  certname: string,
  before: NodeParts | null,
  after: NodeParts | null,
  at: number,
): readonly NodeChange[] {
  return compareParts(before, after).map((detail) => ({ certname, at, ...detail }));
}

function compareParts(before: NodeParts | null, after: NodeParts | null): readonly NodeChangeDetail[] {
  if (after === null) return before === null ? [] : [{ kind: 'removed' }];
  const changes: NodeChangeDetail[] = before === null ? [{ kind: 'created' }] : [];
  if (after.facts !== null && after.facts !== before?.facts) {
    const facts = readPart<FactsPointer>(before?.facts);
    changes.push({ kind: 'facts', before: facts, after: JSON.parse(after.facts) as FactsPointer });
  }
  if (after.catalog !== null && after.catalog !== before?.catalog) {
    const catalog = readPart<CatalogPointer>(before?.catalog);
    changes.push({ kind: 'catalog', before: catalog, after: JSON.parse(after.catalog) as CatalogPointer });
  }
  if (after.failure !== (before?.failure ?? null)) {
    const failure = readPart<FailureRecord>(before?.failure);
    changes.push({ kind: 'failure', before: failure, after: readPart(after.failure) });
  }
  return changes;
}

const readPart = <T>(text: string | null | undefined): T | null => (text ? (JSON.parse(text) as T) : null);

/** Returns the logged change when a report is stored; null for other documents. */
export function reportChange(collection: string, document: StoredDocument, at: number): NodeChange | null {
  const isReport = Object.values(REPORT_COLLECTIONS).some((prefix) => collection.startsWith(prefix));
  return isReport ? { certname: String(document.certname), at, kind: 'report', document } : null;
}
