import { valueDigest } from '../environment/value-digest.ts';
import { RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { RICH_DATA } from '../types/data-types.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import type { Value } from '../types/values/values.ts';
import { LOOKUP_OPTIONS, type LookupKey } from './lookup-key.ts';

/** Parsed `lookup_options`: options by key, and by pattern for keys that start with `^`. */
export class LookupOptions {
  readonly #byKey = new Map<string, PuppetHash>();
  readonly #patterns: [PuppetRegexp, PuppetHash | null][] = [];

  static from(options: PuppetHash | null): LookupOptions | null {
    return options && new LookupOptions(options);
  }

  private constructor(options: PuppetHash) {
    for (const [key, value] of options.entries()) {
      const name = String(key);
      const options = value instanceof PuppetHash ? value : null;
      if (isPatternName(name)) this.#patterns.push([compilePattern(name), options]);
      else if (options) this.#byKey.set(name, options);
    }
  }

  get(rootKey: string): PuppetHash | null {
    const exact = this.#byKey.get(rootKey);
    if (exact) return exact;
    return this.#patterns.find(([pattern]) => pattern.test(rootKey))?.[1] ?? null;
  }
}

/** Whether a key of lookup_options is a pattern for keys. */
function isPatternName(name: string): boolean {
  return name.startsWith('^');
}

/** Throws RubyFault when `source` is no pattern. */
function compilePattern(source: string): PuppetRegexp {
  const pattern = new PuppetRegexp(source);
  try {
    pattern.toNative();
  } catch (error) {
    throw error instanceof PuppetError ? new RubyFault(error.basic, { cause: error }) : error;
  }
  return pattern;
}

/** Returns the options of a key; null when it has none. */
export function optionsFor(key: LookupKey, options: LookupOptions | null): PuppetHash | null {
  return options?.get(key.rootKey) ?? null;
}

/**
 * The lookup_options of a data file, cut into one input for each looked-up key. A change of the
 * options of other keys then leaves a catalog current.
 */

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
