import { checkElementCount } from '../../errors/value-limits.ts';
import { IteratorType } from '../iterable-types.ts';
import type { PType } from '../ptype.ts';
import type { RichKind } from './value-kinds.ts';
import { RichValue, type Value } from './values.ts';

/** A position in an iteration. `next` advances it and returns undefined at the end. */
export interface Cursor {
  next(): Value | undefined;
}

/**
 * A value of type Iterator: the result of `reverse_each`, `step` and `tree_each` without a block.
 * Follows lib/puppet/pops/types/iterable.rb. `next` keeps its position for the iterator's whole
 * life; a `for` loop only restarts where Puppet's iteration does.
 */
export abstract class PuppetIterator extends RichValue implements Cursor {
  #identity: number | undefined;

  get valueKind(): RichKind {
    return 'Iterator';
  }

  /** The type of its elements. */
  abstract get elementType(): PType;

  get type(): PType {
    return new IteratorType(this.elementType);
  }

  /** The name of Puppet's Ruby class. */
  get rubyClass(): string {
    return 'Puppet::Pops::Types::Iterator';
  }

  /** Whether its elements are the pairs of a hash. */
  get hashStyle(): boolean {
    return false;
  }

  /**
   * Whether `break()` ends the iteration in every function, because Ruby's `loop` treats it as the
   * end.
   */
  get endsOnBreak(): boolean {
    return true;
  }

  /** The result of Ruby's `size` of the iterator, which bounds slices; null when it has none. */
  get sizeHint(): number | null {
    return null;
  }

  abstract next(): Value | undefined;

  abstract reverse(): PuppetIterator;

  step(size: number): PuppetIterator {
    return size > 1 ? new StepIterator(this, size) : this;
  }

  *[Symbol.iterator](): IterableIterator<Value> {
    for (let value = this.next(); value !== undefined; value = this.next()) yield value;
  }

  /** Throws ValueLimitError for more elements than an array may have. */
  toArray(): Value[] {
    checkElementCount(this.sizeHint ?? 0);
    return [...this];
  }

  // Puppet: an iterator is only equal to itself.
  equalityKey(): string {
    this.#identity ??= nextIdentity();
    return `iterator:${this.#identity}`;
  }

  override toString(): string {
    return `Iterator[${this.elementType.generalize()}]-Value`;
  }
}

let identities = 0;

function nextIdentity(): number {
  identities += 1;
  return identities;
}

interface SequenceOptions {
  /** Restarts the enumeration. */
  readonly values: () => Iterable<Value>;
  /** Called when the type is needed. */
  readonly elementType: () => PType;
  readonly hashStyle?: boolean;
}

/** Iterates over a sequence that can be enumerated again: `for` restarts, `next` does not. */
export class SequenceIterator extends PuppetIterator {
  readonly #options: SequenceOptions;
  #cursor: Iterator<Value> | undefined;

  constructor(options: SequenceOptions) {
    super();
    this.#options = options;
  }

  get elementType(): PType {
    return this.#options.elementType();
  }

  override get hashStyle(): boolean {
    return this.#options.hashStyle ?? false;
  }

  override get rubyClass(): string {
    return this.hashStyle ? 'Puppet::Pops::Types::HashIterator' : super.rubyClass;
  }

  override get endsOnBreak(): boolean {
    return false;
  }

  next(): Value | undefined {
    this.#cursor ??= this.#options.values()[Symbol.iterator]();
    const { done, value } = this.#cursor.next();
    return done ? undefined : value;
  }

  override *[Symbol.iterator](): IterableIterator<Value> {
    yield* this.#options.values();
  }

  reverse(): PuppetIterator {
    const { values, elementType } = this.#options;
    return new SequenceIterator({ values: () => [...values()].reverse(), elementType });
  }
}

/** Every n-th element of another iterator, which it consumes. */
class StepIterator extends PuppetIterator {
  readonly #source: PuppetIterator;
  readonly #size: number;

  constructor(source: PuppetIterator, size: number) {
    super();
    this.#source = source;
    this.#size = size;
  }

  override get rubyClass(): string {
    return 'Puppet::Pops::Types::StepIterator';
  }

  get elementType(): PType {
    return this.#source.elementType;
  }

  next(): Value | undefined {
    const value = this.#source.next();
    for (let skipped = 1; skipped < this.#size && value !== undefined; skipped += 1) {
      if (this.#source.next() === undefined) break;
    }
    return value;
  }

  reverse(): PuppetIterator {
    return new SequenceIterator({ values: () => this.toArray().reverse(), elementType: () => this.elementType });
  }
}
