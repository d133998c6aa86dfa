import type { InputRecorder } from '../environment/environment.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { KeptValuesPort } from '../evaluator/ports.ts';

/** A text that an earlier compile kept, and what identifies this state of it. */
export interface KeptText {
  readonly text: string;
  readonly version: string;
}

/** Returns what is kept under a name: null for nothing; undefined when it was not fetched yet. */
export type KeptLookup = (name: string) => KeptText | null | undefined;

/** A text that a compile leaves under a name; null removes it. */
export interface KeptChange {
  readonly name: string;
  /** The version that the compile read; null: there was none. */
  readonly from: string | null;
  readonly text: string | null;
}

/**
 * Thrown when a compile needs a kept value that was not fetched. It is not an error: the caller
 * fetches it and restarts the compile.
 */
export class NeedsKeptValue extends Error {
  /** The name of the value. */
  readonly valueName: string;

  constructor(valueName: string) {
    super('a kept value is needed');
    this.name = 'NeedsKeptValue';
    this.valueName = valueName;
  }
}

/** Limits for one compile: the values it may name, and the characters of one. */
const MOST_VALUES = 1000;
const LONGEST_TEXT = 65_536;
const LONGEST_NAME = 500;

/**
 * The values that code of modules keeps on the server: passwords and keys that one compile creates
 * and later ones find. What this compile writes is visible to itself, and the caller stores it.
 * Each value that was there, or missing, is an input.
 */
export class KeptValues implements KeptValuesPort {
  readonly #lookUp: KeptLookup;
  readonly #inputs: InputRecorder;
  readonly #found = new Map<string, KeptText | null>();
  readonly #written = new Map<string, string | null>();

  constructor(lookUp: KeptLookup, inputs: InputRecorder) {
    this.#lookUp = lookUp;
    this.#inputs = inputs;
  }

  read(name: string): string | null {
    const found = this.#find(name);
    return this.#written.get(name) ?? (this.#written.has(name) ? null : (found?.text ?? null));
  }

  write(name: string, text: string | null): void {
    if (text !== null && text.length > LONGEST_TEXT) {
      throw new PuppetError(ISSUES.KEPT_VALUE_TOO_LONG({ name, length: text.length, limit: LONGEST_TEXT }));
    }
    this.#find(name);
    this.#written.set(name, text);
  }

  /** The changes of this compile, in the order of names. */
  get changes(): readonly KeptChange[] {
    return [...this.#written]
      .flatMap(([name, text]) => {
        const found = this.#found.get(name) ?? null;
        return text === (found?.text ?? null) ? [] : [{ name, from: found?.version ?? null, text }];
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #find(name: string): KeptText | null {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    if (this.#found.size >= MOST_VALUES || name.length > LONGEST_NAME) {
      throw new PuppetError(ISSUES.TOO_MANY_KEPT_VALUES({ name, values: MOST_VALUES, characters: LONGEST_NAME }));
    }
    const found = this.#lookUp(name);
    if (found === undefined) throw new NeedsKeptValue(name);
    this.#found.set(name, found);
    this.#inputs.recordKeptValue(name, found?.version ?? null);
    return found;
  }
}

/** For a compile whose values nobody stores: there are none, and what it writes ends with it. */
export const NOTHING_KEPT: KeptLookup = () => null;
