import { MEMBER_SHARDS } from './ports/dependency-index.ts';

/** The shard of a node among the members of a set. */
export function memberShard(certname: string): number {
  let sum = 0;
  for (const byte of Buffer.from(certname)) sum = (sum * 31 + byte) % 65_521;
  return sum % MEMBER_SHARDS;
}
