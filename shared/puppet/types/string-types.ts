/** The types String, Enum and Pattern. Follows lib/puppet/pops/types/types.rb. */

import { PuppetError } from '../errors/puppet-error.ts';
import { joinUnorderedKeys, PType } from './ptype.ts';
import { ANY_SIZE, IntegerType, type RegexpType } from './scalar-types.ts';
import { characterCount } from './text/text.ts';
import { BytesText, INVALID_SEQUENCE, plainText } from './values/bytes-text.ts';
import type { Value } from './values/values.ts';

/** All strings, strings of a size, or exactly one string. */
export class StringType extends PType {
  readonly kind = 'String';
  readonly size: IntegerType | null;
  readonly value: string | null;

  constructor(sizeOrValue: IntegerType | string | null = null) {
    super();
    this.value = typeof sizeOrValue === 'string' ? sizeOrValue : null;
    this.size = sizeOrValue instanceof IntegerType ? sizeOrValue.toSize() : null;
  }

  isInstance(value: Value): boolean {
    if (typeof value !== 'string') return value instanceof BytesText && this.isInstance(value.text);
    if (this.value !== null) return value === this.value;
    return this.size === null || this.size.includes(characterCount(value));
  }

  protected accepts(other: PType): boolean {
    if (other instanceof StringType) return this.#acceptsString(other);
    if (other instanceof EnumType) return this.#acceptsEnum(other);
    if (!(other instanceof PatternType)) return false;
    return this.size === null ? this.value === null : this.size.covers(ANY_SIZE);
  }

  #acceptsString(other: StringType): boolean {
    if (this.size !== null) return this.size.covers(other.derivedSize);
    return this.value === null || this.value === other.value;
  }

  #acceptsEnum(other: EnumType): boolean {
    const { size, value } = this;
    if (value !== null) return other.values.length === 1 && !other.caseInsensitive;
    if (size === null) return true;
    if (other.values.length === 0) return size.covers(ANY_SIZE);
    return other.values.every((item) => size.includes(characterCount(item)));
  }

  /** The possible sizes of its strings. */
  get derivedSize(): IntegerType {
    if (this.size !== null) return this.size;
    if (this.value === null) return ANY_SIZE;
    const count = BigInt(characterCount(this.value));
    return new IntegerType(count, count);
  }

  override generalize(): PType {
    return STRING;
  }

  protected override parametersKey(canonical: boolean): string {
    if (this.value !== null) return `[${JSON.stringify(this.value)}]`;
    return this.size === null ? '' : `[${this.size.equalityKey(canonical)}]`;
  }
}

/** A list of strings; an empty list matches every string. */
export class EnumType extends PType {
  readonly kind = 'Enum';
  readonly values: readonly string[];
  readonly caseInsensitive: boolean;
  readonly #set: ReadonlySet<string>;

  constructor(values: readonly string[] = [], caseInsensitive = false) {
    super();
    this.values = [...new Set(values)].sort();
    this.caseInsensitive = caseInsensitive;
    this.#set = new Set(caseInsensitive ? this.values.map((value) => value.toLowerCase()) : this.values);
  }

  isInstance(value: Value): boolean {
    if (typeof value !== 'string') return value instanceof BytesText && this.isInstance(value.text);
    return this.#set.has(this.caseInsensitive ? value.toLowerCase() : value);
  }

  protected accepts(other: PType): boolean {
    if (this.equals(other)) return true;
    if (this.values.length === 0 && ['String', 'Enum', 'Pattern'].includes(other.kind)) return true;
    if (other instanceof StringType) return this.isInstance(other.value);
    if (!(other instanceof EnumType) || other.values.length === 0) return false;
    return (this.caseInsensitive || !other.caseInsensitive) && other.values.every((value) => this.isInstance(value));
  }

  override generalize(): PType {
    if (this.values.length === 0) return STRING;
    const sizes = this.values.map(characterCount);
    return new StringType(new IntegerType(BigInt(Math.min(...sizes)), BigInt(Math.max(...sizes))));
  }

  protected override parametersKey(): string {
    return `[${JSON.stringify(this.values)},${this.caseInsensitive}]`;
  }
}

/** Strings that match one of the patterns; without patterns every string. */
export class PatternType extends PType {
  readonly kind = 'Pattern';
  readonly patterns: readonly RegexpType[];

  constructor(patterns: readonly RegexpType[] = []) {
    super();
    this.patterns = patterns;
  }

  isInstance(value: Value): boolean {
    if (value instanceof BytesText && value.isBroken && this.patterns.length > 0)
      throw new PuppetError(INVALID_SEQUENCE);
    const text = plainText(value);
    return typeof text === 'string' && this.#matches(text);
  }

  #matches(text: string): boolean {
    return this.patterns.length === 0 || this.patterns.some((pattern) => pattern.regexp.test(text));
  }

  protected accepts(other: PType): boolean {
    if (this.equals(other) || this.patterns.length === 0) return ['String', 'Enum', 'Pattern'].includes(other.kind);
    if (other instanceof StringType) return other.value !== null && this.#matches(other.value);
    if (other instanceof EnumType)
      return other.values.length > 0 && other.values.every((value) => this.#matches(value));
    return false;
  }

  protected override parametersKey(canonical: boolean): string {
    return joinUnorderedKeys(
      this.patterns.map((pattern) => pattern.equalityKey(canonical)),
      canonical,
    );
  }
}

export const STRING = new StringType();
export const NON_EMPTY_STRING = new StringType(new IntegerType(1n));
export const ENUM = new EnumType();
export const PATTERN = new PatternType();
