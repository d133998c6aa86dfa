/** Time and randomness, so that nothing above the stores reads a clock. */
export interface Clock {
  now(): number;
  /** Resolves after `milliseconds`, at once when `signal` aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
}
