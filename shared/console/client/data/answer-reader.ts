import { answerCache, type KeptAnswer } from './answer-cache.ts';
import { callApi } from './api-client.ts';
import { ApiFault } from './api-fault.ts';
import { planRetry, readSpread } from './back-off.ts';
import { readBrowserClock } from './browser-clock.ts';

/** State of the reading of an address. With `fault`, `kept` is the answer before. */
export interface ReadProgress {
  readonly key: string | null;
  readonly kept: KeptAnswer | null;
  readonly fault: ApiFault | null;
  /** When the next try starts, in ms since 1970; null when none is planned. */
  readonly retryAt: number | null;
  readonly isLoading: boolean;
}

/** Takes what became of the progress before. */
type ShowProgress = (change: (before: ReadProgress) => ReadProgress) => void;

/** Reads that events cause come at most so often, and at least so often. */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A page that follows events keeps the server busy for at most one part of so many. */
const SHARE = 20;

/** The progress of an address before its first read: what is kept of it. */
export function startOfReading(key: string | null): ReadProgress {
  const kept = key === null ? null : answerCache.get(key);
  return { key, kept, fault: null, retryAt: null, isLoading: key !== null };
}

/**
 * Reads one address again and again: when the user asks, when something may have changed, and with
 * a growing pause after failures. One read is under way at a time.
 */
export class AnswerReader {
  private readonly path: string;
  private readonly show: ShowProgress;
  private readonly stopped = new AbortController();
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isReading = false;
  private isAskedAgain = false;
  private tookMs = 0;

  constructor(path: string, show: ShowProgress) {
    this.path = path;
    this.show = show;
  }

  /** The pause after an event: 20 times the duration of the last answer, from 1 to 30 seconds. */
  get pauseMs(): number {
    return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, SHARE * this.tookMs));
  }

  /** Reads at once, as the user asks for it; failures before do not count any more. */
  ask(): void {
    this.failures = 0;
    this.forgetTry();
    this.readUnlessReading();
  }

  /**
   * Reads since something may have changed. A try that is planned after a failure is enough. What
   * has failed is not read since time has passed alone (`isPolled`).
   */
  refresh(isPolled: boolean): void {
    if (this.timer !== null || (isPolled && this.failures > 0)) return;
    this.readUnlessReading();
  }

  /** Ends the read that is under way, and all that are planned. */
  stop(): void {
    this.forgetTry();
    this.stopped.abort();
  }

  private forgetTry(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private readUnlessReading(): void {
    // A read is never given up for a newer one: a slow server would never answer.
    if (this.isReading) this.isAskedAgain = true;
    else void this.read();
  }

  private async read(): Promise<void> {
    this.isReading = true;
    this.show((before) => ({ ...(before.key === this.path ? before : startOfReading(this.path)), isLoading: true }));
    const askedAt = readBrowserClock();
    try {
      const answer = await callApi(this.path, { signal: this.stopped.signal });
      this.noteAnswer({ ...answer, askedAt, at: readBrowserClock() });
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      this.noteFault(error instanceof ApiFault ? error : new ApiFault('broken', 'The page failed to read the answer.'));
    }
    this.isReading = false;
    if (!this.isAskedAgain || this.stopped.signal.aborted) return;
    this.isAskedAgain = false;
    this.refresh(false);
  }

  private noteAnswer(kept: KeptAnswer): void {
    this.failures = 0;
    this.tookMs = kept.at - kept.askedAt;
    answerCache.set(this.path, kept);
    if (this.stopped.signal.aborted) return;
    this.show(() => ({ key: this.path, kept, fault: null, retryAt: null, isLoading: false }));
  }

  private noteFault(fault: ApiFault): void {
    this.failures += 1;
    const pause = planRetry(fault, this.failures, readSpread());
    if (pause !== null) {
      this.timer = setTimeout(() => {
        this.timer = null;
        void this.read();
      }, pause);
    }
    const retryAt = pause === null ? null : readBrowserClock() + pause;
    this.show((before) => ({ ...before, key: this.path, fault, retryAt, isLoading: false }));
  }
}
