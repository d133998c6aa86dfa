/**
 * The lookup_options of a data file, cut into one input for each looked-up key. A change of the
 * options of other keys then leaves a catalog current.
 */
import { valueDigest } from '../environment/value-digest.ts';
import { RICH_DATA } from '../types/data-types.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { LOOKUP_OPTIONS } from './lookup-key.ts';
import { compilePattern, isPatternName } from './lookup-options.ts';

/** A key whose options were asked for, and the module whose data were asked; null: no module's. */
interface AskedOptions {
  readonly rootKey: string;
  readonly moduleName: string | null;
}

const NAME = new RegExp(`^${LOOKUP_OPTIONS}\\[(.*)\\](?:\\((\\w+)\\))?$`, 's');
/** Text that Hiera evaluates in a value: its result may be an error, whatever key it belongs to. */
const EVALUATED = /%\{|ENC\[/;

/** The name of this input beside the keys of the file. */
export function nameOptionsOf({ rootKey, moduleName }: AskedOptions): string {
  return `${LOOKUP_OPTIONS}[${rootKey}]${moduleName === null ? '' : `(${moduleName})`}`;
}

/** The opposite of `nameOptionsOf`; null for the names of all other keys. */
export function parseOptionsName(name: string): AskedOptions | null {
  const [, rootKey, moduleName = null] = NAME.exec(name) ?? [];
  return rootKey === undefined ? null : { rootKey, moduleName };
}

/** The value of `lookup_options` in one file. */
export class OptionsDigests {
  /** The digest of the value when it counts as a whole. */
  readonly #whole: string | null;
  readonly #entries: readonly Entry[];
  /** The patterns that are none: any of them fails all lookups. */
  readonly #faulty: readonly string[];

  constructor(value: Value) {
    const isCut = value instanceof PuppetHash && RICH_DATA.isInstance(value) && !isEvaluated(value);
    this.#whole = isCut ? null : valueDigest(value);
    this.#entries = isCut ? [...value.entries()].map(toEntry) : [];
    this.#faulty = this.#entries.filter(({ matches }) => matches === null).map(({ name }) => name);
  }

  /**
   * The digest of all that decides what this file says of a key: its entry, the patterns that match
   * it, and what fails every lookup. Null for nothing.
   */
  digestOf({ rootKey, moduleName }: AskedOptions): string | null {
    if (this.#whole !== null) return this.#whole;
    const own = this.#entries.filter(({ matches }) => matches?.(rootKey));
    const foreign = moduleName === null ? [] : this.#entries.filter(({ name }) => !isNameOf(moduleName, name));
    if (own.length + foreign.length + this.#faulty.length === 0) return null;
    const names = (entries: readonly Entry[]) => entries.map(({ name }) => name);
    return valueDigest([own.map(({ key, value }) => [key, value]), names(foreign), this.#faulty]);
  }
}

interface Entry {
  readonly key: Value;
  readonly name: string;
  readonly value: Value;
  /** Null for a pattern that is none. */
  readonly matches: ((rootKey: string) => boolean) | null;
}

function toEntry([key, value]: readonly [Value, Value]): Entry {
  const name = String(key);
  const matches = isPatternName(name) ? matcherOf(name) : (rootKey: string) => rootKey === name;
  return { key, name, value, matches };
}

function matcherOf(source: string): Entry['matches'] {
  try {
    const pattern = compilePattern(source);
    return (rootKey) => couldMatch(() => pattern.test(rootKey));
  } catch {
    return null;
  }
}

/** A match that fails counts: the lookup fails, too. */
function couldMatch(match: () => boolean): boolean {
  try {
    return match();
  } catch {
    return true;
  }
}

/** Whether the options of a module may have this key or pattern. */
function isNameOf(moduleName: string, name: string): boolean {
  return name.slice(isPatternName(name) ? 1 : 0).startsWith(`${moduleName}::`);
}

function isEvaluated(value: Value): boolean {
  if (typeof value === 'string') return EVALUATED.test(value);
  if (value instanceof PuppetHash) return [...value.entries()].flat().some(isEvaluated);
  return Array.isArray(value) && value.some(isEvaluated);
}
