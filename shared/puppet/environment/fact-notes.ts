import type { RecordedFact } from './environment.ts';
import type { ReadRecorder } from './recording-hash.ts';
import { keysDigest, valueDigest } from './value-digest.ts';

/** Prefix of a digest of key names. */
export const KEYS = 'keys:';
const KIND = '{}';
const PRESENT = '+';
const ABSENT = '-';

const KIND_RANK = 3;
const KEYS_RANK = 4;
const WHOLE_RANK = 5;

/** The list of missing keys is deduplicated when it reaches this length. */
const NAMES_KEPT = 65_536;

/**
 * Records the reads of a data hash and of the values in it, in the notation of `InputSet`. The more
 * specific record wins.
 */
export class FactRecorder implements ReadRecorder {
  /** The record of the hash itself. */
  #own: string | null = null;
  /** By key: the record of a value, or a recorder for the hash under that key. */
  readonly #values = new Map<string, string | FactRecorder>();
  /**
   * Keys that were looked up but missing, with repetitions. Most of them are new, and a list is
   * cheaper than a Set of thousands. A key counts as missing unless a present value was recorded
   * for it.
   */
  #absent: string[] = [];
  #absentKept = NAMES_KEPT;

  record(path: readonly string[], key: string | null, seen: RecordedFact): void {
    let notes: FactRecorder = this;
    for (const step of path) notes = notes.#getInner(step);
    if (key === null) notes.#own = mergeRecords(notes.#own, printRecordedFact(seen));
    else if (seen.how === 'absent') notes.#noteAbsent(key);
    else notes.#noteValue(key, printRecordedFact(seen));
  }

  /** All records by path (as JSON), without those that a wider or deeper record implies. */
  getAll(): ReadonlyMap<string, string> {
    const all = new Map<string, string>();
    this.#collect([], all);
    return all;
  }

  #noteAbsent(key: string): void {
    this.#absent.push(key);
    if (this.#absent.length < this.#absentKept) return;
    this.#absent = [...new Set(this.#absent)];
    this.#absentKept = 2 * Math.max(this.#absent.length, NAMES_KEPT);
  }

  #noteValue(key: string, seen: string): void {
    const known = this.#values.get(key);
    if (known instanceof FactRecorder) known.#own = mergeRecords(known.#own, seen);
    else if (known !== seen) this.#values.set(key, mergeRecords(known ?? null, seen));
  }

  /** Whether any record is of a present value. */
  get #hasPresentValue(): boolean {
    if (this.#own !== null) return this.#own !== ABSENT;
    return this.#values.values().some((note) => typeof note === 'string' || note.#hasPresentValue);
  }

  #getInner(key: string): FactRecorder {
    const known = this.#values.get(key);
    if (known instanceof FactRecorder) return known;
    const inner = new FactRecorder();
    inner.#own = known ?? null;
    this.#values.set(key, inner);
    return inner;
  }

  /**
   * Adds the records of this hash to `all` and leaves out implied ones. A hash that was read whole
   * implies everything below it. A present value in a hash implies that its container is a hash; a
   * missing one does not. Returns whether any record is of a present value.
   */
  #collect(path: readonly string[], all: Map<string, string>): boolean {
    const own = this.#own;
    const ownRank = own === null ? 0 : rank(own);
    let isThere = own !== null && own !== ABSENT;
    let impliesOwn = false;
    for (const [key, note] of ownRank === WHOLE_RANK ? [] : this.#values) {
      const place = [...path, key];
      if (typeof note === 'string') all.set(JSON.stringify(place), note);
      if (typeof note === 'string' || note.#collect(place, all)) impliesOwn = true;
    }
    for (const key of ownRank === WHOLE_RANK ? [] : new Set(this.#absent)) {
      const note = this.#values.get(key);
      if (note === undefined || (note instanceof FactRecorder && !note.#hasPresentValue)) {
        all.set(JSON.stringify([...path, key]), ABSENT);
      }
    }
    if (impliesOwn) isThere = true;
    if (own !== null && (!impliesOwn || ownRank > KIND_RANK)) all.set(JSON.stringify(path), own);
    return isThere;
  }
}

function mergeRecords(old: string | null, seen: string): string {
  return old === null || rank(seen) > rank(old) ? seen : old;
}

function printRecordedFact(seen: RecordedFact): string {
  if (seen.how === 'whole') return valueDigest(seen.value);
  if (seen.how === 'keys') return KEYS + keysDigest(seen.hash);
  if (seen.how === 'kind') return KIND;
  return seen.how === 'present' ? PRESENT : ABSENT;
}

/** Ranks a record by how specific it is; the higher rank wins. */
function rank(seen: string): number {
  if (seen.startsWith(KEYS)) return KEYS_RANK;
  return [ABSENT, PRESENT, KIND].indexOf(seen) + 1 || WHOLE_RANK;
}
