import type { Clock } from '../../store/ports/clock.ts';

/** Limits on new TLS handshakes. */
export interface AcceptRate {
  readonly perSecond: number;
  /** Handshakes that may begin at once after a quiet time. */
  readonly burst: number;
  /** Handshakes in progress at a time. */
  readonly mostPending: number;
}

/** One core makes 200 to 700 full handshakes a second; the rest of it is for connected clients. */
const USUAL_PER_SECOND = 150;
/** Slow networks have this many handshakes in progress, also at a low rate. */
const LEAST_PENDING = 50;
const BURST_SECONDS = 2;
const PENDING_SECONDS = 2;

/**
 * The limits at a rate. Handshakes of two seconds may be in progress: on a busy machine they end
 * more slowly than they begin, and agents give up after five seconds, which helps nobody.
 */
export function acceptRateOf(perSecond: number, burstSeconds = BURST_SECONDS): AcceptRate {
  const mostPending = Math.max(LEAST_PENDING, PENDING_SECONDS * perSecond);
  return { perSecond, burst: burstSeconds * perSecond, mostPending };
}

export const DEFAULT_ACCEPT_RATE = acceptRateOf(USUAL_PER_SECOND);

/** An event loop with time to spare begins so many times as many handshakes at most. */
const MOST_SPARE = 4;
/** The share of its time from which on an event loop has none to spare. */
const BUSY = 0.8;
/** The spare time is judged once in this time, and the rate then grows or shrinks by a step. */
const JUDGE_MS = 250;
const STEP = 1.5;

/**
 * Load shedding before TLS: a token bucket. An event loop that has time to spare gets up to four
 * times its limits, in steps; one that is busy has them alone. A broker that starts has all four,
 * as no connected client waits for it. Agents come back 200 ms after any close, without jitter, and
 * each return is a full handshake. Only a connection that fails before TLS makes them back off: 7,
 * 15, 28, 49 seconds.
 */
export class AcceptGate {
  readonly #rate: AcceptRate;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #readBusyShare: () => number;
  #spare = MOST_SPARE;
  #judgedAt: number;
  #tokens: number;
  #filledAt: number;
  #pending = 0;

  /** `readBusyShare` reads how busy the event loop was since the last call, 0 to 1. */
  constructor(rate: AcceptRate, clock: Pick<Clock, 'now'>, readBusyShare: () => number) {
    this.#rate = rate;
    this.#readBusyShare = readBusyShare;
    this.#clock = clock;
    this.#tokens = this.#spare * rate.burst;
    this.#filledAt = clock.now();
    this.#judgedAt = this.#filledAt;
  }

  /** Whether as many handshakes are in progress as may be. */
  get isFull(): boolean {
    return this.#pending >= this.#spare * this.#rate.mostPending;
  }

  /** The number of connections that will have a place within so many milliseconds at this rate. */
  countPlaces(milliseconds: number): number {
    return Math.ceil((this.#spare * this.#rate.perSecond * milliseconds) / 1000);
  }

  /** Whether a handshake may begin. Each that does calls `finish` once. */
  admits(): boolean {
    const { perSecond, burst } = this.#rate;
    const now = this.#clock.now();
    this.#judgeSpare(now);
    const filled = (Math.max(0, now - this.#filledAt) / 1000) * perSecond;
    this.#tokens = Math.min(this.#spare * burst, this.#tokens + this.#spare * filled);
    this.#filledAt = now;
    if (this.#tokens < 1 || this.isFull) return false;
    this.#tokens -= 1;
    this.#pending += 1;
    return true;
  }

  /** A handshake ended, whether it succeeded or not. */
  finish(): void {
    this.#pending -= 1;
  }

  #judgeSpare(now: number): void {
    const steps = Math.floor((now - this.#judgedAt) / JUDGE_MS);
    if (steps === 0) return;
    this.#judgedAt = now;
    // A clock that was set back says nothing about the time that passed.
    if (steps < 0) return;
    this.#spare =
      this.#readBusyShare() < BUSY
        ? Math.min(MOST_SPARE, this.#spare * STEP ** steps)
        : Math.max(1, this.#spare / STEP);
  }
}
