import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { explainText, withoutStrategy } from './explain-text.ts';
import type { Location } from './locations.ts';
import type { KeySegment, LookupKey } from './lookup-key.ts';
import type { MergeStrategy } from './merge-strategy.ts';

/** A data provider as an explanation names it. */
interface ExplainedProvider {
  readonly explainedName: string;
  /** Path of the layer's hiera.yaml; absent for hierarchy entries. */
  readonly configPath?: string | null;
  readonly moduleName?: string | null;
}

/** The subject of a part of an explanation. */
export type ExplainSubject =
  | { readonly kind: 'root' }
  | { readonly kind: 'search'; readonly key: string }
  | { readonly kind: 'invalid_key'; readonly key: string }
  | { readonly kind: 'merge_source'; readonly source: string }
  | { readonly kind: 'module'; readonly module: string; readonly event: ModuleEvent }
  | { readonly kind: 'interpolate'; readonly expression: string }
  | { readonly kind: 'merge'; readonly strategy: MergeStrategy }
  | { readonly kind: 'data_provider'; readonly provider: ExplainedProvider }
  | { readonly kind: 'location'; readonly location: Location }
  | { readonly kind: 'sub_key'; readonly segments: readonly KeySegment[] }
  | { readonly kind: 'segment' }
  | { readonly kind: 'scope'; readonly name: string };

type ModuleEvent = 'module_not_found' | 'module_provider_not_found';

type ExplainEvent =
  | ModuleEvent
  | 'found'
  | 'found_in_overrides'
  | 'found_in_defaults'
  | 'not_found'
  | 'location_not_found'
  | 'result';

/** A part of an explanation: its subject, its last event, and its nested parts. */
export class ExplainNode {
  readonly subject: ExplainSubject;
  readonly branches: ExplainNode[] = [];
  readonly texts: string[] = [];
  event: ExplainEvent | null;
  key: string | null;
  value: Value = null;

  constructor(subject: ExplainSubject) {
    this.subject = subject;
    this.event = subject.kind === 'module' ? subject.event : null;
    this.key = subject.kind === 'search' || subject.kind === 'invalid_key' ? subject.key : null;
  }
}

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

type Entry = readonly [name: string, value: Value];

const WITH_VALUE: readonly (ExplainEvent | null)[] = ['found', 'found_in_defaults', 'found_in_overrides', 'result'];

/** Converts an explanation to data. `symbol` creates the names that are Symbols in Ruby. */
class ExplainDetails {
  readonly #symbol: (name: string) => Value;

  constructor(symbol: (name: string) => Value) {
    this.#symbol = symbol;
  }

  ofRoot(root: ExplainNode): PuppetHash {
    const [only, ...others] = root.branches;
    return only && others.length === 0 ? this.#describeNode(only) : this.#createHash(this.#describeBranches(root));
  }

  #describeNode(node: ExplainNode): PuppetHash {
    const { subject } = node;
    if (subject.kind === 'merge_source') {
      return this.#createHash([
        ['type', this.#symbol('merge_source')],
        ['merge_source', subject.source],
      ]);
    }
    const [only, ...others] = node.branches;
    if (subject.kind === 'merge' && only && others.length === 0) return this.#describeNode(only);
    return this.#createHash([...this.#describeCommon(node), ...this.#describeOwn(subject)]);
  }

  #createHash(entries: readonly Entry[]): PuppetHash {
    return PuppetHash.of(entries.map(([name, value]) => [this.#symbol(name), value]));
  }

  #describeBranches(node: ExplainNode): readonly Entry[] {
    return node.branches.length === 0 ? [] : [['branches', node.branches.map((branch) => this.#describeNode(branch))]];
  }

  #describeCommon(node: ExplainNode): readonly Entry[] {
    const entries: Entry[] = [...this.#describeBranches(node)];
    if (node.key !== null) entries.push(['key', node.key]);
    if (WITH_VALUE.includes(node.event)) entries.push(['value', node.value]);
    if (node.event !== null) entries.push(['event', this.#symbol(node.event)]);
    if (node.texts.length > 0) entries.push(['texts', node.texts]);
    entries.push(['type', this.#symbol(typeName(node.subject))]);
    return entries;
  }

  /** Returns the entries that only nodes of this kind have. */
  #describeOwn(subject: ExplainSubject): readonly Entry[] {
    switch (subject.kind) {
      case 'interpolate':
        return [['expression', subject.expression]];
      case 'merge': {
        const options = withoutStrategy(subject.strategy.options);
        const name: Entry = ['merge', this.#symbol(subject.strategy.name)];
        return options.size === 0 ? [name] : [name, ['options', options]];
      }
      case 'data_provider': {
        const { explainedName, configPath = null, moduleName = null } = subject.provider;
        const entries: Entry[] = [['name', explainedName]];
        if (configPath !== null) entries.push(['configuration_path', configPath]);
        if (moduleName !== null) entries.push(['module', moduleName]);
        return entries;
      }
      case 'location': {
        const { kind, original, place } = subject.location;
        return [
          [`original_${kind}`, original],
          [kind, place],
        ];
      }
      case 'scope':
        return [['name', subject.name]];
      default:
        return [];
    }
  }
}

function typeName(subject: ExplainSubject): string {
  if (subject.kind === 'search') return 'root';
  return subject.kind === 'location' ? subject.location.kind : subject.kind;
}
