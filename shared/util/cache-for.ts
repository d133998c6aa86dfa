/**
 * Caches the result of `make` for a time; concurrent callers share one call. A failure is not
 * cached.
 */
export function cacheFor<T>(milliseconds: number, clock: { now(): number }, make: () => Promise<T>): () => Promise<T> {
  let kept: { readonly value: Promise<T>; readonly until: number } | null = null;
  return () => {
    if (kept !== null && clock.now() < kept.until) return kept.value;
    const made = { value: make(), until: clock.now() + milliseconds };
    made.value.catch(() => {
      if (kept === made) kept = null;
    });
    kept = made;
    return made.value;
  };
}
