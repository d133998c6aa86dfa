/**
 * CatalogEntry, Class and Resource: types of references to catalog entries. Follows
 * lib/puppet/pops/types/types.rb.
 */

import { PType } from './ptype.ts';
import { capitalizeSegments } from './text/text.ts';
import { partKey } from './values/hash-key.ts';
import type { Value } from './values/values.ts';

export class CatalogEntryType extends PType {
  readonly kind: string = 'CatalogEntry';

  // Puppet: catalog entries are only visible as types, so no value is an instance.
  isInstance(_value: Value): boolean {
    return false;
  }

  protected accepts(other: PType): boolean {
    return other instanceof CatalogEntryType;
  }
}

/** `Class` or `Class[name]`; the name is in lower case, without a leading `::`. */
export class ClassType extends CatalogEntryType {
  override readonly kind = 'Class';
  readonly className: string | null;

  constructor(className: string | null = null) {
    super();
    this.className = className;
  }

  protected override accepts(other: PType): boolean {
    return other instanceof ClassType && (this.className === null || this.className === other.className);
  }

  protected override parametersKey(): string {
    return this.className === null ? '' : `[${this.className}]`;
  }
}

/** `Resource`, `File`, or `File['/tmp/x']`. `typeName` is case-insensitive. */
export class ResourceType extends CatalogEntryType {
  override readonly kind = 'Resource';
  readonly typeName: string | null;
  readonly title: string | null;
  /** `typeName` in lower case. */
  readonly lowerName: string | null;
  /** The parameter of a type alias that is not a title, so that the type names no resource. */
  readonly notATitle: Value;

  constructor(
    typeName: string | null = null,
    title: string | null = null,
    lowerName: string | null = typeName?.toLowerCase() ?? null,
    notATitle: Value = null,
  ) {
    super();
    this.typeName = typeName;
    this.title = title;
    this.lowerName = lowerName;
    this.notATitle = notATitle;
  }

  /** The resource of this type with the given title. */
  withTitle(title: string): ResourceType {
    return new ResourceType(this.typeName, title, this.lowerName);
  }

  protected override accepts(other: PType): boolean {
    if (!(other instanceof ResourceType)) return false;
    if (this.lowerName === null) return true;
    if (this.notATitle !== null) return this.equals(other);
    return this.lowerName === other.lowerName && (this.title === null || this.title === other.title);
  }

  protected override parametersKey(): string {
    const title = JSON.stringify(this.title);
    return `[${this.lowerName},${this.notATitle === null ? title : partKey([this.notATitle])}]`;
  }
}

/**
 * A reference to a resource in a parameter. Puppet makes a Puppet::Resource, which has this type
 * but prints as `File[/tmp/x]`.
 */
export class ResourceReferenceType extends ResourceType {
  override toString(): string {
    return `${capitalizeSegments(this.typeName ?? '')}[${this.title ?? ''}]`;
  }
}

export const CATALOG_ENTRY = new CatalogEntryType();
export const CLASS = new ClassType();
export const RESOURCE = new ResourceType();
