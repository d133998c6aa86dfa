/** Sends interim responses periodically, where the transport can. */
export class ProgressTimer {
  readonly #report: (() => void) | undefined;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(report: (() => void) | undefined, intervalMs: number) {
    this.#report = report;
    this.#intervalMs = intervalMs;
  }

  start(): void {
    if (this.#report !== undefined) this.#timer = setInterval(this.#report, this.#intervalMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
