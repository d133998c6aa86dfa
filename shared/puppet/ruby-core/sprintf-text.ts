/** Formats texts and numbers for Ruby's sprintf: widths, precisions, signs, prefixes. */
import { binaryParts, printFixedDigits, ratioOf, scientificDigits } from './exact-decimal.ts';
import { isTakenForHalf } from './ruby-half.ts';

/** One conversion of a format, such as `%-5.2f`. */
export interface Directive {
  alternate: boolean;
  plus: boolean;
  minus: boolean;
  zero: boolean;
  space: boolean;
  width: number | null;
  precision: number | null;
  conversion: string;
}

export function truncate(text: string, precision: number | null): string {
  return precision === null ? text : [...text].slice(0, precision).join('');
}

export function pad(text: string, flags: Directive): string {
  if (flags.width === null) return text;
  const missing = flags.width - [...text].length;
  if (missing <= 0) return text;
  return flags.minus ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
}

function sign(negative: boolean, flags: Directive): string {
  if (negative) return '-';
  if (flags.plus) return '+';
  return flags.space ? ' ' : '';
}

/** Joins sign, prefix and digits, with padding zeros before the digits. */
function assemble(prefix: string, digits: string, flags: Directive, zeroFill: boolean): string {
  const width = flags.width ?? 0;
  const missing = width - prefix.length - digits.length;
  if (zeroFill && !flags.minus && missing > 0) return prefix + '0'.repeat(missing) + digits;
  return pad(prefix + digits, flags);
}

/**
 * The digits of the magnitude, at least `precision` of them. With precision 0 the number 0 has no
 * digits.
 */
function digitsOf(value: bigint, base: number, flags: Directive): string {
  if (value === 0n && flags.precision === 0) return '';
  return (value < 0n ? -value : value).toString(base).padStart(flags.precision ?? 0, '0');
}

export function decimalText(value: bigint, flags: Directive): string {
  const digits = digitsOf(value, 10, flags);
  return assemble(sign(value < 0n, flags), digits, flags, flags.zero && flags.precision === null);
}

const BASES: Readonly<Record<string, { readonly base: number; readonly prefix: string }>> = {
  o: { base: 8, prefix: '0' },
  x: { base: 16, prefix: '0x' },
  X: { base: 16, prefix: '0X' },
  b: { base: 2, prefix: '0b' },
  B: { base: 2, prefix: '0B' },
};

/**
 * Ruby: without `+` or blank a negative number is printed as two's complement, with an endless run
 * of the highest digit: `..f01`.
 */
export function radixText(value: bigint, flags: Directive): string {
  const { base, prefix } = BASES[flags.conversion] ?? { base: 10, prefix: '' };
  const upper = flags.conversion === 'X';
  const inCase = (text: string) => (upper ? text.toUpperCase() : text);
  const twos = value < 0n && !flags.plus && !flags.space;
  const shownPrefix = flags.alternate && (value !== 0n || flags.conversion === 'o') ? prefix : '';
  if (!twos) {
    const digits = inCase(digitsOf(value, base, flags));
    const lead = flags.conversion === 'o' && flags.alternate && digits.startsWith('0') ? '' : shownPrefix;
    return assemble(sign(value < 0n, flags) + lead, digits, flags, flags.zero && flags.precision === null);
  }
  const highest = inCase((base - 1).toString(base));
  const digits = inCase(twosComplement(value, base));
  const lead = flags.conversion === 'o' ? '' : shownPrefix;
  if (flags.precision !== null) {
    return assemble(lead, `..${digits.padStart(flags.precision - 2, highest)}`, flags, false);
  }
  if (flags.zero && !flags.minus) {
    const room = (flags.width ?? 0) - lead.length - 2;
    return assemble(lead, `..${digits.padStart(room, highest)}`, flags, false);
  }
  return assemble(lead, `..${digits}`, flags, false);
}

/** The shortest two's complement that starts with the highest digit of the base. */
function twosComplement(value: bigint, base: number): string {
  const highest = (base - 1).toString(base);
  let length = (-value).toString(base).length;
  for (;;) {
    const digits = (BigInt(base) ** BigInt(length) + value).toString(base).padStart(length, '0');
    if (value >= -(BigInt(base) ** BigInt(length)) && digits.startsWith(highest)) {
      const shortened = digits.replace(new RegExp(`^(?:${highest})+`), highest);
      return shortened;
    }
    length += 1;
  }
}

export function floatName(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value < 0 ? '-Infinity' : 'Infinity';
}

/** Prints a number by `e`, `f`, `g` or `a`, with `Inf` and `NaN` as in Ruby. */
export function floatText(value: number | bigint, flags: Directive): string {
  const number = typeof value === 'bigint' && flags.conversion !== 'f' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isFinite(number)) {
    const name = Number.isNaN(number) ? 'NaN' : 'Inf';
    return pad(sign(number < 0, flags) + name, flags);
  }
  const ratio = ratioOf(number);
  const lead = sign(ratio.negative, flags);
  const kind = flags.conversion.toLowerCase();
  const body =
    kind === 'f'
      ? printFixed(number, flags.precision ?? 6, flags.alternate)
      : kind === 'e'
        ? printScientific(number, flags.precision ?? 6, flags.alternate)
        : kind === 'g'
          ? printGeneral(number, flags.precision ?? 6, flags.alternate)
          : printHexadecimal(Number(number), flags.precision, flags.alternate);
  const cased = flags.conversion === kind ? body : body.toUpperCase();
  if (kind === 'a') return assemble(lead + cased.slice(0, 2), cased.slice(2), flags, flags.zero);
  return assemble(lead, cased, flags, flags.zero);
}

function printFixed(value: number | bigint, places: number, alternate: boolean): string {
  const isHalf = typeof value === 'number' && isTakenForHalf(value, { places });
  const digits = printFixedDigits(ratioOf(value), places, isHalf);
  return alternate && places === 0 && typeof value === 'number' ? `${digits}.` : digits;
}

function printScientific(value: number | bigint, places: number, alternate: boolean): string {
  const { digits, exponent } = significantDigits(value, places);
  const mantissa = places === 0 ? digits + (alternate ? '.' : '') : `${digits[0]}.${digits.slice(1)}`;
  return mantissa + exponentText(exponent);
}

/** Up to this power of ten Ruby determines the digits of whole numbers by division. */
const MOST_COUNTED = 14;

interface SignificantDigits {
  readonly digits: string;
  readonly exponent: number;
  /** Ruby: a trailing 0 stays, even for `g`, when the remainder behind it counted as one half. */
  readonly keepsZero: boolean;
}

function significantDigits(value: number | bigint, places: number): SignificantDigits {
  const ratio = ratioOf(value);
  const size = Math.abs(Number(value));
  const exact = scientificDigits(ratio, places);
  if (!isTakenForHalf(size, { significant: places + 1 })) return { ...exact, keepsZero: false };
  const { digits, exponent } = scientificDigits(ratio, places, true);
  const isDown = Number(`${digits}e${exponent - places}`) < size;
  const isCountedOut = Number.isInteger(size) && exponent <= MOST_COUNTED;
  return { digits, exponent, keepsZero: isDown && digits.endsWith('0') && (isCountedOut || exact.digits > digits) };
}

function exponentText(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function printGeneral(value: number | bigint, precision: number, alternate: boolean): string {
  const significant = Math.max(precision, 1);
  const { exponent, keepsZero } = significantDigits(value, significant - 1);
  const text =
    exponent < -4 || exponent >= significant
      ? printScientific(value, significant - 1, alternate)
      : printFixed(value, significant - 1 - exponent, alternate);
  return alternate || keepsZero
    ? text
    : text.replace(
        /^([^e]*?\.?[^e]*?)(e.*)?$/,
        (_, mantissa: string, power = '') =>
          (mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa) + power,
      );
}

function printHexadecimal(value: number, precision: number | null, alternate: boolean): string {
  const point = (digits: string) => (digits === '' && !alternate ? '' : `.${digits}`);
  const { mantissa, exponent } = binaryParts(value);
  if (mantissa === 0n) return `0x0${point('0'.repeat(precision ?? 0))}p+0`;
  const size = mantissa.toString(2).length;
  const normal = mantissa << BigInt(FRACTION_BITS + 1 - size);
  const rounded = precision === null || precision >= FRACTION_DIGITS ? normal : roundToDigits(normal, precision);
  const carry = rounded >> BigInt(FRACTION_BITS + 1);
  const fraction = ((rounded >> carry) & ((1n << BigInt(FRACTION_BITS)) - 1n))
    .toString(16)
    .padStart(FRACTION_DIGITS, '0');
  const digits = precision === null ? fraction.replace(/0+$/, '') : fraction.slice(0, precision).padEnd(precision, '0');
  const power = exponent + size - 1 + Number(carry);
  return `0x1${point(digits)}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}

const FRACTION_BITS = 52;
const FRACTION_DIGITS = FRACTION_BITS / 4;

/** Rounds a mantissa of 53 bits to a number of hexadecimal digits, ties to even. */
function roundToDigits(mantissa: bigint, digits: number): bigint {
  const dropped = BigInt(4 * (FRACTION_DIGITS - digits));
  const half = 1n << (dropped - 1n);
  const kept = mantissa >> dropped;
  const rest = mantissa & ((1n << dropped) - 1n);
  const isUp = rest > half || (rest === half && (kept & 1n) === 1n);
  return (kept + (isUp ? 1n : 0n)) << dropped;
}
