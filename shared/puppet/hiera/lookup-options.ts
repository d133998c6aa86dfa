import { RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import type { LookupKey } from './lookup-key.ts';

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
export function isPatternName(name: string): boolean {
  return name.startsWith('^');
}

/** Throws RubyFault when `source` is no pattern. */
export function compilePattern(source: string): PuppetRegexp {
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
