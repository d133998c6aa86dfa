import { freezeDeep } from '../types/values/frozen.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { RecordedFact } from './environment.ts';

const ABSENT = { how: 'absent' } as const;
const PRESENT = { how: 'present' } as const;
const KIND = { how: 'kind' } as const;

/**
 * Records a read of the hash at `path` (outermost key first): of its value under `key`, or of the
 * hash itself when `key` is null.
 */
export interface ReadRecorder {
  record(path: readonly string[], key: string | null, seen: RecordedFact): void;
}

/**
 * A data hash (facts, trusted) that records its reads. `get` of a nested hash returns another
 * RecordingHash and records only its kind; `get` of any other value records the whole value.
 * Methods that show only the keys record the key names; all others record the whole hash. Returned
 * values are frozen.
 */
export class RecordingHash extends PuppetHash {
  readonly #plain: PuppetHash;
  readonly #path: readonly string[];
  readonly #recorder: ReadRecorder;
  /**
   * Values that `get` returned before, which are not recorded again. Nested hashes are kept as
   * RecordingHash.
   */
  readonly #known = new Map<string, Value>();
  #hasRecordedWhole = false;
  #hasRecordedKeys = false;

  constructor(plain: PuppetHash, witness: ReadRecorder, path: readonly string[] = []) {
    super();
    this.#plain = plain;
    this.#recorder = witness;
    this.#path = path;
  }

  override get isFrozen(): boolean {
    return true;
  }

  override get size(): number {
    return this.#getKeys().size;
  }

  override get sizeForLimits(): number {
    return this.#plain.sizeForLimits;
  }

  override get(key: Value): Value | undefined {
    if (typeof key !== 'string') return this.#plain.get(key);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#plain.get(key);
    if (value === undefined) {
      this.#recorder.record(this.#path, key, ABSENT);
      return undefined;
    }
    if (!(value instanceof PuppetHash)) {
      this.#recorder.record(this.#path, key, { how: 'whole', value });
      this.#known.set(key, freezeDeep(value));
      return value;
    }
    this.#recorder.record(this.#path, key, KIND);
    const child = new RecordingHash(value, this.#recorder, this.#path.concat([key]));
    this.#known.set(key, child);
    return child;
  }

  override has(key: Value): boolean {
    const found = this.#plain.has(key);
    if (typeof key === 'string') this.#recorder.record(this.#path, key, found ? PRESENT : ABSENT);
    return found;
  }

  override set(key: Value, value: Value): this {
    if (typeof key === 'string') this.#known.delete(key);
    this.#plain.set(key, value);
    return this;
  }

  override delete(key: Value): boolean {
    if (typeof key === 'string') this.#known.delete(key);
    return this.#plain.delete(key);
  }

  override entries(): IterableIterator<readonly [Value, Value]> {
    return this.#getWhole().entries();
  }

  override keys(): IterableIterator<Value> {
    return this.#getKeys().keys();
  }

  override values(): IterableIterator<Value> {
    return this.#getWhole().values();
  }

  override copy(): PuppetHash {
    return this.#getWhole().copy();
  }

  #getKeys(): PuppetHash {
    if (!this.#hasRecordedKeys) this.#recorder.record(this.#path, null, { how: 'keys', hash: this.#plain });
    this.#hasRecordedKeys = true;
    return this.#plain;
  }

  #getWhole(): PuppetHash {
    if (!this.#hasRecordedWhole) this.#recorder.record(this.#path, null, { how: 'whole', value: this.#plain });
    this.#hasRecordedWhole = true;
    return freezeDeep(this.#plain);
  }
}
