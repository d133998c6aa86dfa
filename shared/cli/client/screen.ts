/** A full screen that is drawn again and again, until the person at it has seen enough. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly hasColors: boolean;
  /** Whether `q`, CTRL-C or a signal ended it. */
  readonly hasEnded: boolean;
  /** Takes the terminal: the screen is empty, and keys are read. */
  open(): void;
  /** Replaces what is shown by these lines, which fit. */
  draw(lines: readonly string[]): void;
  /**
   * Waits for this time at most; returns at once when the size changes, the screen ends, or `until`
   * has resolved.
   */
  wait(milliseconds: number, until?: Promise<unknown>): Promise<void>;
  /** Gives the terminal back as it was. It may be called twice. */
  close(): void;
}

/** The parts of a terminal's input that a screen needs. */
interface ScreenInput {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', handle: (bytes: Uint8Array) => void): unknown;
  off(event: 'data', handle: (bytes: Uint8Array) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** The parts of a terminal's output that a screen needs. */
interface ScreenOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  hasColors?(): boolean;
  on(event: 'resize', handle: () => void): unknown;
  off(event: 'resize', handle: () => void): unknown;
}

/** Calls handlers at signals, and at the end of the process. */
interface ProcessEvents {
  on(event: NodeJS.Signals | 'exit', handle: () => void): unknown;
  off(event: NodeJS.Signals | 'exit', handle: () => void): unknown;
}

interface ScreenProcess {
  readonly input: ScreenInput;
  readonly output: ScreenOutput;
  readonly events: ProcessEvents;
}

/** The other screen of a terminal, without a cursor; and back. */
const TAKE = '\u001b[?1049h\u001b[?25l';
const GIVE_BACK = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_REST_OF_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const ENDING_KEYS: readonly string[] = ['q', 'Q', '\u0003'];
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const [USUAL_COLUMNS, USUAL_ROWS] = [80, 24];

/** The screen of this process's terminal. */
export class ProcessScreen implements Screen {
  readonly #process: ScreenProcess;
  #isOpen = false;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(parts: ScreenProcess = { input: process.stdin, output: process.stdout, events: process }) {
    this.#process = parts;
  }

  get columns(): number {
    return this.#process.output.columns ?? USUAL_COLUMNS;
  }

  get rows(): number {
    return this.#process.output.rows ?? USUAL_ROWS;
  }

  /** `hasColors` knows NO_COLOR and dumb terminals. */
  get hasColors(): boolean {
    return this.#process.output.hasColors?.() === true;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  open(): void {
    const { input, output, events } = this.#process;
    this.#isOpen = true;
    output.write(TAKE);
    output.on('resize', this.#resize);
    for (const signal of ENDING_SIGNALS) events.on(signal, this.#end);
    // An error that nobody expects ends the process: the terminal is usable then, too.
    events.on('exit', this.#giveBack);
    if (input.isTTY !== true) return;
    input.setRawMode?.(true);
    input.on('data', this.#readKeys);
    input.resume();
  }

  draw(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}${CLEAR_REST_OF_LINE}`).join('\r\n');
    this.#process.output.write(`${HOME}${text}${CLEAR_BELOW}`);
  }

  async wait(milliseconds: number, until?: Promise<unknown>): Promise<void> {
    if (this.#hasEnded) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#wake = resolve;
    until?.then(() => resolve());
    await promise;
    clearTimeout(timer);
  }

  close(): void {
    const { output, events } = this.#process;
    output.off('resize', this.#resize);
    for (const signal of ENDING_SIGNALS) events.off(signal, this.#end);
    events.off('exit', this.#giveBack);
    this.#giveBack();
  }

  readonly #giveBack = () => {
    const { input, output } = this.#process;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    output.write(GIVE_BACK);
    if (input.isTTY !== true) return;
    input.off('data', this.#readKeys);
    input.setRawMode?.(false);
    input.pause();
  };

  readonly #resize = () => this.#wake();

  readonly #end = () => {
    this.#hasEnded = true;
    this.#wake();
  };

  readonly #readKeys = (bytes: Uint8Array) => {
    const keys = Buffer.from(bytes).toString('latin1');
    if ([...keys].some((key) => ENDING_KEYS.includes(key))) this.#end();
  };
}
