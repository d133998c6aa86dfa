/**
 * Ruby's `Random`: MT19937, seeded from an integer of any size (random.c). The same seed gives the
 * same numbers.
 */
export class RubyRandom {
  readonly #state = new Uint32Array(SIZE);
  #next = SIZE;

  constructor(seed: bigint) {
    const key = seedWords(seed < 0n ? -seed : seed);
    if (key.length <= 1) this.#seedFromWord(key[0] ?? 0);
    else this.#seedFromWords(key);
  }

  /** An integer in 0...limit, like `Random#rand(limit)`; null when `limit` is not positive. */
  drawInteger(limit: bigint): bigint | null {
    if (limit <= 0n) return null;
    return this.#drawUpTo(limit - 1n);
  }

  /** Rejection sampling from the most significant word on, as in Ruby. */
  #drawUpTo(maximum: bigint): bigint {
    if (maximum === 0n) return 0n;
    return maximum <= MAX_LONG ? this.#longUpTo(maximum) : this.#bigUpTo(maximum);
  }

  #longUpTo(maximum: bigint): bigint {
    const mask = maskOf(maximum);
    for (;;) {
      let value = 0n;
      let fits = true;
      for (let word = 1n; word >= 0n && fits; word -= 1n) {
        if (((mask >> (word * 32n)) & WORD) === 0n) continue;
        value = (value | (BigInt(this.#drawWord()) << (word * 32n))) & mask;
        fits = value <= maximum;
      }
      if (fits) return value;
    }
  }

  #bigUpTo(maximum: bigint): bigint {
    const limits = wordsOf(maximum).reverse();
    for (;;) {
      const value = this.#drawBelow(limits);
      if (value !== null) return value;
    }
  }

  #drawBelow(limits: readonly number[]): bigint | null {
    let value = 0n;
    let onBoundary = true;
    for (const [index, limit] of limits.entries()) {
      const mask = index === 0 ? Number(maskOf(BigInt(limit))) : 0xffffffff;
      const random = (this.#drawWord() & mask) >>> 0;
      if (onBoundary && random > limit) return null;
      if (random < limit) onBoundary = false;
      value = (value << 32n) | BigInt(random);
    }
    return value;
  }

  #seedFromWord(seed: number): void {
    const state = this.#state;
    state[0] = seed;
    for (let index = 1; index < SIZE; index += 1) {
      const before = wordAt(state, index - 1);
      state[index] = Math.imul(1812433253, before ^ (before >>> 30)) + index;
    }
  }

  #seedFromWords(key: readonly number[]): void {
    const state = this.#state;
    this.#seedFromWord(19650218);
    let index = 1;
    let keyIndex = 0;
    for (let round = Math.max(SIZE, key.length); round > 0; round -= 1) {
      const before = wordAt(state, index - 1);
      state[index] =
        (wordAt(state, index) ^ Math.imul(before ^ (before >>> 30), 1664525)) + (key[keyIndex] ?? 0) + keyIndex;
      index = this.#advance(index);
      keyIndex = (keyIndex + 1) % key.length;
    }
    for (let round = SIZE - 1; round > 0; round -= 1) {
      const before = wordAt(state, index - 1);
      state[index] = (wordAt(state, index) ^ Math.imul(before ^ (before >>> 30), 1566083941)) - index;
      index = this.#advance(index);
    }
    state[0] = 0x80000000;
  }

  #advance(index: number): number {
    if (index + 1 < SIZE) return index + 1;
    this.#state[0] = wordAt(this.#state, SIZE - 1);
    return 1;
  }

  #drawWord(): number {
    if (this.#next >= SIZE) this.#regenerate();
    let word = wordAt(this.#state, this.#next);
    this.#next += 1;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #regenerate(): void {
    const state = this.#state;
    for (let index = 0; index < SIZE; index += 1) {
      const mixed = (wordAt(state, index) & 0x80000000) | (wordAt(state, (index + 1) % SIZE) & 0x7fffffff);
      state[index] = wordAt(state, (index + 397) % SIZE) ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }
}

const SIZE = 624;
const WORD = 0xffffffffn;
const MAX_LONG = 0xffffffffffffffffn;

function wordAt(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

/** 32-bit words, least significant first. */
function wordsOf(value: bigint): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 32n) words.push(Number(rest & WORD));
  return words.length === 0 ? [0] : words;
}

/** Ruby drops a most significant word of 1, its guard against leading zeros. */
function seedWords(seed: bigint): number[] {
  const words = wordsOf(seed);
  return words.length > 1 && words.at(-1) === 1 ? words.slice(0, -1) : words;
}

/** A mask of all bits up to the highest bit of `value`. */
function maskOf(value: bigint): bigint {
  return (1n << BigInt(value.toString(2).length)) - 1n;
}
