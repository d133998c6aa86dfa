/** Bits of one page. */
const PAGE_BITS = 2 ** 15;
/** At most so many pages of 4 KB: 64 MB. */
const PAGES = 16_384;

/** A set of numbers that lie close together; it forgets what exceeds its bound of memory. */
export class PositionMemo {
  readonly #pages = new Map<number, Int32Array>();
  #lastNumber = -1;
  #last: Int32Array | undefined;

  add(key: number): void {
    const number = Math.floor(key / PAGE_BITS);
    let page = this.#pageAt(number);
    if (!page) {
      if (this.#pages.size >= PAGES) return;
      page = new Int32Array(PAGE_BITS / 32);
      this.#pages.set(number, page);
      this.#last = page;
    }
    const bit = key % PAGE_BITS;
    page[bit >> 5] = (page[bit >> 5] ?? 0) | (1 << (bit & 31));
  }

  has(key: number): boolean {
    const page = this.#pageAt(Math.floor(key / PAGE_BITS));
    if (!page) return false;
    const bit = key % PAGE_BITS;
    return ((page[bit >> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  #pageAt(number: number): Int32Array | undefined {
    if (number !== this.#lastNumber) {
      this.#lastNumber = number;
      this.#last = this.#pages.get(number);
    }
    return this.#last;
  }
}
