import { toRegExp } from 'oniguruma-to-es';
import { PuppetError } from '../errors/puppet-error.ts';
import { withAsciiClasses } from './ascii-classes.ts';
import { translatePlainPattern } from './plain-pattern.ts';
import { RichValue } from './values.ts';

const compiled = new Map<string, RegExp>();
const CACHE_LIMIT = 5000;

/** A regular expression in Ruby's syntax. `source` is its text without delimiters. */
export class PuppetRegexp extends RichValue {
  readonly source: string;
  #native: RegExp | undefined;

  constructor(source: string) {
    super();
    this.source = source;
  }

  /** The first match with its groups (absent ones undefined), or null. Throws PuppetError when the pattern is malformed. */
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

  /** The pattern between slashes, as Ruby's `Regexp#inspect`. */
  inspect(): string {
    return `/${this.source.replace(/\\[\s\S]|\//g, (part) => (part === '/' ? '\\/' : part))}/`;
  }

  /** As interpolation shows it, as Ruby's `Regexp#to_s`. */
  override toString(): string {
    return `(?-mix:${this.inspect().slice(1, -1)})`;
  }
}

/** Translates a Ruby pattern; throws PuppetError with a text like Ruby's when it is malformed. */
function compile(source: string): RegExp {
  const known = compiled.get(source);
  if (known) return known;
  const native = translate(source);
  if (compiled.size >= CACHE_LIMIT) compiled.clear();
  compiled.set(source, native);
  return native;
}

function translate(source: string): RegExp {
  const plain = translatePlainPattern(source);
  if (plain !== null) {
    try {
      return new RegExp(plain, 'u');
    } catch {
      return translateRuby(source);
    }
  }
  return translateRuby(source);
}

function translateRuby(source: string): RegExp {
  try {
    return toRegExp(withAsciiClasses(source), { rules: { allowOrphanBackrefs: true } });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new PuppetError(`${rubyReason(said)}: /${source}/`, { cause: error });
  }
}

/** What the translator says is wrong with a pattern, and what Ruby says. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/unclosed character class/i, 'premature end of char-class'],
  [/empty character class/i, 'empty char-class'],
  [/unclosed group/i, 'end pattern with unmatched parenthesis'],
  [/unmatched "\)"/i, 'unmatched close parenthesis'],
  [/quantifier requires/i, 'target of repeat operator is not specified'],
  [/range out of order/i, 'empty range in char class'],
  [/incomplete escape/i, 'too short escape sequence'],
  [/invalid group name/i, 'invalid group name <>'],
];

function rubyReason(said: string): string {
  return REASONS.find(([pattern]) => pattern.test(said))?.[1] ?? said.charAt(0).toLowerCase() + said.slice(1);
}

/** `text` with everything that has a meaning in a pattern escaped, as Ruby's `Regexp.escape`. */
export function escapeRegexp(text: string): string {
  const names: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\f': '\\f', '\v': '\\v' };
  return text.replace(/[[\]{}()|\-*.\\?+^$# \n\t\r\f\v]/g, (char) => names[char] ?? `\\${char}`);
}
