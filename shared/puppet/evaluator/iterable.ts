/** Iteration over values. Follows lib/puppet/pops/types/iterable.rb. */
import { inferSet } from '../types/inference.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import { PType } from '../types/ptype.ts';
import { TupleType } from '../types/record-types.ts';
import { IntegerType } from '../types/scalar-types.ts';
import { UNIT } from '../types/simple-types.ts';
import { EnumType, StringType } from '../types/string-types.ts';
import { BytesText } from '../types/values/bytes-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetIterator, SequenceIterator } from '../types/values/puppet-iterator.ts';
import type { Value } from '../types/values/values.ts';
import { variantOf } from '../types/wrapper-types.ts';

/**
 * Returns an iterator over a value's elements; null when the value is not iterable. An iterator is
 * returned unchanged.
 */
export function iteratorOn(value: Value): PuppetIterator | null {
  if (value instanceof PuppetIterator) return value;
  if (typeof value === 'string') return iterateSequence(Array.from(value), new StringType(new IntegerType(1n, 1n)));
  if (value instanceof BytesText) return iterateSequence(Array.from(value.text, (char) => value.map(() => char)));
  if (Array.isArray(value)) return iterateSequence(value);
  if (value instanceof PuppetHash) return iterateHash(value);
  if (typeof value === 'bigint') return iterateCount(value);
  if (value instanceof PuppetObject) {
    const elements = value.elements();
    return elements && iterateSequence(elements);
  }
  return value instanceof PType ? iterateType(value) : null;
}

function iterateSequence(values: readonly Value[], elementType?: PType): PuppetIterator {
  return new SequenceIterator({ values: () => values, elementType: () => elementType ?? typeOfAny(values) });
}

function typeOfAny(values: readonly Value[]): PType {
  return values.length === 0 ? UNIT : variantOf(values.map((value) => inferSet(value)));
}

const PAIR = new IntegerType(2n, 2n);

function iterateHash(hash: PuppetHash): PuppetIterator {
  const elementType = () => new TupleType([typeOfAny([...hash.keys()]), typeOfAny([...hash.values()])], PAIR);
  return new SequenceIterator({ values: () => hash.entries(), elementType, hashStyle: true });
}

function iterateCount(count: bigint): PuppetIterator | null {
  if (count === 0n) return iterateSequence([], UNIT);
  return count > 0n ? new RangeIterator(0n, count - 1n) : null;
}

function iterateType(type: PType): PuppetIterator | null {
  if (type instanceof IntegerType) {
    return type.from === null || type.to === null ? null : new RangeIterator(type.from, type.to);
  }
  if (type instanceof EnumType) return iterateSequence(type.values, type);
  if (type.kind === 'TypeAlias' && 'resolvedType' in type && type.resolvedType instanceof PType) {
    return iterateType(type.resolvedType);
  }
  return null;
}

/** Iterates over a range of integers; a negative step starts at the upper bound. */
class RangeIterator extends PuppetIterator {
  readonly #from: bigint;
  readonly #to: bigint;
  readonly #step: bigint;
  #current: bigint;

  constructor(from: bigint, to: bigint, step = 1n) {
    super();
    this.#from = from;
    this.#to = to;
    this.#step = step;
    this.#current = (step < 0n ? to : from) - step;
  }

  override get rubyClass(): string {
    return 'Puppet::Pops::Types::IntegerRangeIterator';
  }

  get elementType(): PType {
    return new IntegerType(this.#from, this.#to);
  }

  // Puppet: one less than the number of elements, IntegerRangeIterator#size.
  override get sizeHint(): number {
    return Number((this.#to - this.#from) / (this.#step < 0n ? -this.#step : this.#step));
  }

  next(): Value | undefined {
    const value = this.#current + this.#step;
    if (this.#step < 0n ? value < this.#from : value > this.#to) return undefined;
    this.#current = value;
    return value;
  }

  reverse(): PuppetIterator {
    return new RangeIterator(this.#from, this.#to, -this.#step);
  }

  /** Puppet: the range is shortened so that it ends on a step. */
  override step(size: number): PuppetIterator {
    if (size <= 1) return this;
    const step = this.#step * BigInt(size);
    const rest = (this.#to - this.#from) % (step < 0n ? -step : step);
    // Ruby's remainder has the sign of the divisor.
    if (step < 0n && rest > 0n) return new RangeIterator(this.#from - (rest + step), this.#to, step);
    return new RangeIterator(this.#from, this.#to - rest, step);
  }
}
