/** How many reasons a node's record keeps. */
export const MOST_REASONS = 20;

/** The latest reasons with one more, newest last. */
export function boundedReasons(reasons: readonly string[], reason?: string): readonly string[] {
  return [...reasons, ...(reason === undefined ? [] : [reason])].slice(-MOST_REASONS);
}
