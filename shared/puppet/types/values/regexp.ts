import { toRegExp } from 'oniguruma-to-es';
import { BoundedCache } from '../../../util/bounded-cache.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { hasFixedEncoding, OPTIONS, withOptions, withoutOptionGroups } from '../../language/regexp-options.ts';
import { GuardedRegExp } from '../../ruby-core/onigmo/guarded-regexp.ts';
import { boundMatchCost } from '../../ruby-core/onigmo/match-cost.ts';
import { OnigmoRegExp } from '../../ruby-core/onigmo/onigmo-regexp.ts';
import { parsePattern } from '../../ruby-core/onigmo/parser.ts';
import { PatternError, patternProblem } from '../../ruby-core/onigmo/pattern.ts';
import { withAsciiClasses } from '../text/ascii-classes.ts';
import { translatePlainPattern } from '../text/plain-pattern.ts';
import type { RichKind } from './value-kinds.ts';
import { RichValue } from './values.ts';

/** Patterns of the process; one that a value of ours holds stays with it all the same. */
const compiled = new BoundedCache<RegExp>(5000);

/** A regular expression in Ruby's syntax. `source` is its text without delimiters. */
export class PuppetRegexp extends RichValue {
  readonly source: string;
  #native: RegExp | undefined;
  #text: string | undefined;

  constructor(source: string) {
    super();
    this.source = source;
  }

  get valueKind(): RichKind {
    return 'Regexp';
  }

  /**
   * The first match with its groups (undefined where they did not participate), or null. Throws
   * PuppetError when the pattern is malformed.
   */
  exec(text: string): RegExpExecArray | null {
    return this.toNative().exec(text);
  }

  test(text: string): boolean {
    return this.toNative().test(text);
  }

  /** An equivalent JavaScript expression without the flags `g` and `y`. */
  toNative(): RegExp {
    this.#native ??= compile(this.source);
    return this.#native;
  }

  equalityKey(): string {
    return `regexp:${this.source}`;
  }

  /** The pattern between slashes, like Ruby's `Regexp#inspect`. */
  inspect(): string {
    return `/${withEscapedSlashes(this.source)}/`;
  }

  /** The pattern between slashes, as Puppet prints it. */
  toDelimited(): string {
    // Puppet: a fixed encoding counts as an option, lib/puppet/pops/types/types.rb,
    // regexp_to_s_with_delimiters
    return hasFixedEncoding(this.source) ? `/${this}/` : this.inspect();
  }

  /**
   * The pattern with its options but without slashes, as Puppet writes it to data and to the
   * pattern of its type.
   */
  toFlagged(): string {
    return withOptions(this.source);
  }

  /** Ruby's `Regexp#to_s`. */
  override toString(): string {
    // Backends of Hiera print the same patterns in each lookup.
    this.#text ??= printWithOptions(this.source);
    return this.#text;
  }
}

function printWithOptions(source: string): string {
  const { text, options } = withoutOptionGroups(source);
  const on = [...OPTIONS].filter((option) => options.has(option)).join('');
  const off = [...OPTIONS].filter((option) => !options.has(option)).join('');
  return `(?${on}${off === '' ? '' : `-${off}`}:${withEscapedSlashes(text)})`;
}

function withEscapedSlashes(text: string): string {
  return text.replace(/\\[\s\S]|\//g, (part) => (part === '/' ? '\\/' : part));
}

/** Compiles a Ruby pattern; throws PuppetError with Ruby's text when it is malformed. */
function compile(source: string): RegExp {
  const known = compiled.get(source);
  if (known) return known;
  const native = translate(source);
  compiled.set(source, native);
  return native;
}

/**
 * Uses the native engine where JavaScript supports the pattern, else a translation, else our own
 * engine. Our own engine also takes searches whose time on the native one has no bound.
 */
function translate(source: string): RegExp {
  const plain = translatePlainPattern(source);
  try {
    // Native look-behind accepts more than Ruby does.
    const pattern = plain === null || source.includes('(?<') ? parsePattern(source) : null;
    if (plain !== null) return guard(source, nativeRegExp(plain)) ?? new RubyRegExp(parsePattern(source));
    if (pattern?.isSpecial) return new RubyRegExp(pattern);
  } catch (error) {
    throw asPuppetError(error, source);
  }
  return guard(source, translatePattern(source)) ?? new RubyRegExp(parsePattern(source));
}

/** Patterns of which every engine takes at most a few steps for each character of a text. */
const SIMPLE = /^(?:[^*+{?|\\]|\\[\s\S])*(?:[?|](?:[^*+{?|\\]|\\[\s\S])*){0,4}$/;

function guard(source: string, native: RegExp | null): RegExp | null {
  if (native === null || SIMPLE.test(source)) return native;
  const pattern = parsePattern(source);
  const cost = boundMatchCost(pattern.root);
  if (cost?.isLinear) return native;
  return new GuardedRegExp({ native, cost, createBounded: (flags) => new RubyRegExp(pattern, flags) });
}

function nativeRegExp(plain: string): RegExp | null {
  try {
    return new RegExp(plain, 'u');
  } catch {
    return null;
  }
}

function translatePattern(source: string): RegExp | null {
  try {
    return toRegExp(withAsciiClasses(source), { rules: { allowOrphanBackrefs: true } });
  } catch {
    return null;
  }
}

function asPuppetError(error: unknown, source: string): unknown {
  if (!(error instanceof PatternError)) return error;
  return new PuppetError(patternProblem(error.message, source), { cause: error });
}

class RubyRegExp extends OnigmoRegExp {
  override exec(text: string): RegExpExecArray | null {
    try {
      return super.exec(text);
    } catch (error) {
      throw error instanceof PatternError ? new PuppetError(error.message, { cause: error }) : error;
    }
  }
}

/** Escapes all special characters of a text, like Ruby's `Regexp.escape`. */
export function escapeRegexp(text: string): string {
  const names: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\f': '\\f', '\v': '\\v' };
  return text.replace(/[[\]{}()|\-*.\\?+^$# \n\t\r\f\v]/g, (char) => names[char] ?? `\\${char}`);
}
