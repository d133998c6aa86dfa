import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { withoutStrategy } from './explain-text.ts';
import type { ExplainEvent, ExplainNode, ExplainSubject } from './explain-tree.ts';

type Entry = readonly [name: string, value: Value];

const WITH_VALUE: readonly (ExplainEvent | null)[] = ['found', 'found_in_defaults', 'found_in_overrides', 'result'];

/** Converts an explanation to data. `symbol` creates the names that are Symbols in Ruby. */
export class ExplainDetails {
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
