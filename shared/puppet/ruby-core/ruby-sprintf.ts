/**
 * Ruby's `Kernel#sprintf` (sprintf.c): flags, widths, positional and named arguments, all
 * conversions. Errors are thrown as `SprintfError` with Ruby's message.
 */
import { checkTextLength } from '../errors/value-limits.ts';
import { parseRubyFloat, parseRubyInteger } from './ruby-number.ts';
import { type Directive, decimalText, floatName, floatText, pad, radixText, truncate } from './sprintf-text.ts';

export class SprintfError extends Error {
  /** The class of Ruby's error. */
  readonly kind: 'ArgumentError' | 'TypeError' | 'KeyError' | 'FloatDomainError' | 'RangeError' | 'NoMemoryError';

  constructor(kind: SprintfError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Access to the arguments' values. */
export interface SprintfValues<T> {
  toS(value: T): string;
  inspect(value: T): string;
  /** The Ruby class of a value in errors: `Array`, `nil`, `true`. */
  className(value: T): string;
  /**
   * An entry of a hash argument: undefined when the key is missing, null when the argument is not a
   * hash.
   */
  getEntry(hash: T, key: string): T | undefined | null;
}

/** Greater widths and precisions are rejected, as Ruby does when they exceed its memory. */
const LONGEST = 2 ** 28;

export function rubySprintf<T>(format: string, args: readonly T[], values: SprintfValues<T>): string {
  return new Formatter(format, args, values).run();
}

class Formatter<T> {
  readonly #format: string;
  readonly #args: readonly T[];
  readonly #values: SprintfValues<T>;
  #position = 0;
  /**
   * The number of arguments taken in order; -1 when numbered, -2 when named arguments are in use.
   */
  #taken = 0;
  #current: T | undefined;
  #hasCurrent = false;

  constructor(format: string, args: readonly T[], values: SprintfValues<T>) {
    this.#format = format;
    this.#args = args;
    this.#values = values;
  }

  run(): string {
    let out = '';
    while (this.#position < this.#format.length) {
      const percent = this.#format.indexOf('%', this.#position);
      if (percent < 0) return out + this.#format.slice(this.#position);
      out += this.#format.slice(this.#position, percent);
      this.#position = percent + 1;
      out += this.#readDirective();
    }
    return out;
  }

  #readDirective(): string {
    const flags: Directive = {
      alternate: false,
      plus: false,
      minus: false,
      zero: false,
      space: false,
      width: null,
      precision: null,
      conversion: '',
    };
    this.#hasCurrent = false;
    for (;;) {
      const char = this.#format[this.#position];
      if (char === undefined) throw argumentError('incomplete format specifier; use %% (double %) instead');
      this.#position += 1;
      if (this.#readFlag(char, flags)) continue;
      if (char === '{' || char === '<') {
        this.#readNamed(char);
        if (char === '<') continue;
        return pad(truncate(this.#values.toS(this.#takeArgument()), flags.precision), flags);
      }
      flags.conversion = char;
      return this.#convert(flags);
    }
  }

  /** Reads one flag, width or precision; returns false when `char` starts none of them. */
  #readFlag(char: string, flags: Directive): boolean {
    switch (char) {
      case ' ':
        flags.space = true;
        return true;
      case '#':
        flags.alternate = true;
        return true;
      case '+':
        flags.plus = true;
        return true;
      case '-':
        flags.minus = true;
        return true;
      case '0':
        flags.zero = true;
        return true;
      case '*': {
        if (flags.width !== null) throw argumentError('width given twice');
        const width = this.#implicitInt(this.#starArgument());
        flags.width = Math.abs(width);
        if (width < 0) flags.minus = true;
        return true;
      }
      case '.':
        this.#readPrecision(flags);
        return true;
      default:
        return /[1-9]/.test(char) && this.#readNumber(flags);
    }
  }

  #readNumber(flags: Directive): boolean {
    const digits = /^\d+/.exec(this.#format.slice(this.#position - 1))?.[0] ?? '';
    if (Number(digits) >= 2 ** 31) throw argumentError('width too big');
    this.#position += digits.length - 1;
    if (this.#format[this.#position] === '$') {
      if (this.#hasCurrent) throw argumentError(`value given twice - ${digits}$`);
      this.#position += 1;
      this.#setCurrent(this.#takeNumbered(Number(digits)));
      return true;
    }
    if (flags.width !== null) throw argumentError('width given twice');
    flags.width = Number(digits);
    return true;
  }

  #readPrecision(flags: Directive): void {
    if (flags.precision !== null) throw argumentError('precision given twice');
    if (this.#format[this.#position] === '*') {
      this.#position += 1;
      const precision = this.#implicitInt(this.#starArgument());
      flags.precision = precision < 0 ? null : precision;
      return;
    }
    const digits = /^\d*/.exec(this.#format.slice(this.#position))?.[0] ?? '';
    if (Number(digits) >= 2 ** 31) throw argumentError('precision too big');
    this.#position += digits.length;
    flags.precision = Number(digits);
  }

  #starArgument(): T {
    const numbered = /^(\d+)\$/.exec(this.#format.slice(this.#position));
    if (!numbered) return this.#takeFollowing();
    this.#position += numbered[0].length;
    return this.#takeNumbered(Number(numbered[1]));
  }

  #readNamed(open: string): void {
    const close = open === '<' ? '>' : '}';
    const end = this.#format.indexOf(close, this.#position);
    if (end < 0) throw argumentError('malformed name - unmatched parenthesis');
    const name = this.#format.slice(this.#position, end);
    const shown = `${open}${name}${close}`;
    if (this.#hasCurrent) throw argumentError(`named${shown} after <${name}>`);
    this.#position = end + 1;
    if (this.#taken > 0) throw argumentError(`named${shown} after unnumbered(${this.#taken})`);
    if (this.#taken === -1) throw argumentError(`named${shown} after numbered`);
    this.#taken = -2;
    const [hash] = this.#args;
    if (hash === undefined || this.#args.length !== 1) throw argumentError('one hash required');
    const value = this.#values.getEntry(hash, name);
    if (value === null) throw argumentError('one hash required');
    if (value === undefined) throw new SprintfError('KeyError', `key${shown} not found`);
    this.#setCurrent(value);
  }

  #setCurrent(value: T): void {
    this.#current = value;
    this.#hasCurrent = true;
  }

  #takeArgument(): T {
    return this.#hasCurrent ? (this.#current as T) : this.#takeFollowing();
  }

  #takeFollowing(): T {
    if (this.#taken === -1) throw argumentError(`unnumbered(1) mixed with numbered`);
    if (this.#taken === -2) throw argumentError(`unnumbered(1) mixed with named`);
    this.#taken += 1;
    return this.#take(this.#taken - 1);
  }

  #takeNumbered(index: number): T {
    if (this.#taken > 0) throw argumentError(`numbered(${index}) after unnumbered(${this.#taken})`);
    if (this.#taken === -2) throw argumentError(`numbered(${index}) after named`);
    if (index < 1) throw argumentError(`invalid index - ${index}$`);
    this.#taken = -1;
    return this.#take(index - 1);
  }

  #take(index: number): T {
    if (index >= this.#args.length) throw argumentError('too few arguments');
    return this.#args[index] as T;
  }

  #convert(flags: Directive): string {
    if (Math.max(flags.width ?? 0, flags.precision ?? 0) > LONGEST) {
      throw new SprintfError('NoMemoryError', 'failed to allocate memory');
    }
    checkTextLength(Math.max(flags.width ?? 0, flags.precision ?? 0));
    switch (flags.conversion) {
      case '%':
        if (isPlain(flags)) return '%';
        throw argumentError('invalid format character - %');
      case '\n':
      case '\0':
        if (isPlain(flags)) return `%${flags.conversion}`;
        throw argumentError(`malformed format string - %${flags.conversion}`);
      case 'c':
        return pad(this.#formatCharacter(this.#takeArgument()), flags);
      case 's':
        return pad(truncate(this.#values.toS(this.#takeArgument()), flags.precision), flags);
      case 'p':
        return pad(truncate(this.#values.inspect(this.#takeArgument()), flags.precision), flags);
      case 'd':
      case 'i':
      case 'u':
        return decimalText(this.#toInteger(this.#takeArgument()), flags);
      case 'o':
      case 'x':
      case 'X':
      case 'b':
      case 'B':
        return radixText(this.#toInteger(this.#takeArgument()), flags);
      case 'f':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        return floatText(this.#toNumber(this.#takeArgument()), flags);
      default:
        throw argumentError(`malformed format string - %${flags.conversion}`);
    }
  }

  #formatCharacter(value: T): string {
    if (typeof value === 'string') {
      const characters = [...value];
      if (characters.length !== 1) throw argumentError('%c requires a character');
      return value;
    }
    const code = this.#implicitInt(value);
    if (code < 0 || code > 0x10ffff) throw argumentError('invalid character');
    return String.fromCodePoint(code);
  }

  /** Converts to an integer in the range of C's `int`. */
  #implicitInt(value: T): number {
    if (typeof value === 'number' && Math.abs(value) >= 2 ** 63) {
      throw new SprintfError('RangeError', `float ${shortFloat(value)} out of range of integer`);
    }
    const int = this.#implicitInteger(value);
    if (int >= -(2n ** 31n) && int < 2n ** 31n) return Number(int);
    const size = int < 0n ? 'small' : 'big';
    throw new SprintfError('RangeError', `integer ${int} too ${size} to convert to \`int'`);
  }

  /** Converts to an integer where Ruby only accepts numbers. */
  #implicitInteger(value: T): bigint {
    if (typeof value === 'bigint' || typeof value === 'number') return this.#toInteger(value);
    const name = this.#values.className(value);
    const text = value === null ? 'from nil to integer' : `of ${name} into Integer`;
    throw new SprintfError('TypeError', `no implicit conversion ${text}`);
  }

  #toInteger(value: T): bigint {
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw new SprintfError('FloatDomainError', floatName(value));
      return BigInt(Math.trunc(value));
    }
    if (typeof value === 'string') {
      const parsed = parseRubyInteger(value);
      if (parsed === null) throw argumentError(`invalid value for Integer(): ${this.#values.inspect(value)}`);
      return parsed;
    }
    throw new SprintfError('TypeError', `can't convert ${this.#values.className(value)} into Integer`);
  }

  #toNumber(value: T): number | bigint {
    if (typeof value === 'bigint' || typeof value === 'number') return value;
    if (typeof value === 'string') {
      const parsed = parseRubyFloat(value);
      if (parsed === null)
        throw argumentError(`invalid value for Float(): ${bytesEscaped(this.#values.inspect(value))}`);
      return parsed;
    }
    throw new SprintfError('TypeError', `can't convert ${this.#values.className(value)} into Float`);
  }
}

function argumentError(message: string): SprintfError {
  return new SprintfError('ArgumentError', message);
}

function isPlain(flags: Directive): boolean {
  const { alternate, plus, minus, zero, space, width, precision } = flags;
  return !(alternate || plus || minus || zero || space) && width === null && precision === null;
}

/** Prints a number like C's `%-.10g`: at most ten digits. */
function shortFloat(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential(9).split('e');
  return `${mantissa.replace(/\.?0+$/, '')}e+${exponent.replace(/^\+/, '').padStart(2, '0')}`;
}

/**
 * Ruby drops the encoding of a text that `Float()` rejected: non-ASCII characters appear as escaped
 * bytes.
 */
function bytesEscaped(text: string): string {
  return text.replace(/[^\0-\x7f]+/gu, (part) =>
    [...new TextEncoder().encode(part)].map((byte) => `\\x${byte.toString(16).toUpperCase()}`).join(''),
  );
}
