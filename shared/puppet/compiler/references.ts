import { classTitle, referenceTypeName } from '../catalog/type-name.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError, type PuppetErrorOptions } from '../errors/puppet-error.ts';
import { ClassType, ResourceType } from '../types/catalog-types.ts';
import type { Value } from '../types/values/values.ts';

/** A reference: its text in messages and catalogs, and its lookup key. */
export interface Reference {
  readonly type: string;
  readonly title: string;
}

/** Returns the resource that a type refers to; null when it is not a reference to a resource. */
export function referenceOf(value: Value): Reference | null {
  if (value instanceof ClassType) {
    const { className } = value;
    return className === null ? null : { type: 'Class', title: classTitle(withoutColons(className)) };
  }
  if (!(value instanceof ResourceType) || value.typeName === null) return null;
  const type = referenceTypeName(value.typeName);
  if (value.title === null) return null;
  return { type, title: type === 'Class' ? classTitle(withoutColons(value.title)) : value.title };
}

/**
 * Returns `Type[title]` for a value that refers to a resource, or `Type[]` for all resources of a
 * type; null for other values.
 */
export function referenceText(value: Value): string | null {
  if (value instanceof ClassType) {
    return value.className === null ? null : `Class[${classTitle(withoutColons(value.className))}]`;
  }
  if (!(value instanceof ResourceType) || value.typeName === null) return null;
  const { type, title } = referenceOf(value) ?? { type: referenceTypeName(value.typeName), title: '' };
  return `${type}[${title}]`;
}

function withoutColons(name: string): string {
  return name.startsWith('::') ? name.slice(2) : name;
}

/**
 * Parses `Type[title]` into type and title. Throws Puppet's error for other texts, at `place`; the
 * message quotes `shown`.
 */
export function parseReference(text: string, place: PuppetErrorOptions = {}, shown = text): Reference {
  const start = text.indexOf('[');
  const isReference = start > 0 && text.endsWith(']') && text.indexOf(']') > start && text.length > start + 2;
  if (isReference) return { type: text.slice(0, start), title: text.slice(start + 1, -1) };
  throw new PuppetError(ISSUES.INVALID_RESOURCE_REFERENCE({ reference: JSON.stringify(shown) }), place);
}
