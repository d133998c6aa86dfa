const KEY = 'understudy-dismissed';
const MOST = 100;

/** The ids of notices that were dismissed in this tab; none where the browser keeps nothing. */
export function readDismissed(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(window.sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}

/** Keeps them until the tab is closed. */
export function keepDismissed(ids: readonly string[]): void {
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify(ids.slice(-MOST)));
  } catch {
    // They are shown again when the page loads again.
  }
}
