import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { ExplainDetails } from './explain-details.ts';
import { explainText } from './explain-text.ts';
import { ExplainNode, type ExplainSubject } from './explain-tree.ts';
import type { KeySegment, LookupKey } from './lookup-key.ts';

/**
 * Notes what a lookup does, as a tree: where it searches, and what it finds there. A lookup without
 * one does not pay for it. Follows lib/puppet/pops/lookup/explainer.rb.
 */
export class Explainer {
  /** Only the search for `lookup_options` is to be explained: no value is looked up. */
  readonly onlyOptions: boolean;
  readonly #root = new ExplainNode({ kind: 'root' });
  #current = this.#root;

  constructor(onlyOptions = false) {
    this.onlyOptions = onlyOptions;
  }

  /** Runs `body`; what is noted meanwhile is about `subject`. */
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

  /** Adds a subject that nothing more is noted about. */
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

  /** What all values of a merge became. */
  noteResult(value: Value): void {
    Object.assign(this.#current, { event: 'result', value });
  }

  noteText(text: string): void {
    this.#current.texts.push(text);
  }

  /** The tree in words, each line with its end. */
  toText(): string {
    return explainText(this.#root);
  }

  /** The tree as data; `symbol` makes what are symbols in Ruby. */
  toHash(symbol: (name: string) => Value): PuppetHash {
    return new ExplainDetails(symbol).ofRoot(this.#root);
  }
}
