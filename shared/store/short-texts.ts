import { digestSha256 } from '../util/digest.ts';

/**
 * The longest name in a key of an index, in bytes. DynamoDB's limits are 2048 bytes for a partition
 * key and 1024 for a sort key, PostgreSQL's is some 2,700 for an entry of an index.
 */
const MOST_NAME_BYTES = 600;

/** A name as it stands in the key of an index: a long one is replaced by its digest. */
export function shortenName(name: string): string {
  return Buffer.byteLength(name) > MOST_NAME_BYTES ? `#${digestSha256(name)}` : name;
}

/** Number of reasons that a node's record keeps. */
export const MOST_REASONS = 20;

/** Longest reason in characters. Reasons name facts, files and titles of any length. */
const LONGEST_REASON = 500;

/** Truncates a reason for storage and messages. */
export function shortReason(reason: string): string {
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}...` : reason;
}

/** Appends a reason and keeps the latest ones, newest last. */
export function limitReasons(reasons: readonly string[], reason?: string): readonly string[] {
  return [...reasons, ...(reason === undefined ? [] : [shortReason(reason)])].slice(-MOST_REASONS);
}
