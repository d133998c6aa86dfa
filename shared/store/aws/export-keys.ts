import { isTitleKey } from '../../puppet/compiler/export-keys.ts';
import { shortenName } from '../shorten-name.ts';

/** The partition of a type's exports in one shard. */
export function shardPartition(type: string, shard: number): string {
  return `${type}#${shard.toString(16)}`;
}

/** The type of a partition of exports. */
export function typeOfPartition(partition: string): string {
  return partition.slice(0, partition.lastIndexOf('#'));
}

/**
 * The partition of pointers to exports with a key of `listExportKeys`: one a shard for a tag, which
 * all exports may share, one for a title.
 */
export function pointerPartition(type: string, key: string, shard: number): string {
  const name = shortenName(key);
  return isTitleKey(key) ? `${type}#${name}` : `${shardPartition(type, shard)}#${name}`;
}

/** The partition of what is known of a type: versions, and sums of queries. */
export function statePartition(type: string): string {
  return `@${type}`;
}

/** The partition of the collectors that must match a key. */
export function selectorPartition(type: string, key: string): string {
  return `${type}#${shortenName(key)}`;
}

/** A sort key; `nodePrefix` of the certname is its start. */
export function rowId(certname: string, name: string): string {
  return `${nodePrefix(certname)}${shortenName(name)}`;
}

export function nodePrefix(certname: string): string {
  return `${certname.replaceAll(/[%#]/g, encodeURIComponent)}#`;
}

/** The certname of a sort key. */
export function nodeOf(id: string): string {
  return decodeURIComponent(id.slice(0, id.indexOf('#')));
}
