import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { inspectString } from '../ruby-core/ruby-inspect.ts';
import { ClassType, ResourceType } from '../types/catalog-types.ts';
import type { PType } from '../types/ptype.ts';
import { capitalizeSegments } from '../types/text/text.ts';
import type { RichKind } from '../types/values/value-kinds.ts';
import { RichValue, type Value } from '../types/values/values.ts';
import type { Definitions } from './ports.ts';
import { parseTitle } from './title-patterns.ts';

/**
 * The Puppet::Resource that 3.x functions get for `File['/x']` and `Class['x']`. It prints as
 * `File[/x]`.
 */
export class LegacyResourceReference extends RichValue {
  readonly type: PType;
  readonly rubyClass = 'Puppet::Resource';
  readonly #definitions: Definitions;

  constructor(type: ResourceType | ClassType, definitions: Definitions) {
    super();
    this.type = type;
    this.#definitions = definitions;
  }

  get valueKind(): RichKind {
    return 'ResourceReference';
  }

  equalityKey(): string {
    return `reference:${this.type.equalityKey()}`;
  }

  override toString(): string {
    const { type } = this;
    if (type instanceof ClassType) return `Class[${capitalizeSegments(type.className ?? '')}]`;
    return type instanceof ResourceType ? `${type.typeName}[${type.title ?? ''}]` : String(type);
  }

  /** Formats like Ruby's `inspect`, with the attributes parsed from the title. */
  inspect(): string {
    const attributes = [...this.#titleAttributes()].map(
      ([name, value]) => `:${name}=>${value === null ? 'nil' : inspectString(value)}`,
    );
    return `${this}{${attributes.join(', ')}}`;
  }

  #titleAttributes(): ReadonlyMap<string, string | null> {
    const { type } = this;
    if (type instanceof ClassType) return new Map([['name', capitalizeSegments(type.className ?? '')]]);
    const title = type instanceof ResourceType ? (type.title ?? '') : '';
    const known =
      type instanceof ResourceType ? this.#definitions.findResourceType((type.typeName ?? '').toLowerCase()) : null;
    return known ? parseTitle(known, title) : new Map([['name', title]]);
  }
}

/** Returns the type behind a 3.x reference; other values unchanged. */
export function toReferredType(value: Value): Value {
  return value instanceof LegacyResourceReference ? value.type : value;
}

/** Returns the reference for a type that names a catalog entry; null for other types. */
export function referenceFor(type: Value, definitions: Definitions): LegacyResourceReference | null {
  if (type instanceof ClassType) {
    if (type.className !== null) return new LegacyResourceReference(type, definitions);
    throw new PuppetError(ISSUES.INVALID_RESOURCE_REFERENCE({ reference: '"class"' }));
  }
  if (!(type instanceof ResourceType)) return null;
  // Ruby: NoMethodError
  if (type.typeName === null) throw new PuppetError("undefined method `include?' for nil:NilClass");
  return new LegacyResourceReference(type, definitions);
}
