/** When a step is named, and how often it is named again. */
const [FIRST_MS, NEXT_MS] = [3000, 15_000];

/** The parts of a process that the steps of a start need. */
interface StepOutput {
  readonly print: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `work` after a time; the returned function ends that. */
  readonly later: (ms: number, work: () => void) => () => void;
}

/**
 * Prints what a start is doing where that takes long: a line with the time of day after three
 * seconds, then every fifteen with the seconds so far. What is done at once is not named.
 */
export class StartSteps {
  readonly #output: StepOutput;
  #end: () => void = () => {};

  constructor(output: StepOutput) {
    this.#output = output;
  }

  /** Begins a step in place of the one before; null: the start is over. */
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
