/**
 * A blocking frame channel between two threads. One SharedArrayBuffer holds a slot for each
 * direction; a message of any size passes through its slot in pieces. Both sides wait with
 * Atomics.wait, so neither needs its event loop.
 */
import { readProcessorWait, readThreadId } from './processor-wait.ts';

/** Bytes of a message that one piece holds. */
const PIECE = 1 << 18;
const MOST_MESSAGE_BYTES = 1 << 27;

const WORDS = 8;
const HEADER = WORDS * Int32Array.BYTES_PER_ELEMENT;
const MEMORY_WORD = 4;
const PROCESS_WORD = 5;
const THREAD_WORD = 6;
const DRAWS_WORD = 7;

const EMPTY = 0;
const MORE = 1;
const LAST = 2;
const BROKEN = 3;
const FAULTY = 4;

/** Slot numbers. */
const TO_RUBY = 0;
const FROM_RUBY = 1;

/**
 * Control frames, which Ruby does not answer as requests: save this state; restore the last saved
 * state, or the initial state.
 */
export const HOLD = '{"op":"hold"}';
export const BACK = '{"op":"back"}';
export const BASE = '{"op":"base"}';

const OPENING_BRACE = 0x7b;

/** The other side did not answer within the time limit. */
export class TimeLimitExceeded extends Error {}

/** The other side ended; the message is its last report. */
export class ChannelBroken extends Error {}

/** The other side ended because of a fault of our machinery, not of Ruby code. */
export class ChannelFaulty extends Error {}

/** A budget spends so many milliseconds before it looks at what the other side waits for. */
const UNWATCHED_MS = 500;

/**
 * A budget of milliseconds for waiting; each wait reduces it. Time in which the other side had no
 * processor does not count: on an overloaded machine, code does not take longer than it may.
 */
export class TimeBudget {
  #left: number;
  readonly #watchedFrom: number;
  readonly #readProcessorWait: () => number;
  /** Time for which the other side had waited for a processor when last asked; null before. */
  #seenWait: number | null = null;

  /** `readProcessorWait`: milliseconds that the other side has waited for a processor so far. */
  constructor(milliseconds: number, readProcessorWait: () => number = () => 0) {
    this.#left = milliseconds;
    this.#watchedFrom = milliseconds - UNWATCHED_MS;
    this.#readProcessorWait = readProcessorWait;
  }

  /** Waits while `word` holds `value`. Throws TimeLimitExceeded. */
  wait(words: Int32Array, word: number, value: number): void {
    while (Atomics.load(words, word) === value) {
      if (this.#seenWait === null && this.#left <= this.#watchedFrom) this.#seenWait = this.#readProcessorWait();
      if (this.#left <= 0) this.#extend();
      // Measures only the duration of the wait; it does not affect a compile.
      const start = process.hrtime.bigint();
      Atomics.wait(words, word, value, this.#seenWait === null ? Math.min(this.#left, UNWATCHED_MS) : this.#left);
      this.#left -= Number(process.hrtime.bigint() - start) / 1e6;
    }
  }

  /** Gives back what the other side waited for a processor. Throws TimeLimitExceeded. */
  #extend(): void {
    const waited = this.#readProcessorWait();
    this.#left += waited - (this.#seenWait ?? waited);
    this.#seenWait = waited;
    if (this.#left <= 0) throw new TimeLimitExceeded();
  }
}

export function createChannelBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER + 2 * PIECE);
}

/** One direction of the channel: a header with state and length, and room for one piece. */
class Slot {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #state: number;

  constructor(shared: SharedArrayBuffer, index: 0 | 1) {
    this.#words = new Int32Array(shared, 0, WORDS);
    this.#bytes = new Uint8Array(shared, HEADER + index * PIECE, PIECE);
    this.#state = 2 * index;
  }

  write(message: Uint8Array, budget: TimeBudget, last = LAST): void {
    let start = 0;
    do {
      const piece = message.subarray(start, start + PIECE);
      start += PIECE;
      this.#waitUntilEmpty(budget);
      this.#bytes.set(piece);
      Atomics.store(this.#words, this.#state + 1, piece.length);
      this.#become(start < message.length ? MORE : last);
    } while (start < message.length);
  }

  /**
   * Returns the next piece, and whether it completes its message. Throws ChannelBroken and
   * ChannelFaulty.
   */
  read(budget: TimeBudget): { readonly bytes: Uint8Array; readonly isLast: boolean } {
    budget.wait(this.#words, this.#state, EMPTY);
    const state = Atomics.load(this.#words, this.#state);
    const bytes = this.#bytes.slice(0, Atomics.load(this.#words, this.#state + 1));
    if (state === BROKEN) throw new ChannelBroken(new TextDecoder().decode(bytes));
    if (state === FAULTY) throw new ChannelFaulty(new TextDecoder().decode(bytes));
    this.#become(EMPTY);
    return { bytes, isLast: state === LAST };
  }

  end(reason: string, state: typeof BROKEN | typeof FAULTY): void {
    const bytes = new TextEncoder().encode(reason).subarray(-PIECE);
    this.write(bytes, new TimeBudget(Number.POSITIVE_INFINITY), state);
  }

  #waitUntilEmpty(budget: TimeBudget): void {
    for (;;) {
      const state = Atomics.load(this.#words, this.#state);
      if (state === EMPTY) return;
      budget.wait(this.#words, this.#state, state);
    }
  }

  #become(state: number): void {
    Atomics.store(this.#words, this.#state, state);
    Atomics.notify(this.#words, this.#state);
  }
}

/**
 * Returns a JavaScript statement that does what RubyEnd.fail does, for a thread that could not load
 * its modules. `shared` and `reason` are JavaScript expressions: the buffer, and the text.
 */
export function failingCode(shared: string, reason: string): string {
  const state = 2 * FROM_RUBY;
  return `{
    const words = new Int32Array(${shared}, 0, ${WORDS});
    const bytes = new TextEncoder().encode(${reason}).subarray(-${PIECE});
    new Uint8Array(${shared}, ${HEADER + FROM_RUBY * PIECE}, ${PIECE}).set(bytes);
    Atomics.store(words, ${state + 1}, bytes.length);
    Atomics.store(words, ${state}, ${FAULTY});
    Atomics.notify(words, ${state});
  }`;
}

/**
 * The requesting thread's end. Every method may throw TimeLimitExceeded, ChannelBroken and
 * ChannelFaulty.
 */
export class HostEnd {
  readonly #words: Int32Array;
  readonly #out: Slot;
  readonly #in: Slot;
  #joined = '';

  constructor(shared: SharedArrayBuffer) {
    this.#words = new Int32Array(shared, 0, WORDS);
    this.#out = new Slot(shared, TO_RUBY);
    this.#in = new Slot(shared, FROM_RUBY);
  }

  send(frame: string, budget: TimeBudget): void {
    this.#out.write(new TextEncoder().encode(`${this.#joined}${frame}\n`), budget);
    this.#joined = '';
  }

  /** Sends the control frame BACK in the message of the next frame. It gets no answer then. */
  joinBack(): void {
    this.#joined = `${BACK}\n`;
  }

  receive(budget: TimeBudget): string {
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { bytes, isLast } = this.#in.read(budget);
      text += decoder.decode(bytes, { stream: !isLast });
      if (isLast) return text;
      if (text.length > MOST_MESSAGE_BYTES) throw new ChannelBroken('a message is too large');
    }
  }

  /** Kilobytes of memory that the other side last reported. */
  get memoryKilobytes(): number {
    return Atomics.load(this.#words, MEMORY_WORD);
  }

  /** The number of times that the other side drew random bytes. */
  get randomDraws(): number {
    return Atomics.load(this.#words, DRAWS_WORD);
  }

  /** Process id of Ruby; 0 when Ruby runs in this process. */
  get processId(): number {
    return Atomics.load(this.#words, PROCESS_WORD);
  }

  /** Milliseconds that Ruby has waited for a processor since it began. */
  get processorWaitMs(): number {
    return readProcessorWait(this.processId || Atomics.load(this.#words, THREAD_WORD));
  }
}

/** The Ruby thread's end: reads a stream of bytes, writes whole lines. */
export class RubyEnd {
  readonly #words: Int32Array;
  readonly #in: Slot;
  readonly #out: Slot;
  #unread: Uint8Array = new Uint8Array();
  #unsent: Uint8Array[] = [];

  constructor(shared: SharedArrayBuffer) {
    this.#words = new Int32Array(shared, 0, WORDS);
    this.#in = new Slot(shared, TO_RUBY);
    this.#out = new Slot(shared, FROM_RUBY);
  }

  /**
   * Waits for bytes from the host; returns at least one and at most `most`. The control frame BACK
   * is returned alone, also when another frame follows it in its message.
   */
  read(most: number): Uint8Array {
    if (this.#unread.length === 0) this.#unread = this.#in.read(new TimeBudget(Number.POSITIVE_INFINITY)).bytes;
    const line = this.#unread.subarray(0, BACK.length + 1);
    const bytes = this.isCommand(line, BACK) ? line : this.#unread.subarray(0, most);
    this.#unread = this.#unread.subarray(bytes.length);
    return bytes;
  }

  /** Whether bytes of the last message are left to read. */
  get hasUnread(): boolean {
    return this.#unread.length > 0;
  }

  /** Whether the bytes are that control frame. */
  isCommand(bytes: Uint8Array, frame: string): boolean {
    if (bytes.length !== frame.length + 1 || bytes[0] !== OPENING_BRACE) return false;
    return Buffer.from(bytes).toString('latin1') === `${frame}\n`;
  }

  /** Takes a part of the output stream; sends each line when its line feed arrives. */
  write(bytes: Uint8Array): void {
    let rest = bytes;
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      this.#unsent.push(rest.slice(0, end));
      rest = rest.subarray(end + 1);
      this.#out.write(Buffer.concat(this.#unsent), new TimeBudget(Number.POSITIVE_INFINITY));
      this.#unsent = [];
    }
    if (rest.length > 0) this.#unsent.push(rest.slice());
  }

  /** Reports to the host that no more output will follow. */
  break(reason: string): void {
    this.#out.end(reason, BROKEN);
  }

  /** Like `break`, for a fault of our machinery rather than of Ruby code. */
  fail(reason: string): void {
    this.#out.end(reason, FAULTY);
  }

  reportProcess(id: number): void {
    Atomics.store(this.#words, PROCESS_WORD, id);
  }

  /** Reports that the current thread runs Ruby. */
  reportThread(): void {
    Atomics.store(this.#words, THREAD_WORD, readThreadId());
  }

  /** Reports that Ruby drew random bytes. */
  reportDraw(): void {
    Atomics.add(this.#words, DRAWS_WORD, 1);
  }

  reportMemory(bytes: number): void {
    Atomics.store(this.#words, MEMORY_WORD, Math.ceil(bytes / 1024));
  }
}
