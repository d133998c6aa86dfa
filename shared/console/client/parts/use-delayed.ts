import { useEffect, useState } from 'preact/hooks';

/** A value once it has been the same for some milliseconds: what one types, when one pauses. */
export function useDelayed<T>(value: T, pauseMs: number): T {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setDelayed(value), pauseMs);
    return () => window.clearTimeout(timer);
  }, [value, pauseMs]);
  return delayed;
}
