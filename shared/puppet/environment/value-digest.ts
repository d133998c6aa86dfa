import { digestSha256 } from '../../util/digest.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/**
 * The digest of a data value such as a fact. It differs for all values that code can distinguish: 1
 * and 1.0, 0.0 and -0.0, and hashes with equal entries in another order, since iteration shows the
 * order. Values other than data are represented by their equality key.
 */
export function valueDigest(value: Value): string {
  return digestSha256(printValue(value));
}

/** Whether two data values have the same digest; it takes a fraction of the time of digests. */
export function isSameData(one: Value, other: Value): boolean {
  if (one instanceof PuppetHash && other instanceof PuppetHash) {
    const others = other.entries();
    if (one.size !== other.size) return false;
    for (const entry of one.entries()) if (!isSameData(entry, others.next().value ?? null)) return false;
    return true;
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSameData(item, other[index] ?? null));
  }
  return Object.is(one, other) || (isRich(one) && isRich(other) && printValue(one) === printValue(other));
}

function isRich(value: Value): boolean {
  return typeof value === 'object' && value !== null && 'equalityKey' in value;
}

/** The digest of the names of a hash's keys, in their order. */
export function keysDigest(hash: PuppetHash): string {
  return digestSha256([...hash.keys()].map(printValue).join(','));
}

function printValue(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return printFloat(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof PuppetHash) {
    const members = [...value.entries()].map(([key, item]) => `${printValue(key)}:${printValue(item)}`);
    return `{${members.join(',')}}`;
  }
  if ('equalityKey' in value) return `<${value.equalityKey()}>`;
  return `[${value.map(printValue).join(',')}]`;
}

function printFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
