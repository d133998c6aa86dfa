/** Prints a float as Ruby's `Float#to_s` does: `1.0`, `1.0e+20`, `1.0e-05`, `Infinity`, `NaN`. */
export function rubyFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [digits = '', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  const sign = value < 0 ? '-' : '';
  if (exponent >= -4 && exponent < 15) return sign + printPlain(digits.replace('.', ''), exponent);
  const mantissa = digits.includes('.') ? digits : `${digits}.0`;
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${power}`;
}

function printPlain(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const integer = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${integer}.${digits.slice(exponent + 1) || '0'}`;
}

/**
 * Ruby's `Integer(text)` and `String#to_i`/`to_f`. Digits may be grouped by single underscores.
 */
const LITERAL =
  /^\s*([+-]?)(?:(0[xX])([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|(0[bB])([01]+(?:_[01]+)*)|(0[dD])(\d+(?:_\d+)*)|(0[oO]?|0_)([0-7]+(?:_[0-7]+)*)|(\d+(?:_\d+)*))\s*$/;

/**
 * Ruby's `Integer(text)`, with the prefixes 0x, 0b, 0o, 0d and 0; null when the text is not an
 * integer.
 */
export function parseRubyInteger(text: string): bigint | null {
  const match = LITERAL.exec(text);
  if (!match || text.includes('\0')) return null;
  const [, sign, hexPrefix, hex, binaryPrefix, binary, , decimalPrefixed, , octal, decimal] = match;
  if (decimal !== undefined && /^0./.test(decimal)) return null;
  const magnitude = hexPrefix
    ? BigInt(`0x${clean(hex)}`)
    : binaryPrefix
      ? BigInt(`0b${clean(binary)}`)
      : octal !== undefined
        ? BigInt(`0o${clean(octal)}`)
        : BigInt(clean(decimalPrefixed ?? decimal));
  return sign === '-' ? -magnitude : magnitude;
}

/** Ruby's `String#to_i`: the decimal integer at the start of the text, or 0. */
export function toI(text: string): bigint {
  const match = /^\s*([+-]?\d+(?:_\d+)*)/.exec(text);
  return match ? BigInt(clean(match[1]).replace(/^\+/, '')) : 0n;
}

/** Ruby's `String#to_f`: the number at the start of the text, or 0. */
export function toF(text: string): number {
  const match = /^\s*([+-]?(?:\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?)/.exec(text);
  return match ? Number(clean(match[1])) : 0;
}

/** Ruby's `Float(text)`; null when the text is not a number. */
export function parseRubyFloat(text: string): number | null {
  if (/^\s*[+-]?0[xX]/.test(text)) return hexFloat(text.trim());
  const match = /^\s*([+-]?(?:\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?)\s*$/.exec(
    text,
  );
  return match ? Number(clean(match[1])) : null;
}

function hexFloat(text: string): number | null {
  const match = /^([+-]?)0[xX]([0-9a-fA-F]+)(?:\.([0-9a-fA-F]+))?(?:[pP]([+-]?\d+))?$/.exec(text);
  if (!match) return null;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const magnitude = Number.parseInt(whole + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length);
  return sign === '-' ? -magnitude : magnitude;
}

function clean(digits: string | undefined): string {
  return (digits ?? '').replaceAll('_', '');
}
