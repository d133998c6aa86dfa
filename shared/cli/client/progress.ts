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

/** A count of work that goes on: where and when it began. */
interface CountedWork {
  readonly label: string;
  readonly of: number | null;
  readonly from: number;
  readonly at: number;
}

const BAR_WIDTH = 24;
const LEAST_BAR_WIDTH = 8;
/** Minimum interval between two drawings of a bar. */
const DRAW_MS = 100;
/** Elsewhere, a line is printed after this time without one. */
const LINE_MS = 60_000;
/** A rate is shown when work was watched for so long. */
const MEASURED_MS = 2000;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows how far a command is, on standard error: with its rate and the time that is left, where
 * these are known. On a terminal it is a bar in one line, which is wiped off at the end; elsewhere
 * a line a minute, and none of what is done in less.
 */
export class Progress {
  readonly #output: ProgressOutput;
  #shownAt: number;
  #isDrawn = false;
  #work: CountedWork | null = null;

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
    const { write, isTerminal, now } = this.#output;
    const at = now();
    const pace = done === null ? '' : this.#measure(label, done, of, at);
    const isLast = done !== null && done === of;
    if (at - this.#shownAt < (isTerminal ? DRAW_MS : LINE_MS) && !(isTerminal && isLast)) return;
    this.#shownAt = at;
    const count = done === null ? '' : of === null ? `${done}` : `${done} of ${of}`;
    if (!isTerminal) {
      write(`${label}${count === '' ? '' : `: ${count}${pace}`}\n`);
      return;
    }
    this.#isDrawn = true;
    const text = `${label}${count === '' ? ' ...' : `: ${count}${pace}`}`;
    const share = done === null || of === null || of === 0 ? null : done / of;
    write(`${CLEAR_LINE}${this.#fit(text, share)}`);
  }

  /** Wipes off the bar. It may be shown again. */
  end(): void {
    if (this.#isDrawn) this.#output.write(CLEAR_LINE);
    this.#isDrawn = false;
  }

  /** `, 12/s, 3 min left`; empty until the work was watched for two seconds. */
  #measure(label: string, done: number, of: number | null, at: number): string {
    const before = this.#work;
    const goesOn = before !== null && before.label === label && before.of === of && before.from <= done;
    const work = goesOn ? before : { label, of, from: done, at };
    this.#work = work;
    const [seconds, amount] = [(at - work.at) / 1000, done - work.from];
    if (seconds < MEASURED_MS / 1000 || amount === 0) return '';
    const rate = amount / seconds;
    const left = of === null || of <= done ? '' : `, ${formatSpan((of - done) / rate)} left`;
    return `, ${formatRate(rate)}${left}`;
  }

  /** The text behind as much of a bar as there is room for in the line. */
  #fit(text: string, share: number | null): string {
    const room = this.#output.columns - 1;
    const width = Math.min(BAR_WIDTH, room - text.length - '[] '.length);
    const bar = share === null || width < LEAST_BAR_WIDTH ? '' : `${drawBar(share, width)} `;
    return `${bar}${text}`.slice(0, room);
  }
}

/**
 * A progress for a command with this format: JSON is for programs, so that lines would be noise. A
 * person at a terminal sees the bar with each format.
 */
export function openProgress(format: string, output: ProgressOutput = thisTerminal()): Progress {
  return new Progress(format === 'json' && !output.isTerminal ? { ...output, write: () => {} } : output);
}

function drawBar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `[${'='.repeat(filled)}${' '.repeat(width - filled)}]`;
}

/** `12/s`; `30/min` for what takes longer than a second. */
function formatRate(perSecond: number): string {
  if (perSecond >= 10) return `${Math.round(perSecond)}/s`;
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${Math.max(1, Math.round(perSecond * 60))}/min`;
}

function formatSpan(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
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
