import type { Footprint } from './footprint.ts';
import type { Step } from './scheduler.ts';

/** The keys that a step reads and writes, as bits. */
export interface Masks {
  readonly reads: number;
  readonly writes: number;
}

/** Keys beyond these share the last bit: then steps conflict that would commute. */
const MOST_KEYS = 31;
const NOTHING: Masks = { reads: 0, writes: 0 };

/** Compares footprints as bits: races are searched in all pairs of steps of each run. */
export class KeyMasks {
  readonly #bits = new Map<string, number>();
  #known = new Map<Footprint, Masks>();
  #size = 0;

  doConflict(one: Step, other: Step): boolean {
    return this.overlap(this.masksOf(one.footprint), this.masksOf(other.footprint));
  }

  overlap(one: Masks = NOTHING, other: Masks = NOTHING): boolean {
    return ((one.writes & (other.reads | other.writes)) | (one.reads & other.writes)) !== 0;
  }

  masksOf(footprint: Footprint): Masks {
    for (const { key } of footprint) if (!key.endsWith('*')) this.#bitOf(key);
    if (this.#size !== this.#bits.size) {
      // A new key may belong to known stars.
      this.#known = new Map();
      this.#size = this.#bits.size;
    }
    const known = this.#known.get(footprint);
    if (known) return known;
    let reads = 0;
    let writes = 0;
    for (const { key, isWrite } of footprint) {
      if (isWrite) writes |= this.#maskOf(key);
      else reads |= this.#maskOf(key);
    }
    const masks = { reads, writes };
    this.#known.set(footprint, masks);
    return masks;
  }

  /** Frees what the footprints of earlier runs take. */
  forget(): void {
    this.#known = new Map();
  }

  #maskOf(key: string): number {
    if (key === '*') return -1;
    if (!key.endsWith('*')) return this.#bitOf(key);
    const beginning = key.slice(0, -1);
    let mask = 0;
    for (const [name, bit] of this.#bits) if (name.startsWith(beginning)) mask |= bit;
    return mask;
  }

  #bitOf(key: string): number {
    const known = this.#bits.get(key);
    if (known !== undefined) return known;
    const bit = 1 << Math.min(this.#bits.size, MOST_KEYS - 1);
    this.#bits.set(key, bit);
    return bit;
  }
}
