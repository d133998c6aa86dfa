import type { Value } from '../values/values.ts';
import { extensionOf } from './object-extension.ts';
import type { ObjectType } from './object-type.ts';
import type { PuppetObject } from './puppet-object.ts';

/**
 * Makes an object. `given` returns an attribute's value, or undefined for its default. Values are
 * not checked.
 */
export function createObject(type: ObjectType, given: (attribute: string) => Value | undefined): PuppetObject {
  const attributes = new Map<string, Value>();
  for (const attribute of type.allAttributes.values()) {
    const value = attribute.isGiven ? given(attribute.name) : undefined;
    attributes.set(attribute.name, value ?? (value === null ? null : (attribute.value ?? null)));
  }
  for (const [reader, attribute] of type.definition.readers ?? []) {
    attributes.set(reader, attributes.get(attribute) ?? null);
  }
  const isParameterized = type.allTypeParameters.size > 0;
  return type.instantiate(attributes, isParameterized ? toParameterized(type, attributes) : type);
}

function toParameterized(type: ObjectType, attributes: ReadonlyMap<string, Value>) {
  return extensionOf(type, (name) => attributes.get(name));
}
