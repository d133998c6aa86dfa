/** The number of parts over which the exports of a type, and its collectors, are spread. */
export const EXPORT_SHARDS = 16;

/** The numbers of all shards. */
export const ALL_EXPORT_SHARDS: readonly number[] = Array.from({ length: EXPORT_SHARDS }, (_, index) => index);

/** The shard of a node's exports and collectors. */
export function exportShardOf(certname: string): number {
  let sum = 0;
  for (const byte of Buffer.from(certname)) sum = (sum * 31 + byte) % 65_521;
  return sum % EXPORT_SHARDS;
}
