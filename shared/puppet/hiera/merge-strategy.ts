import { ISSUES } from '../errors/issues/catalogue.ts';
import { RubyFault } from '../errors/lookup-error.ts';
import { assertInstance } from '../types/assertion.ts';
import { uniqueBy } from '../types/equality.ts';
import { parseType } from '../types/type-parser.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import { deepMergeOptions, mergeDeeply, unite } from './deep-merge.ts';
import type { Explainer } from './explainer.ts';

/**
 * Combines the values that several places have for one key. `undefined` means that a place has no
 * value. Follows lib/puppet/pops/merge_strategy.rb.
 */
export interface MergeStrategy {
  readonly name: string;
  /** Whether the search ends at the first value. */
  readonly takesFirst: boolean;
  /** The original `merge` options, for nested lookups of the same request. */
  readonly options: PuppetHash | null;
  /** Returns the merged value of all variants; undefined when none has one. */
  lookup<T>(
    variants: readonly T[],
    find: (variant: T) => Value | undefined,
    explainer: Explainer | null,
  ): Value | undefined;
  merge(first: Value, second: Value): Value;
}

abstract class MergingStrategy implements MergeStrategy {
  abstract readonly name: string;
  readonly takesFirst = false;
  abstract readonly options: PuppetHash | null;
  protected abstract readonly valueType: string;

  lookup<T>(
    variants: readonly T[],
    find: (variant: T) => Value | undefined,
    explainer: Explainer | null,
  ): Value | undefined {
    const [only] = variants;
    if (variants.length === 1 && only !== undefined) {
      const value = find(only);
      return value === undefined ? undefined : this.mergeSingle(value);
    }
    if (!explainer || variants.length === 0) return this.#mergeAll(variants, find);
    return explainer.runWithin({ kind: 'merge', strategy: this }, () => {
      const result = this.#mergeAll(variants, find);
      if (result !== undefined) explainer.noteResult(result);
      return result;
    });
  }

  #mergeAll<T>(variants: readonly T[], find: (variant: T) => Value | undefined): Value | undefined {
    let result: Value | undefined;
    for (const variant of variants) {
      const value = find(variant);
      if (value === undefined) continue;
      result = result === undefined ? this.convert(value) : this.merge(result, value);
    }
    return result;
  }

  merge(first: Value, second: Value): Value {
    const type = parseType(this.valueType);
    return this.mergeChecked(
      assertInstance('The first element of the merge', type, first),
      assertInstance('The second element of the merge', type, second),
    );
  }

  protected abstract mergeChecked(first: Value, second: Value): Value;

  /** Converts the first value before others are merged into it. */
  protected convert(value: Value): Value {
    return value;
  }

  /** Converts the value of a search in a single place. */
  protected mergeSingle(value: Value): Value {
    return value;
  }
}

class FirstFound implements MergeStrategy {
  readonly name: string;
  readonly takesFirst = true;
  readonly options = null;

  constructor(name: string) {
    this.name = name;
  }

  lookup<T>(variants: readonly T[], find: (variant: T) => Value | undefined): Value | undefined {
    for (const variant of variants) {
      const value = find(variant);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  merge(first: Value): Value {
    return first;
  }
}

class HashMerge extends MergingStrategy {
  readonly name = 'hash';
  readonly options = null;
  protected readonly valueType = 'Hash[String,Data]';

  protected mergeChecked(first: Value, second: Value): Value {
    return first instanceof PuppetHash && second instanceof PuppetHash ? second.merge(first) : first;
  }
}

class UniqueMerge extends MergingStrategy {
  readonly name = 'unique';
  readonly options = null;
  protected readonly valueType = 'Variant[Scalar,Array[Data]]';

  protected mergeChecked(first: Value, second: Value): Value {
    return unite(flattenValue(first), flattenValue(second));
  }

  protected override convert(value: Value): Value {
    return flattenValue(value);
  }

  protected override mergeSingle(value: Value): Value {
    return Array.isArray(value) ? uniqueBy(value) : value;
  }
}

function flattenValue(value: Value): readonly Value[] {
  return isArray(value) ? value.flatMap((item) => (isArray(item) ? flattenValue(item) : [item])) : [value];
}

class DeepMerge extends MergingStrategy {
  readonly name: string;
  readonly options: PuppetHash | null;
  protected readonly valueType = 'Any';

  constructor(name: string, options: PuppetHash | null) {
    super();
    this.name = name;
    this.options = options;
  }

  protected mergeChecked(first: Value, second: Value): Value {
    const [source, target] = this.name === 'reverse_deep' ? [second, first] : [first, second];
    return mergeDeeply(source, deepCopy(target), deepMergeOptions(this.options));
  }
}

/**
 * Puppet: the merge target is a deep copy, so that it shares nothing with the data,
 * lib/puppet/pops/merge_strategy.rb (deep_clone).
 */
function deepCopy(value: Value): Value {
  if (Array.isArray(value)) return value.map(deepCopy);
  if (!(value instanceof PuppetHash)) return value;
  return PuppetHash.of([...value].map(([key, item]) => [key, deepCopy(item)] as const));
}

const DEFAULT_MERGE: MergeStrategy = new FirstFound('default');
export const HASH_MERGE: MergeStrategy = new HashMerge();

const DEEP_OPTIONS =
  'strategy=>Optional[Pattern[deep]],knockout_prefix=>Optional[String],merge_debug=>Optional[Boolean],' +
  'merge_hash_arrays=>Optional[Boolean],sort_merged_arrays=>Optional[Boolean]';

interface StrategyKind {
  readonly make: (options: PuppetHash | null) => MergeStrategy;
  /** The Puppet type that the options must match. */
  readonly optionsType: string;
}

const STRATEGIES: ReadonlyMap<string, StrategyKind> = new Map<string, StrategyKind>([
  ['default', { make: () => DEFAULT_MERGE, optionsType: parseOnlyName('default') }],
  ['first', { make: () => new FirstFound('first'), optionsType: parseOnlyName('first') }],
  ['hash', { make: () => HASH_MERGE, optionsType: parseOnlyName('hash') }],
  ['unique', { make: () => new UniqueMerge(), optionsType: parseOnlyName('unique') }],
  ['deep', { make: (options) => new DeepMerge('deep', options), optionsType: `Struct[{${DEEP_OPTIONS}}]` }],
  [
    'unconstrained_deep',
    { make: (options) => new DeepMerge('unconstrained_deep', options), optionsType: 'Hash[String[1],Any]' },
  ],
  ['reverse_deep', { make: (options) => new DeepMerge('reverse_deep', options), optionsType: 'Hash[String[1],Any]' }],
]);

function parseOnlyName(name: string): string {
  return `Struct[{strategy=>Optional[Pattern[/${name}/]]}]`;
}

/**
 * Returns the strategy that `merge` selects: null for the default, a name, or a hash with
 * `strategy` and options.
 */
export function mergeStrategy(merge: Value): MergeStrategy {
  if (merge === null) return DEFAULT_MERGE;
  const options = merge instanceof PuppetHash ? merge : null;
  const name = options ? (options.get('strategy') ?? null) : merge;
  if (name === null) {
    throw new RubyFault(ISSUES.MERGE_WITHOUT_STRATEGY());
  }
  const strategy = STRATEGIES.get(String(name));
  if (!strategy) throw new RubyFault(ISSUES.MERGE_STRATEGY_UNKNOWN({ name: String(name) }));
  if (!options || options.size === 1) return strategy.make(null);
  assertInstance('The merge options', parseType(strategy.optionsType), options);
  return strategy.make(options);
}
