import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { ComparisonSummary, type FleetComparison } from './fleet-comparison.ts';
import type { NodeComparison } from './node-comparison.ts';

const COLLECTION = 'comparisons';
const PAGE = 200;
/** Documents are below 300 KB: further changes are counted alone. */
const MOST_CHARACTERS = 200_000;
const KEPT_MS = 30 * 24 * 3600_000;

/** Keeps the last comparison of each node for 30 days. */
export class ComparisonStore {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  async put(comparison: NodeComparison): Promise<void> {
    const document: StoredDocument = { ...limitChanges(comparison) };
    await this.#documents.put(COLLECTION, comparison.certname, document, comparison.at + KEPT_MS);
  }

  async get(certname: string): Promise<NodeComparison | null> {
    const document = await this.#documents.get(COLLECTION, certname);
    return document && readStored(document);
  }

  async delete(certname: string): Promise<void> {
    await this.#documents.delete(COLLECTION, certname);
  }

  /** Sums up all nodes that have a comparison; it reads each of them. */
  async summarize(): Promise<FleetComparison> {
    const summary = new ComparisonSummary();
    for (let after = ''; ; ) {
      const page = await this.#documents.list(COLLECTION, '', PAGE, after);
      for (const { document } of page) summary.add(readStored(document));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return summary.read();
      after = last.key;
    }
  }
}

/** Only this file writes the collection. */
function readStored(document: StoredDocument): NodeComparison {
  return document as unknown as NodeComparison;
}

function limitChanges(comparison: NodeComparison): NodeComparison {
  if (comparison.outcome !== 'different') return comparison;
  const { changes, omitted } = comparison;
  let size = 0;
  const shown = changes.filter((change) => {
    size += JSON.stringify(change).length;
    return size <= MOST_CHARACTERS;
  });
  return { ...comparison, changes: shown, omitted: omitted + changes.length - shown.length };
}
