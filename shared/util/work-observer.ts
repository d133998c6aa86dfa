/**
 * Is called while a long work goes on: what is being done, how much of it is done, and of how much
 * in all; null where that is not known.
 */
export type WorkObserver = (what: string, done?: number | null, of?: number | null) => void;

/** For work that nobody watches. */
export const unobserved: WorkObserver = () => {};
