/**
 * The types Scalar, ScalarData, Numeric, Integer, Float, Boolean and Regexp. Follows
 * lib/puppet/pops/types/types.rb.
 */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { rubyFloat } from '../ruby-core/ruby-number.ts';
import { PType } from './ptype.ts';
import { BytesText } from './values/bytes-text.ts';
import { PuppetRegexp } from './values/regexp.ts';
import { kindOf, VALUE_KINDS } from './values/value-kinds.ts';
import type { Value } from './values/values.ts';

const SCALAR_DATA: ReadonlySet<string> = new Set([
  'ScalarData',
  'Numeric',
  'String',
  'Enum',
  'Pattern',
  'Integer',
  'Float',
  'Boolean',
]);
const SCALAR: ReadonlySet<string> = new Set([
  ...SCALAR_DATA,
  'Scalar',
  'Numeric',
  'Regexp',
  'SemVer',
  'SemVerRange',
  'Timespan',
  'Timestamp',
]);

export class ScalarType extends PType {
  readonly kind: string = 'Scalar';

  isInstance(value: Value): boolean {
    return typeof value !== 'object' || VALUE_KINDS[kindOf(value)].isScalar;
  }

  protected accepts(other: PType): boolean {
    return SCALAR.has(other.kind);
  }
}

export class ScalarDataType extends ScalarType {
  override readonly kind: string = 'ScalarData';

  override isInstance(value: Value): boolean {
    return typeof value !== 'object' || value instanceof BytesText;
  }

  protected override accepts(other: PType): boolean {
    return SCALAR_DATA.has(other.kind);
  }
}

/**
 * Puppet's error for a range with its ends in the wrong order. The missing parenthesis is Puppet's.
 */
function wrongOrder(from: unknown, to: unknown): PuppetError {
  const [first, second] = [from, to].map((end) => (typeof end === 'number' ? rubyFloat(end) : String(end)));
  return new PuppetError(ISSUES.RANGE_REVERSED({ from: String(first), to: String(second) }));
}

export class NumericType extends PType {
  readonly kind = 'Numeric';

  isInstance(value: Value): boolean {
    return typeof value === 'bigint' || typeof value === 'number';
  }

  protected accepts(other: PType): boolean {
    return other.kind === 'Numeric' || other.kind === 'Integer' || other.kind === 'Float';
  }
}

/**
 * Integers in a range. `from` and `to` are inclusive; null means unbounded. Throws PuppetError when
 * `from` is greater than `to`.
 */
export class IntegerType extends PType {
  readonly kind = 'Integer';
  readonly from: bigint | null;
  readonly to: bigint | null;

  constructor(from: bigint | null = null, to: bigint | null = null) {
    super();
    if (from !== null && to !== null && from > to) throw wrongOrder(from, to);
    this.from = from;
    this.to = to;
  }

  isInstance(value: Value): boolean {
    return typeof value === 'bigint' && this.includes(value);
  }

  includes(value: bigint | number): boolean {
    return (this.from === null || value >= this.from) && (this.to === null || value <= this.to);
  }

  /** Whether this range contains all of `other`. */
  covers(other: IntegerType): boolean {
    if (this.from !== null && (other.from === null || other.from < this.from)) return false;
    return this.to === null || (other.to !== null && other.to <= this.to);
  }

  protected accepts(other: PType): boolean {
    return other instanceof IntegerType && this.covers(other);
  }

  get isUnbounded(): boolean {
    return this.from === null && this.to === null;
  }

  get isFinite(): boolean {
    return this.from !== null && this.to !== null;
  }

  override generalize(): PType {
    return INTEGER;
  }

  /** The union of two overlapping or adjacent ranges; null for others. */
  mergeWith(other: IntegerType): IntegerType | null {
    const [low, high] = startsBefore(this, other) ? [this, other] : [other, this];
    const touching = low.to === null || high.from === null || high.from <= low.to + 1n;
    if (!touching) return null;
    const to = low.to === null || high.to === null ? null : low.to > high.to ? low.to : high.to;
    return new IntegerType(low.from, to);
  }

  /** The range as the size of a collection, cut off below 0. */
  toSize(): IntegerType {
    if (this.from !== null && this.from >= 0n) return this;
    return new IntegerType(0n, this.to !== null && this.to < 0n ? 0n : this.to);
  }

  protected override parametersKey(): string {
    return this.isUnbounded ? '' : `[${this.from},${this.to}]`;
  }
}

function startsBefore(a: { from: bigint | number | null }, b: { from: bigint | number | null }): boolean {
  return a.from === null || (b.from !== null && a.from <= b.from);
}

/** Floats in a range. `from` and `to` are inclusive; null means unbounded. */
export class FloatType extends PType {
  readonly kind = 'Float';
  readonly from: number | null;
  readonly to: number | null;

  constructor(from: number | null = null, to: number | null = null) {
    super();
    this.from = from === Number.NEGATIVE_INFINITY ? null : from;
    this.to = to === Number.POSITIVE_INFINITY ? null : to;
    if (this.from !== null && this.to !== null && this.from > this.to) throw wrongOrder(from, to);
  }

  isInstance(value: Value): boolean {
    if (typeof value !== 'number') return false;
    return (this.from === null || value >= this.from) && (this.to === null || value <= this.to);
  }

  protected accepts(other: PType): boolean {
    if (!(other instanceof FloatType)) return false;
    if (this.from !== null && (other.from === null || other.from < this.from)) return false;
    return this.to === null || (other.to !== null && other.to <= this.to);
  }

  get isUnbounded(): boolean {
    return this.from === null && this.to === null;
  }

  override generalize(): PType {
    return FLOAT;
  }

  /** The union of two overlapping ranges; null for others. */
  mergeWith(other: FloatType): FloatType | null {
    const [low, high] = startsBefore(this, other) ? [this, other] : [other, this];
    if (low.to !== null && high.from !== null && high.from > low.to) return null;
    const to = low.to === null || high.to === null ? null : Math.max(low.to, high.to);
    return new FloatType(low.from, to);
  }

  protected override parametersKey(): string {
    return this.isUnbounded ? '' : `[${this.from},${this.to}]`;
  }
}

/** Both booleans, or only the given one. */
export class BooleanType extends PType {
  readonly kind = 'Boolean';
  readonly value: boolean | null;

  constructor(value: boolean | null = null) {
    super();
    this.value = value;
  }

  isInstance(value: Value): boolean {
    return typeof value === 'boolean' && (this.value === null || this.value === value);
  }

  protected accepts(other: PType): boolean {
    return other instanceof BooleanType && (this.value === null || this.value === other.value);
  }

  override generalize(): PType {
    return BOOLEAN;
  }

  protected override parametersKey(): string {
    return this.value === null ? '' : `[${this.value}]`;
  }
}

/** All regular expressions, or only those with exactly the given pattern. */
export class RegexpType extends PType {
  readonly kind = 'Regexp';
  readonly pattern: string | null;
  readonly #problem: string | null;
  #regexp: PuppetRegexp | undefined;

  /** `problem`: why the pattern is invalid. The error is thrown when the type is used. */
  constructor(pattern: string | PuppetRegexp | null = null, problem: string | null = null) {
    super();
    this.pattern = pattern instanceof PuppetRegexp ? pattern.toFlagged() : pattern;
    if (pattern instanceof PuppetRegexp) this.#regexp = pattern;
    this.#problem = problem;
  }

  /** Throws PuppetError when the pattern is malformed. */
  get regexp(): PuppetRegexp {
    if (this.#regexp) return this.#regexp;
    if (this.#problem !== null) throw new PuppetError(this.#problem);
    const regexp = new PuppetRegexp(this.pattern ?? '');
    regexp.toNative();
    this.#regexp = regexp;
    return regexp;
  }

  // Puppet: the pattern is checked whatever the value is (PRegexpType#instance?).
  isInstance(value: Value): boolean {
    if (this.pattern === null) return value instanceof PuppetRegexp;
    const { source } = this.regexp;
    return value instanceof PuppetRegexp && value.source === source;
  }

  protected accepts(other: PType): boolean {
    return other instanceof RegexpType && (this.pattern === null || this.pattern === other.pattern);
  }

  protected override parametersKey(): string {
    return this.pattern === null ? '' : `[${JSON.stringify(this.pattern)}]`;
  }
}

export const SCALAR_TYPE = new ScalarType();
export const SCALAR_DATA_TYPE = new ScalarDataType();
export const NUMERIC = new NumericType();
export const INTEGER = new IntegerType();
export const FLOAT = new FloatType();
export const BOOLEAN = new BooleanType();
export const TRUE_TYPE = new BooleanType(true);
export const FALSE_TYPE = new BooleanType(false);
export const REGEXP = new RegexpType();
/** The size of an unconstrained collection. */
export const ANY_SIZE = new IntegerType(0n);
export const NOT_EMPTY = new IntegerType(1n);
