/**
 * Puppet: Patterns::NUMERIC. Groups: sign, number, hexadecimal, integer part, fraction and
 * exponent.
 */
const NUMERIC = /^[ \t]*([-+]?)[ \t]*((0[xX][0-9A-Fa-f]+)|(0?\d+)((?:\.\d+)?(?:[eE]-?\d+)?))[ \t]*$/;

/** Parses a string as a number; null when it is not one. Puppet: Utils.to_n. */
export function parseNumber(text: string): bigint | number | null {
  const match = NUMERIC.exec(text.startsWith('::') ? text.slice(2) : text);
  if (!match) return null;
  const [, sign, number = '', hex, whole = '', rest = ''] = match;
  const magnitude = rest !== '' ? parseFloatPart(number, whole, rest) : parseIntegerPart(hex ?? whole);
  if (magnitude === null) return null;
  return sign === '-' ? -magnitude : magnitude;
}

function parseFloatPart(number: string, whole: string, rest: string): number | null {
  // Puppet: `0e5` is not a number, lib/puppet/pops/utils.rb.
  if (/^0*$/.test(whole) && /^\.?0*[eE]/.test(rest)) return null;
  const value = Number(number);
  return value === Number.POSITIVE_INFINITY ? null : value;
}

function parseIntegerPart(text: string): bigint | null {
  if (/^0\d/.test(text)) return /^[0-7]+$/.test(text) ? BigInt(`0o${text.slice(1)}`) : null;
  return BigInt(text);
}
