/**
 * A machine's memory with write tracking by card. The machine's code marks its own writes
 * (`wasm-tracking.ts`); writes of the host are marked here.
 */

export const CARD_BITS = 12;
export const CARD_BYTES = 1 << CARD_BITS;
/**
 * A store marks only the card of its base address; its bytes may lie this far behind the end of
 * that card.
 */
export const SLACK_BYTES = 256;
const MARKED = 1;

/** The content of a card without trailing zeros; undefined when it is all zeros. */
export type Card = Uint8Array | undefined;

export class TrackedMemory {
  readonly #memory: WebAssembly.Memory;
  readonly #table: number | null;
  #view: DataView;
  #bytes: Uint8Array;

  constructor(memory: WebAssembly.Memory, table: number | null) {
    this.#memory = memory;
    this.#table = table;
    this.#view = new DataView(memory.buffer);
    this.#bytes = new Uint8Array(memory.buffer);
  }

  get length(): number {
    return this.bytes.length;
  }

  /** The whole memory. Writes through it are not tracked. */
  get bytes(): Uint8Array {
    this.#refresh();
    return this.#bytes;
  }

  /** Returns a part for reading. */
  readAt(start: number, size: number): Uint8Array {
    return this.bytes.subarray(start >>> 0, (start >>> 0) + (size >>> 0));
  }

  /** Returns a part for writing and marks its cards. */
  writeAt(start: number, size: number): Uint8Array {
    this.#mark(start >>> 0, size >>> 0);
    return this.readAt(start, size);
  }

  /** A view for reading. */
  get view(): DataView {
    this.#refresh();
    return this.#view;
  }

  set8(at: number, value: number): void {
    this.#mark(at >>> 0, 1);
    this.view.setUint8(at, value);
  }

  set16(at: number, value: number): void {
    this.#mark(at >>> 0, 2);
    this.view.setUint16(at, value, true);
  }

  set32(at: number, value: number): void {
    this.#mark(at >>> 0, 4);
    this.view.setUint32(at, value, true);
  }

  set64(at: number, value: bigint): void {
    this.#mark(at >>> 0, 8);
    this.view.setBigUint64(at, value, true);
  }

  /**
   * Restores the cards written since the last reset, when the memory equalled `cards`, and clears
   * the marks.
   */
  setBack(cards: readonly Card[]): void {
    const marks = this.#marks;
    for (let first = marks.indexOf(MARKED); first >= 0; ) {
      const end = marks.indexOf(0, first);
      const next = end < 0 ? marks.length : end;
      for (let card = first; card < next; card += 1) this.put(card, cards[card]);
      if (next < marks.length) this.#put(next, SLACK_BYTES, cards[next]);
      marks.fill(0, first, next);
      first = marks.indexOf(MARKED, next);
    }
  }

  /**
   * Returns the numbers of the cards written since the last reset, and of the cards after them,
   * which a store may have reached.
   */
  listWrittenCards(): number[] {
    const marks = this.#marks;
    const found: number[] = [];
    marks.forEach((mark, card) => {
      if (mark === MARKED || (card > 0 && marks[card - 1] === MARKED)) found.push(card);
    });
    return found;
  }

  forgetWritten(): void {
    this.#marks.fill(0);
  }

  /** Sets the content of a card. */
  put(card: number, content: Card): void {
    this.#put(card, CARD_BYTES, content);
  }

  /** Returns the content of a card. */
  cardAt(card: number): Card {
    const bytes = this.readAt(card << CARD_BITS, CARD_BYTES);
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end -= 1;
    return end === 0 ? undefined : bytes.slice(0, end);
  }

  /** Sets the first `size` bytes of a card to those of `content`. */
  #put(card: number, size: number, content: Card): void {
    const start = card << CARD_BITS;
    const filled = content && content.length > size ? content.subarray(0, size) : content;
    if (filled) this.#bytes.set(filled, start);
    if (!filled || filled.length < size) this.#bytes.fill(0, start + (filled?.length ?? 0), start + size);
  }

  get #marks(): Uint8Array {
    const { bytes } = this;
    if (this.#table === null) throw new Error('nothing is noted of this memory');
    return bytes.subarray(this.#table, this.#table + (bytes.length >>> CARD_BITS));
  }

  #mark(start: number, size: number): void {
    if (size === 0 || this.#table === null) return;
    const marks = this.#table + (start >>> CARD_BITS);
    this.bytes.fill(MARKED, marks, this.#table + ((start + size - 1) >>> CARD_BITS) + 1);
  }

  /** A memory that grows gets a new buffer. */
  #refresh(): void {
    if (this.#bytes.length !== 0) return;
    this.#view = new DataView(this.#memory.buffer);
    this.#bytes = new Uint8Array(this.#memory.buffer);
  }
}
