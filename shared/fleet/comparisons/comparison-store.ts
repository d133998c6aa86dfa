import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { DAY_MS } from '../../util/day.ts';
import { takeWithin } from '../../util/take-within.ts';
import { ComparisonSummary, type FleetComparison, limitSummary } from './fleet-comparison.ts';
import type { NodeComparison } from './node-comparison.ts';

const COLLECTION = 'comparisons';
const PAGE = 200;
/** Documents are below 300 KB: further changes are counted alone. */
const MOST_BYTES = 200_000;
/** Bound of a message in a document. */
const LONGEST_MESSAGE = 10_000;
/** Bound of the groups of a sum. */
const MOST_SUMMARY_BYTES = 4 * 1024 * 1024;
const KEPT_MS = 30 * DAY_MS;

/** A sum that is being made. */
export interface FleetSum {
  /** Resolves when all nodes are in it. */
  readonly done: Promise<void>;
  /** Returns the sum so far. */
  readonly read: () => FleetComparison;
}

/** Keeps the last comparison of each node for 30 days. */
export class ComparisonStore {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  async put(comparison: NodeComparison): Promise<void> {
    const document: StoredDocument = { ...limitSize(comparison) };
    await this.#documents.put(COLLECTION, comparison.certname, document, comparison.at + KEPT_MS);
  }

  async get(certname: string): Promise<NodeComparison | null> {
    const document = await this.#documents.get(COLLECTION, certname);
    return document && readStored(document);
  }

  /** Sums up all nodes that have a comparison, in about 4 MB of JSON; it reads each of them. */
  async summarize(): Promise<FleetComparison> {
    const { done, read } = this.beginSum();
    await done;
    return read();
  }

  /** Begins a sum. */
  beginSum(): FleetSum {
    const summary = new ComparisonSummary();
    return { done: this.#addAll(summary), read: () => limitSummary(summary.read(), MOST_SUMMARY_BYTES) };
  }

  async #addAll(summary: ComparisonSummary): Promise<void> {
    for (let after: string | undefined; ; ) {
      const page = await this.#documents.list(COLLECTION, '', PAGE, after);
      for (const { document } of page) summary.add(readStored(document));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.key;
      // A page of the embedded store is read at once: requests are served between the pages.
      await nextTurn();
    }
  }
}

/** Only this file writes the collection. */
function readStored(document: StoredDocument): NodeComparison {
  return document as unknown as NodeComparison;
}

function limitSize(comparison: NodeComparison): NodeComparison {
  if (comparison.outcome === 'equal') return comparison;
  if (comparison.outcome !== 'different') {
    return { ...comparison, message: shortenText(comparison.message, LONGEST_MESSAGE) };
  }
  const { changes, omitted } = comparison;
  const shown = takeWithin(MOST_BYTES, changes);
  return { ...comparison, changes: shown, omitted: omitted + changes.length - shown.length };
}

function shortenText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
