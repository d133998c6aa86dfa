import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { ExplainDetails } from './explain-details.ts';
import { explainText } from './explain-text.ts';
import { ExplainNode, type ExplainSubject } from './explain-tree.ts';
import type { KeySegment, LookupKey } from './lookup-key.ts';

/**
 * Records the steps of a lookup as a tree: the places searched, and the values found there. A
 * lookup without an explainer has no overhead. Follows lib/puppet/pops/lookup/explainer.rb.
 */
export class Explainer {
  /** Explains only the search for `lookup_options`; no value is looked up. */
  readonly onlyOptions: boolean;
  readonly #root = new ExplainNode({ kind: 'root' });
  #current = this.#root;

  constructor(onlyOptions = false) {
    this.onlyOptions = onlyOptions;
  }

  /** Runs `body`; everything recorded meanwhile belongs to `subject`. */
  runWithin<T>(subject: ExplainSubject, body: () => T): T {
    const before = this.#current;
    const node = new ExplainNode(subject);
    before.branches.push(node);
    this.#current = node;
    try {
      return body();
    } finally {
      this.#current = before;
    }
  }

  /** Adds a subject without details. */
  mention(subject: ExplainSubject): void {
    this.#current.branches.push(new ExplainNode(subject));
  }

  noteFound(key: LookupKey | KeySegment, value: Value): void {
    Object.assign(this.#current, { event: 'found', key: String(key), value });
  }

  noteFoundInOverrides(key: KeySegment, value: Value): void {
    Object.assign(this.#current, { event: 'found_in_overrides', key: String(key), value });
  }

  noteFoundInDefaults(key: KeySegment, value: Value): void {
    Object.assign(this.#current, { event: 'found_in_defaults', key: String(key), value });
  }

  notFound(key: LookupKey | KeySegment): void {
    Object.assign(this.#current, { event: 'not_found', key: String(key) });
  }

  locationNotFound(): void {
    this.#current.event = 'location_not_found';
  }

  /** Records the result of a merge. */
  noteResult(value: Value): void {
    Object.assign(this.#current, { event: 'result', value });
  }

  noteText(text: string): void {
    this.#current.texts.push(text);
  }

  /** Returns the tree as text; each line ends in a newline. */
  toText(): string {
    return explainText(this.#root);
  }

  /** Returns the tree as data; `symbol` creates the values that are Symbols in Ruby. */
  toHash(symbol: (name: string) => Value): PuppetHash {
    return new ExplainDetails(symbol).ofRoot(this.#root);
  }
}
