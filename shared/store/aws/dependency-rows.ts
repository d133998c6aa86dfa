import { digestSha256 } from '../../util/digest.ts';
import { memberShard } from '../member-shard.ts';
import type { MembershipKey, Part } from '../ports/dependency-index.ts';
import { systemClock } from '../system-clock.ts';
import { pack, readText } from './attributes.ts';
import type { Item } from './table.ts';

/** A partition key has at most 2,048 bytes. */
const MOST_NAME_BYTES = 1_500;

/** A key that no other process uses: rows under such keys are written once. */
export function createRowToken(): string {
  return systemClock.random().toString(36).slice(2);
}

/** Possible remains of a registration: memberships, and the owned paths of a purged node. */
export interface Leaving {
  readonly certname: string;
  readonly generation: number;
  readonly memberships: readonly LeavingMembership[];
  /** Partition keys of owned paths. */
  readonly own: readonly string[];
}

export interface LeavingMembership extends MembershipKey {
  readonly environment: string;
}

/** The row that notes it; `at` orders the rows of a shard. */
export function leavingRow(leaving: Leaving, at: number): Item {
  const { certname } = leaving;
  const to = `${leavingTime(at)}#${certname}#${createRowToken()}`;
  return { from: leavingsKey(memberShard(certname)), to, leaving: pack(leaving) };
}

export function leavingsKey(shard: number): string {
  return `left#${shard}`;
}

/** The start of the sort keys of rows noted at this time. */
export function leavingTime(at: number): string {
  return String(Math.max(0, at)).padStart(15, '0');
}

export function membershipRow(certname: string, { environment, set, token }: LeavingMembership): Item {
  return { from: membersKey(environment, set, memberShard(certname)), to: `${certname}#${token}` };
}

export function membersKey(environment: string, set: string, shard: number): string {
  return `members#${environment}#${set}#${shard}`;
}

export function setsKey(environment: string): string {
  return `sets#${environment}`;
}

export function ownKey(environment: string, path: string): string {
  return `own#${environment}#${shortName(path)}`;
}

export function partsKey(environment: string, name: string): string {
  return `parts#${environment}#${shortName(name)}`;
}

export function partRow(environment: string, { id, name }: Pick<Part, 'id' | 'name'>): Item {
  return { from: partsKey(environment, name), to: id };
}

/** The node of a member's or owner's row. */
export function certnameOfRow(row: Item): string {
  return readText(row, 'to').split('#', 1)[0] ?? '';
}

function shortName(name: string): string {
  return Buffer.byteLength(name) > MOST_NAME_BYTES ? `#${digestSha256(name)}` : name;
}
