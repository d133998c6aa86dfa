import { systemClock } from '../../store/system-clock.ts';

/** Output and clock of the progress. */
interface ProgressOutput {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Characters of a line. */
  readonly columns: number;
  /** Milliseconds since an arbitrary time. */
  readonly now: () => number;
}

const BAR_WIDTH = 24;
/** Minimum interval between two drawings of a bar. */
const DRAW_MS = 100;
/** Elsewhere, a line is printed after this time without one. */
const LINE_MS = 3000;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows how far a command is, on standard error: a bar on a terminal, which is wiped off at the
 * end; elsewhere a line from time to time, and none of what is done at once.
 */
export class Progress {
  readonly #output: ProgressOutput;
  #shownAt: number;
  #isDrawn = false;

  constructor(output: ProgressOutput = thisTerminal()) {
    this.#output = output;
    this.#shownAt = output.isTerminal ? Number.NEGATIVE_INFINITY : output.now();
  }

  /** Whether a bar is drawn, and not lines. */
  get isBar(): boolean {
    return this.#output.isTerminal;
  }

  /** Shows what is being done, and, where that is known, how much of it. */
  show(label: string, done: number | null = null, of: number | null = null): void {
    const { write, isTerminal, columns, now } = this.#output;
    const at = now();
    const isLast = done !== null && done === of;
    if (at - this.#shownAt < (isTerminal ? DRAW_MS : LINE_MS) && !(isTerminal && isLast)) return;
    this.#shownAt = at;
    const count = done === null ? '' : of === null ? `${done}` : `${done} of ${of}`;
    if (!isTerminal) {
      write(`${label}${count === '' ? '' : `: ${count}`}\n`);
      return;
    }
    this.#isDrawn = true;
    const bar = done === null || of === null || of === 0 ? '' : `${drawBar(done / of)} `;
    write(`${CLEAR_LINE}${`${bar}${label}${count === '' ? ' ...' : `: ${count}`}`.slice(0, columns - 1)}`);
  }

  /** Wipes off the bar. It may be shown again. */
  end(): void {
    if (this.#isDrawn) this.#output.write(CLEAR_LINE);
    this.#isDrawn = false;
  }
}

function drawBar(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
  return `[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}]`;
}

function thisTerminal(): ProgressOutput {
  const { stderr } = process;
  return {
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTTY === true,
    columns: stderr.columns ?? 80,
    now: systemClock.now,
  };
}
