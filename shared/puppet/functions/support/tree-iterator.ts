/** Traverses nested containers. Follows lib/puppet/pops/types/tree_iterators.rb. */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { ObjectType } from '../../types/objects/object-type.ts';
import { PuppetObject } from '../../types/objects/puppet-object.ts';
import { PType } from '../../types/ptype.ts';
import { ANY } from '../../types/simple-types.ts';
import { parseType } from '../../types/type-parser.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetIterator, SequenceIterator } from '../../types/values/puppet-iterator.ts';
import type { Value } from '../../types/values/values.ts';
import { isTruthy } from './conversion.ts';

interface TreeOptions {
  readonly containerType: PType;
  readonly withRoot: boolean;
  readonly withContainers: boolean;
  readonly withValues: boolean;
  readonly withReferences: boolean;
  readonly breadthFirst: boolean;
}

/** Yields `[path, value]` pairs; each pair can be taken once. */
export class TreeIterator extends PuppetIterator {
  readonly #order: 'Breadth' | 'Depth';
  readonly #entries: Iterator<Value>;

  constructor(root: Value, options: PuppetHash) {
    super();
    const parsed = parseOptions(options);
    this.#order = parsed.breadthFirst ? 'Breadth' : 'Depth';
    this.#entries = parsed.breadthFirst ? breadthFirst(root, parsed) : depthFirst(root, parsed);
  }

  override get rubyClass(): string {
    return `Puppet::Pops::Types::Iterable::${this.#order}FirstTreeIterator`;
  }

  get elementType(): PType {
    return ANY;
  }

  next(): Value | undefined {
    const { done, value } = this.#entries.next();
    return done ? undefined : value;
  }

  reverse(): PuppetIterator {
    return new SequenceIterator({ values: () => this.toArray().reverse(), elementType: () => ANY });
  }
}

function parseOptions(options: PuppetHash): TreeOptions {
  const option = (name: string, otherwise: boolean): boolean => {
    const value = options.get(name) ?? null;
    return value === null ? otherwise : isTruthy(value);
  };
  const containers = parseType('Variant[Array, Hash, Object]');
  const given = options.get('container_type') ?? null;
  const containerType = given instanceof PType ? given : containers;
  if (!containers.isAssignable(containerType)) {
    throw new PuppetError(ISSUES.TREE_CONTAINER_TYPE({ actual: String(containerType) }));
  }
  const withContainers = option('include_containers', true);
  const withValues = option('include_values', true);
  if (!withContainers && !withValues) {
    throw new PuppetError(ISSUES.TREE_YIELDS_NOTHING());
  }
  return {
    containerType,
    withContainers,
    withValues,
    withRoot: withContainers && option('include_root', true),
    withReferences: option('include_refs', false),
    breadthFirst: options.get('order') === 'breadth_first',
  };
}

type Child = readonly [Value, Value];

/** Returns the keys and values of a container; null for other values. */
function childrenOf(value: Value, options: TreeOptions): readonly Child[] | null {
  if (!options.containerType.isInstance(value)) return null;
  if (Array.isArray(value)) return value.map((item: Value, index) => [BigInt(index), item] as const);
  if (value instanceof PuppetHash) return [...value.entries()];
  return value instanceof PuppetObject ? attributesOf(value, options) : null;
}

function attributesOf(object: PuppetObject, options: TreeOptions): readonly Child[] {
  const { shape } = object;
  const attributes = shape instanceof ObjectType ? [...shape.allAttributes.values()] : [];
  return attributes
    .filter(({ kind }) => kind !== 'reference' || options.withReferences)
    .map(({ name }) => [name, object.get(name) ?? null] as const);
}

function* depthFirst(root: Value, options: TreeOptions): IterableIterator<Value> {
  if (options.withRoot) yield [[], root];
  yield* walkBelow(root, [], options);
}

function* walkBelow(container: Value, path: readonly Value[], options: TreeOptions): IterableIterator<Value> {
  for (const [key, value] of childrenOf(container, options) ?? []) {
    const here = [...path, key];
    const isContainer = childrenOf(value, options) !== null;
    if (isContainer ? options.withContainers : options.withValues) yield [here, value];
    if (isContainer) yield* walkBelow(value, here, options);
  }
}

/** Puppet: breadth-first order always includes values. */
function* breadthFirst(root: Value, options: TreeOptions): IterableIterator<Value> {
  if (options.withRoot) yield [[], root];
  const queue: (readonly [readonly Value[], Value])[] = [[[], root]];
  for (let head = queue.shift(); head; head = queue.shift()) {
    const [path, container] = head;
    for (const [key, value] of childrenOf(container, options) ?? []) {
      const here = [...path, key];
      const isContainer = childrenOf(value, options) !== null;
      if (isContainer) queue.push([here, value]);
      if (!isContainer || options.withContainers) yield [here, value];
    }
  }
}
