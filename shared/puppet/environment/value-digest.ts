import { digestSha256 } from '../../util/digest.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/**
 * The digest of a data value such as a fact. Equal values have equal digests: the order of hash
 * keys does not matter, 1 and 1.0 differ. Values other than data are represented by their equality
 * key.
 */
export function valueDigest(value: Value): string {
  return digestSha256(canonicalValue(value));
}

/** The digest of the names of a hash's keys; their order does not matter. */
export function keysDigest(hash: PuppetHash): string {
  return digestSha256([...hash.keys()].map(canonicalValue).sort().join(','));
}

function canonicalValue(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isInteger(value) ? `${value}.0` : String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof PuppetHash) {
    const members = [...value.entries()].map(([key, item]) => `${canonicalValue(key)}:${canonicalValue(item)}`);
    return `{${members.sort().join(',')}}`;
  }
  if ('equalityKey' in value) return `<${value.equalityKey()}>`;
  return `[${value.map(canonicalValue).join(',')}]`;
}
