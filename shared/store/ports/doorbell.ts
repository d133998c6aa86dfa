/** Wakes those who wait for what others write to the store. A ring may be lost. */
export interface Doorbell {
  /** Whether rings are known to arrive: those who wait may look seldom. */
  readonly isHeard: boolean;
  /** Wakes those who wait for this name, `JOBS` by default. Call it after the write. */
  ring(name?: string): void;
  /** Returns after a ring for the name, after the time, or when `signal` aborts. */
  wait(milliseconds: number, signal?: AbortSignal, name?: string): Promise<void>;
}

/** The name of rings for jobs. */
export const JOBS = 'jobs';
