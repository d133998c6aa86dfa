import { classTitle } from '../catalog/type-name.ts';
import { ClassType, ResourceReference, ResourceType } from '../types/catalog-types.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/** A value as a resource's parameter holds it: types that name a resource are references. Puppet: Runtime3Converter */
export function parameterValue(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return changed(value) ? value.map(parameterValue) : value;
  if (value instanceof PuppetHash) return changedHash(value);
  if (value instanceof ResourceReference) return value;
  if (value instanceof ResourceType && value.typeName !== null) {
    return new ResourceReference(value.typeName, value.title, value.lowerName);
  }
  if (value instanceof ClassType && value.className !== null) {
    return new ResourceReference('Class', classTitle(value.className.replace(/^::/, '')));
  }
  return value;
}

function changed(values: Iterable<Value>): boolean {
  for (const value of values) if (parameterValue(value) !== value) return true;
  return false;
}

function changedHash(hash: PuppetHash): PuppetHash {
  if (!changed(hash.keys()) && !changed(hash.values())) return hash;
  return PuppetHash.of(Array.from(hash, ([key, item]) => [parameterValue(key), parameterValue(item)] as const));
}
