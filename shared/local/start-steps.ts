/** Milliseconds until a step is named, and between its next lines. */
const [FIRST_MS, NEXT_MS] = [3000, 15_000];

/** The parts of a process that the steps of a start need. */
interface StepOutput {
  readonly print: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `work` after `ms` milliseconds; the returned function cancels the call. */
  readonly later: (ms: number, work: () => void) => () => void;
}

/**
 * Prints the slow steps of a start: a line after three seconds, then one every fifteen, each with
 * the time and the seconds so far. Faster steps print nothing.
 */
export class StartSteps {
  readonly #output: StepOutput;
  #end: () => void = () => {};

  constructor(output: StepOutput) {
    this.#output = output;
  }

  /** Ends the current step and begins the next one; null: the start is over. */
  show(step: string | null): void {
    this.#end();
    this.#end = () => {};
    if (step !== null) this.#wait(step, this.#output.now(), FIRST_MS);
  }

  #wait(step: string, begun: number, ms: number): void {
    const { print, now, later } = this.#output;
    this.#end = later(ms, () => {
      const at = now();
      const seconds = Math.round((at - begun) / 1000);
      print(`${new Date(at).toISOString()} ${step}: ${seconds} s so far`);
      this.#wait(step, begun, NEXT_MS);
    });
  }
}

/** `StepOutput.later` of a process. */
export function afterTime(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
