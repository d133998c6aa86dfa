import { freezeDeep } from '../types/values/frozen.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { FactSeen } from './environment.ts';

const ABSENT = { how: 'absent' } as const;
const PRESENT = { how: 'present' } as const;
const KIND = { how: 'kind' } as const;

/** Told what was read of the hash at `path`, from the outermost one on: of its value `key`, or of itself (null). */
export interface Witness {
  note(path: readonly string[], key: string | null, seen: FactSeen): void;
}

/**
 * A hash of data (facts, trusted) that tells what is read of it. `get` of a hash in it answers another RecordingHash and tells
 * only that there is a hash; of anything else it tells the whole value. What shows only
 * the keys tells their names, everything else the whole hash. What it gives out is frozen.
 */
export class RecordingHash extends PuppetHash {
  readonly #plain: PuppetHash;
  readonly #path: readonly string[];
  readonly #witness: Witness;
  /** What was told of once is not told again: hashes as they are handed out, other values as they are. */
  readonly #known = new Map<string, Value>();
  #told = false;
  #toldKeys = false;

  constructor(plain: PuppetHash, witness: Witness, path: readonly string[] = []) {
    super();
    this.#plain = plain;
    this.#witness = witness;
    this.#path = path;
  }

  override get isFrozen(): boolean {
    return true;
  }

  /** The hash behind, of which nothing is told: for the compiler's own use, never for user code. */
  get plain(): PuppetHash {
    return this.#plain;
  }

  override get size(): number {
    return this.#keys().size;
  }

  override get(key: Value): Value | undefined {
    if (typeof key !== 'string') return this.#plain.get(key);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#plain.get(key);
    if (value === undefined) {
      this.#witness.note(this.#path, key, ABSENT);
      return undefined;
    }
    if (!(value instanceof PuppetHash)) {
      this.#witness.note(this.#path, key, { how: 'whole', value });
      this.#known.set(key, freezeDeep(value));
      return value;
    }
    this.#witness.note(this.#path, key, KIND);
    const child = new RecordingHash(value, this.#witness, this.#path.concat([key]));
    this.#known.set(key, child);
    return child;
  }

  override has(key: Value): boolean {
    const found = this.#plain.has(key);
    if (typeof key === 'string') this.#witness.note(this.#path, key, found ? PRESENT : ABSENT);
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
    return this.#whole().entries();
  }

  override keys(): IterableIterator<Value> {
    return this.#keys().keys();
  }

  #keys(): PuppetHash {
    if (!this.#toldKeys) this.#witness.note(this.#path, null, { how: 'keys', hash: this.#plain });
    this.#toldKeys = true;
    return this.#plain;
  }

  #whole(): PuppetHash {
    if (!this.#told) this.#witness.note(this.#path, null, { how: 'whole', value: this.#plain });
    this.#told = true;
    return freezeDeep(this.#plain);
  }
}
