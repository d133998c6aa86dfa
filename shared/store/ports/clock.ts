/** The source of time and randomness: nothing above the stores reads a clock directly. */
export interface Clock {
  now(): number;
  /** Resolves after `milliseconds`, or at once when `signal` aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
}
