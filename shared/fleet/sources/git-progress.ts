import type { WorkObserver } from '../../util/work-observer.ts';

const STEP = /^(?:remote: )?([A-Z][a-z]+(?: [a-z]+){0,3}): +\d{1,3}% \((\d{1,12})\/(\d{1,12})\)/;
/** A line that is longer is no step. */
const LONGEST_LINE = 1000;

/**
 * Reads what `git fetch --progress` writes on standard error. Steps such as `Receiving objects: 45%
 * (9/20)` go to the observer; the rest is kept for messages.
 */
export class GitProgress {
  readonly #observe: WorkObserver;
  #line = '';

  constructor(observe: WorkObserver) {
    this.#observe = observe;
  }

  /** Takes the next part of the output; returns the whole lines in it that are no steps. */
  take(text: string): string {
    const lines = (this.#line + text).split(/[\r\n]/);
    this.#line = (lines.pop() ?? '').slice(-LONGEST_LINE);
    return lines.map((line) => (this.#isStep(line) ? '' : `${line}\n`)).join('');
  }

  /** The last line, which has no end. */
  get rest(): string {
    return this.#line;
  }

  #isStep(line: string): boolean {
    const [, what, done, of] = STEP.exec(line.slice(0, LONGEST_LINE)) ?? [];
    if (what === undefined) return false;
    this.#observe(what.toLowerCase(), Number(done), Number(of));
    return true;
  }
}
