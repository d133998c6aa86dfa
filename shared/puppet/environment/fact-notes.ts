import type { RecordedFact } from './environment.ts';
import { PRESENT } from './file-notes.ts';
import type { ReadRecorder } from './recording-hash.ts';
import { keysDigest, valueDigest } from './value-digest.ts';

/** Stands before the digest of key names. */
export const KEYS = 'keys:';
const KIND = '{}';
const ABSENT = '-';

const KIND_RANK = 3;
const KEYS_RANK = 4;
const WHOLE_RANK = 5;

/** So many names are kept before those that were noted again are looked for. */
const NAMES_KEPT = 65_536;

/**
 * Notes what is seen of a hash of data and of what is in it, as `InputSet` writes it; what one note
 * says more than another stands.
 */
export class FactRecorder implements ReadRecorder {
  /** What was seen of the hash itself. */
  #own: string | null = null;
  /** By key: what was seen of a value, or of what is in it as well. */
  readonly #values = new Map<string, string | FactRecorder>();
  /**
   * Keys that were looked for in vain, some of them more than once: most are new, and a table of
   * thousands costs more than a list. Each of them counts as long as nothing was noted that is
   * there.
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

  /** By path as JSON, less what a wider or deeper note says already. */
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

  /** Whether something was noted that is there. */
  get #tellsOfSomething(): boolean {
    if (this.#own !== null) return this.#own !== ABSENT;
    return this.#values.values().some((note) => typeof note === 'string' || note.#tellsOfSomething);
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
   * Leaves out what is below a hash that was read whole, and that something is a hash when a value
   * in it says so: an absent one says nothing about what is around it. Answers whether something
   * was noted that is there.
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
      if (note === undefined || (note instanceof FactRecorder && !note.#tellsOfSomething)) {
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

/** How much a note says; the higher one stands. */
function rank(seen: string): number {
  if (seen.startsWith(KEYS)) return KEYS_RANK;
  return [ABSENT, PRESENT, KIND].indexOf(seen) + 1 || WHOLE_RANK;
}
