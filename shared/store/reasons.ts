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
