import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import { hasMoreThanAscii } from '../ruby-core/ruby-string.ts';
import { ClassType, ResourceType } from '../types/catalog-types.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { RichValue, type Value } from '../types/values/values.ts';

/**
 * Up to this number of tags a linear search is faster than a Set. A list is also far smaller, and a
 * catalog has thousands.
 */
const FEW = 12;

/**
 * The tags of a resource, a scope or a catalog: lower case; `a::b` also tags `a` and `b`. Puppet:
 * lib/puppet/util/tagging.rb
 */
export class TagSet implements Iterable<string> {
  /** All tags, in the order in which they were added. */
  #tags: string[] = [];
  /** The same tags as a Set, once there are many; else null. */
  #index: Set<string> | null = null;

  /**
   * Adds tags given as a value: a string, or nested arrays of strings. Throws, with `place` as the
   * location, when one is not a valid tag.
   */
  add(value: Value, place: SourceLocation = {}): void {
    for (const tag of flatten(splatValue(value))) {
      const name = rubyToS(tag).toLowerCase();
      if (this.has(name)) continue;
      if (!isValidTag(name)) throw new PuppetError(ISSUES.INVALID_TAG({ name }), place);
      this.#insert(name);
    }
  }

  /** Adds a name if it is a valid tag. */
  addIfValid(name: string): void {
    if (isValidTag(name)) this.#insert(name.toLowerCase());
  }

  has(tag: string): boolean {
    return this.#index ? this.#index.has(tag) : this.#tags.includes(tag);
  }

  merge(other: TagSet): void {
    const added = this.#tags.length === 0 ? other.#tags : other.#tags.filter((tag) => !this.has(tag));
    if (added.length === 0) return;
    // One list for all: a list for each tag is 2% of the CPU time of a large catalog.
    this.#tags = this.#tags.concat(added);
    if (this.#tags.length > FEW) this.#index = new Set(this.#tags);
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#tags.values();
  }

  /** All tags, in the order in which they were added. */
  get names(): readonly string[] {
    return this.#tags;
  }

  #insert(name: string): void {
    this.#addOnce(name);
    if (name.includes('::')) for (const part of splitSegments(name)) this.#addOnce(part);
  }

  #addOnce(name: string): void {
    if (this.has(name)) return;
    if (this.#tags.length < FEW) {
      // Not `push`, which over-allocates a short list by 16 elements.
      this.#tags = this.#tags.concat([name]);
      return;
    }
    this.#tags.push(name);
    if (this.#index) this.#index.add(name);
    else this.#index = new Set(this.#tags);
  }
}

const VALID_TAG = /^[\p{Alphabetic}\p{Mark}\p{Decimal_Number}_][\p{Alphabetic}\p{Mark}\p{Decimal_Number}_:.-]*\n?$/u;

/** VALID_TAG for ASCII names, which nearly all are. This pattern is far cheaper to compile. */
const PLAIN_TAG = /^\w[\w:.-]*\n?$/;

function isValidTag(name: string): boolean {
  return PLAIN_TAG.test(name) || (hasMoreThanAscii(name) && VALID_TAG.test(name));
}

/**
 * Spreads a value as Ruby's `*` does. Puppet: a reference is spread into the parameters of a new
 * resource, which has none.
 */
function splatValue(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof PuppetHash) return Array.from(value, ([key, item]) => [key, item]);
  return isReference(value) ? [] : [value];
}

function isReference(value: Value): boolean {
  if (value instanceof ResourceType) return value.typeName !== null;
  if (value instanceof ClassType) return value.className !== null;
  return value instanceof RichValue && 'rubyClass' in value && value.rubyClass === 'Puppet::Resource';
}

/** Splits like Ruby's `split('::')`: without empty strings at the end. */
function splitSegments(name: string): string[] {
  const parts = name.split('::');
  while (parts.at(-1) === '') parts.pop();
  return parts;
}

function flatten(value: Value): Exclude<Value, null>[] {
  if (Array.isArray(value)) return value.flatMap((item: Value) => flatten(item));
  return value === null ? [] : [isReference(value) ? referenceText(value) : value];
}

/**
 * The text of a Puppet::Resource: title in brackets without quotes; the brackets stay when there is
 * no title.
 */
function referenceText(value: Value): string {
  if (value instanceof ResourceType) return `${value.typeName}[${value.title ?? ''}]`;
  return value instanceof ClassType ? `Class[${value.className}]` : String(value);
}
