/** A float as Ruby's `Float#to_s` writes it: `1.0`, `1.0e+20`, `1.0e-05`. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= 16 || exponent < -4) {
    const digits = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
    const size = Math.abs(exponent).toString().padStart(2, '0');
    return `${digits}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  const plain = expand(mantissa, exponent);
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** Moves the decimal point of a mantissa with one digit before it. */
function expand(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

const INTEGER_DIGITS = /^(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9]\d*))$/;

/** The integer a text of digits with a prefix (0x, 0b, 0) stands for; null when it is none. */
export function parsePrefixedInteger(digits: string): bigint | null {
  const match = INTEGER_DIGITS.exec(digits);
  if (!match) return null;
  const [, hex, binary, octal, decimal] = match;
  if (hex !== undefined) return BigInt(`0x${hex}`);
  if (binary !== undefined) return BigInt(`0b${binary}`);
  if (octal !== undefined) return BigInt(`0o${octal}`);
  return BigInt(decimal ?? '0');
}
