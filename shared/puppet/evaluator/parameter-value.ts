import { classTitle } from '../catalog/type-name.ts';
import { ClassType, ResourceReferenceType, ResourceType } from '../types/catalog-types.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/**
 * Converts a value for a resource parameter: types that name a resource become references. Puppet:
 * Runtime3Converter
 */
export function parameterValue(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return hasChange(value) ? value.map(parameterValue) : value;
  if (value instanceof PuppetHash) return toParameterHash(value);
  if (value instanceof ResourceReferenceType) return value;
  if (value instanceof ResourceType && value.typeName !== null) {
    return new ResourceReferenceType(value.typeName, value.title, value.lowerName);
  }
  if (value instanceof ClassType && value.className !== null) {
    return new ResourceReferenceType('Class', classTitle(value.className.replace(/^::/, '')));
  }
  return value;
}

function hasChange(values: Iterable<Value>): boolean {
  for (const value of values) if (parameterValue(value) !== value) return true;
  return false;
}

function toParameterHash(hash: PuppetHash): PuppetHash {
  if (!hasChange(hash.keys()) && !hasChange(hash.values())) return hash;
  return PuppetHash.of(Array.from(hash, ([key, item]) => [parameterValue(key), parameterValue(item)] as const));
}
