/** Ruby's `Kernel#format` for one directive. */
import { PuppetError } from '../errors/puppet-error.ts';
import { rubyFloat } from '../util/ruby-float.ts';
import { characterCount } from './text.ts';

export interface Directive {
  /** Some of `-+ #0`. */
  readonly flags: string;
  readonly width: number | null;
  readonly precision: number | null;
  /** The letter: d x X o b B e E f g G a A s p c */
  readonly letter: string;
}

/** Pads `text` to the width with blanks. */
export function padText(text: string, { flags, width }: Pick<Directive, 'flags' | 'width'>): string {
  const missing = (width ?? 0) - characterCount(text);
  if (missing <= 0) return text;
  return flags.includes('-') ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
}

/** `%s` and its like: cut to the precision, padded to the width. */
export function formatText(text: string, directive: Omit<Directive, 'letter'>): string {
  const { precision } = directive;
  return padText(precision === null ? text : [...text].slice(0, precision).join(''), directive);
}

const RADIXES: Readonly<Record<string, number>> = { d: 10, x: 16, X: 16, o: 8, b: 2, B: 2 };
const PREFIXES: Readonly<Record<string, string>> = { x: '0x', X: '0X', o: '0', b: '0b', B: '0B' };

/** `%d`, `%x`, `%o`, `%b` and their capitals. */
export function formatInteger(value: bigint, directive: Directive): string {
  const { flags, letter, precision } = directive;
  const radix = RADIXES[letter] ?? 10;
  const signed = value >= 0n || radix === 10 || /[+ ]/.test(flags);
  const magnitude = value < 0n ? -value : value;
  let digits = signed ? magnitude.toString(radix) : complementDigits(value, radix);
  if (letter === 'X') digits = digits.toUpperCase();
  const sign = signed ? signOf(value < 0n, flags) : '';
  const prefix = flags.includes('#') && value !== 0n ? (PREFIXES[letter] ?? '') : '';
  const fill = signed ? '0' : digits.charAt(2);
  const body = signed ? digits : digits.slice(2);
  if (precision !== null) {
    const padded = body.padStart(precision, fill);
    return padText(`${sign}${prefix}${signed || padded.length > body.length ? padded : digits}`, directive);
  }
  return padZeros(sign, prefix, digits, fill, directive);
}

/** `..f01`: an endless row of the highest digit, then what differs. Puppet: Ruby's two's complement notation. */
function complementDigits(value: bigint, radix: number): string {
  const base = BigInt(radix);
  let size = 1;
  while (base ** BigInt(size) < -value * 2n && base ** BigInt(size) < -value) size += 1;
  const highest = (radix - 1).toString(radix);
  const digits = (base ** BigInt(size) + value).toString(radix).padStart(size, '0');
  const shortest = digits.replace(new RegExp(`^${highest}+`), '');
  return `..${highest}${shortest}`;
}

function signOf(negative: boolean, flags: string): string {
  if (negative) return '-';
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
}

function padZeros(sign: string, prefix: string, digits: string, fill: string, directive: Directive): string {
  const { flags, width } = directive;
  if (!flags.includes('0') || flags.includes('-') || width === null)
    return padText(`${sign}${prefix}${digits}`, directive);
  const room = width - sign.length - prefix.length;
  const bare = digits.startsWith('..') && digits.length < room ? digits.slice(2) : digits;
  return `${sign}${prefix}${bare.padStart(room, fill)}`;
}

/** `%e`, `%f`, `%g`, `%a` and their capitals. */
export function formatFloating(value: number, directive: Directive): string {
  const { flags, letter } = directive;
  if (!Number.isFinite(value)) {
    const text = Number.isNaN(value) ? 'NaN' : 'Inf';
    return padText(signOf(value < 0, flags) + text, directive);
  }
  const negative = value < 0 || Object.is(value, -0);
  const body = magnitudeText(Math.abs(value), directive);
  const shown = letter === letter.toUpperCase() ? body.toUpperCase() : body;
  const hex = /^0x/i.exec(shown)?.[0] ?? '';
  return padZeros(signOf(negative, flags), hex, shown.slice(hex.length), '0', directive);
}

function magnitudeText(value: number, { letter, precision, flags }: Directive): string {
  switch (letter.toLowerCase()) {
    case 'e':
      return exponential(value, precision ?? 6, flags.includes('#'));
    case 'f':
      return fixed(value, precision ?? 6, flags.includes('#'));
    case 'g':
      return general(value, precision ?? 6, flags.includes('#'));
    default:
      return hexadecimal(value, precision);
  }
}

function exponential(value: number, precision: number, keepPoint: boolean): string {
  const [mantissa = '', exponent = '0'] = value.toExponential(Math.min(precision, 100)).split('e');
  const size = Math.abs(Number(exponent)).toString().padStart(2, '0');
  const point = keepPoint && precision === 0 ? '.' : '';
  return `${mantissa}${point}e${Number(exponent) < 0 ? '-' : '+'}${size}`;
}

function fixed(value: number, precision: number, keepPoint: boolean): string {
  const point = keepPoint && precision === 0 ? '.' : '';
  if (value < 1e21) return value.toFixed(Math.min(precision, 100)) + point;
  const digits = BigInt(value).toString();
  return precision === 0 ? digits + point : `${digits}.${'0'.repeat(precision)}`;
}

function general(value: number, precision: number, keepZeros: boolean): string {
  const digits = precision === 0 ? 1 : precision;
  const exponent = value === 0 ? 0 : Number(value.toExponential(digits - 1).split('e')[1]);
  const useExponent = exponent < -4 || exponent >= digits;
  const text = useExponent ? exponential(value, digits - 1, keepZeros) : fixed(value, digits - 1 - exponent, keepZeros);
  if (keepZeros) return text;
  const [mantissa = '', power] = text.split('e');
  const stripped = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return power === undefined ? stripped : `${stripped}e${power}`;
}

function hexadecimal(value: number, precision: number | null): string {
  if (value === 0) return '0x0p+0';
  let exponent = Math.floor(Math.log2(value));
  let mantissa = value / 2 ** exponent;
  if (mantissa >= 2) {
    mantissa /= 2;
    exponent += 1;
  }
  let fraction = BigInt(Math.round((mantissa - 1) * 2 ** 52))
    .toString(16)
    .padStart(13, '0');
  if (precision !== null && precision < 13) {
    const cut = BigInt(16) ** BigInt(13 - precision);
    fraction = ((BigInt(`0x${fraction}`) + cut / 2n) / cut).toString(16).padStart(precision, '0');
  } else fraction = fraction.replace(/0+$/, '');
  return `0x1${fraction === '' ? '' : `.${fraction}`}p${exponent < 0 ? '' : '+'}${exponent}`;
}

const DIRECTIVE = /^%([ +#0-]*)(\d+)?(?:\.(\d+))?([a-zA-Z])$/;

/** Parses one directive; throws Ruby's error when there is anything else in it. */
export function parseDirective(text: string): Directive {
  const match = DIRECTIVE.exec(text);
  if (!match) {
    const odd = /[^% +#0-9.-]/.exec(text)?.[0] ?? '';
    throw new PuppetError(`malformed format string - %${odd}`);
  }
  const [, flags = '', width, precision, letter = ''] = match;
  return {
    flags,
    letter,
    width: width === undefined ? null : Number(width),
    precision: precision === undefined ? null : Number(precision),
  };
}

/** A number by any directive that takes one; `%s` and `%p` show it as Ruby prints it. */
export function formatNumber(value: bigint | number, directive: Directive): string {
  if (directive.letter in RADIXES) {
    return formatInteger(typeof value === 'bigint' ? value : BigInt(Math.trunc(value)), directive);
  }
  if (/^[eEfgGaA]$/.test(directive.letter)) return formatFloating(Number(value), directive);
  return formatText(typeof value === 'bigint' ? value.toString() : rubyFloat(value), directive);
}
