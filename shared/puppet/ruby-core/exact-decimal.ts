/**
 * Decimal digits of binary floating point numbers as C's printf prints them: computed from the
 * exact value, ties to even. (JavaScript's toFixed rounds ties up and is limited to 1e21.)
 */
interface Ratio {
  readonly negative: boolean;
  /** At least zero. */
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The exact value of a finite number. */
export function ratioOf(value: number | bigint): Ratio {
  if (typeof value === 'bigint') {
    return { negative: value < 0n, numerator: value < 0n ? -value : value, denominator: 1n };
  }
  const { mantissa, exponent, negative } = binaryParts(value);
  if (exponent >= 0) return { negative, numerator: mantissa << BigInt(exponent), denominator: 1n };
  return { negative, numerator: mantissa, denominator: 1n << BigInt(-exponent) };
}

/** value = (-1)^negative * mantissa * 2^exponent. */
export function binaryParts(value: number): { mantissa: bigint; exponent: number; negative: boolean } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const negative = bits >> 63n === 1n;
  if (biased === 0) return { mantissa: fraction, exponent: -1074, negative };
  return { mantissa: fraction | (1n << 52n), exponent: biased - 1075, negative };
}

/** No binary number has more decimal digits; all further digits are zeros. */
const MOST_DIGITS = 1100;

/**
 * Prints digits without sign, with `places` decimals: `3.50`. With `isHalf` the remainder counts as
 * exactly one half.
 */
export function printFixedDigits(ratio: Ratio, places: number, isHalf = false): string {
  if (places > MOST_DIGITS) return printFixedDigits(ratio, MOST_DIGITS) + '0'.repeat(places - MOST_DIGITS);
  const scaled = divideToEven(ratio.numerator * 10n ** BigInt(places), ratio.denominator, isHalf);
  const digits = scaled.toString().padStart(places + 1, '0');
  if (places === 0) return digits;
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/**
 * Digits in scientific notation without sign: `places + 1` significant digits without a point, and
 * the exponent of the first digit. `isHalf` as for `printFixedDigits`.
 */
export function scientificDigits(ratio: Ratio, places: number, isHalf = false): { digits: string; exponent: number } {
  if (ratio.numerator === 0n) return { digits: '0'.repeat(places + 1), exponent: 0 };
  if (places > MOST_DIGITS) {
    const { digits, exponent } = scientificDigits(ratio, MOST_DIGITS);
    return { digits: digits + '0'.repeat(places - MOST_DIGITS), exponent };
  }
  const exponent = decimalExponent(ratio);
  const digits = printScaledDigits(ratio, places - exponent, isHalf);
  // The carry turned 9.9 into 10.
  return digits.length > places + 1 ? { digits: digits.slice(0, -1), exponent: exponent + 1 } : { digits, exponent };
}

function printScaledDigits(ratio: Ratio, power: number, isHalf: boolean): string {
  const scale = 10n ** BigInt(Math.abs(power));
  return power >= 0
    ? divideToEven(ratio.numerator * scale, ratio.denominator, isHalf).toString()
    : divideToEven(ratio.numerator, ratio.denominator * scale, isHalf).toString();
}

/** The exponent e with 10^e <= ratio < 10^(e+1). */
function decimalExponent({ numerator, denominator }: Ratio): number {
  let guess = numerator.toString().length - denominator.toString().length;
  const tooBig =
    guess >= 0 ? numerator < denominator * 10n ** BigInt(guess) : numerator * 10n ** BigInt(-guess) < denominator;
  if (tooBig) guess -= 1;
  return guess;
}

function divideToEven(numerator: bigint, denominator: bigint, isHalf: boolean): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  if (!isHalf && twice < denominator) return quotient;
  if (!isHalf && twice > denominator) return quotient + 1n;
  return quotient % 2n === 0n ? quotient : quotient + 1n;
}
