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
 * What 3.x functions get for `File['/x']` and `Class['x']`: a Puppet::Resource, which shows as
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

  /** As Ruby's `inspect` shows it: with the attributes that the title stands for. */
  inspect(): string {
    const attributes = [...this.#titleAttributes()].map(([name, value]) => `:${name}=>${inspectString(value)}`);
    return `${this}{${attributes.join(', ')}}`;
  }

  #titleAttributes(): ReadonlyMap<string, string> {
    const { type } = this;
    if (type instanceof ClassType) return new Map([['name', capitalizeSegments(type.className ?? '')]]);
    const title = type instanceof ResourceType ? (type.title ?? '') : '';
    const known =
      type instanceof ResourceType ? this.#definitions.findResourceType((type.typeName ?? '').toLowerCase()) : null;
    return known ? parseTitle(known, title) : new Map([['name', title]]);
  }
}

/** The type behind what a 3.x function was given as a reference; other values as they are. */
export function toReferredType(value: Value): Value {
  return value instanceof LegacyResourceReference ? value.type : value;
}

/** The reference for a type that names something in a catalog, or null. */
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
