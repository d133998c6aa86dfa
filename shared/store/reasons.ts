/** How many reasons a node's record keeps. */
export const MOST_REASONS = 20;

/** Most characters of a reason: it names facts, files and titles, which may be of any length. */
const LONGEST_REASON = 500;

/** A reason as it is kept and sent. */
export function shortReason(reason: string): string {
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}...` : reason;
}

/** The latest reasons with one more, newest last. */
export function limitReasons(reasons: readonly string[], reason?: string): readonly string[] {
  return [...reasons, ...(reason === undefined ? [] : [shortReason(reason)])].slice(-MOST_REASONS);
}
