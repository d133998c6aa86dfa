import { binaryParts } from './exact-decimal.ts';

/** Ruby tries it so only where no more digits are asked for. */
const MOST_DIGITS = 14;
/** Up to this power of ten the exponent is known for sure. */
const SURE_EXPONENT = 22;
const POWERS = [1e16, 1e32, 1e64, 1e128, 1e256];
const ULP = 2 ** -52;

/** How many digits are asked for: so many in all, or so many behind the point. */
export type WantedDigits = { readonly significant: number } | { readonly places: number };

/**
 * Whether Ruby, which works with floating point numbers first, takes what follows the digits for a
 * half, which it rounds to even: `'%.2f' % 2.675` is 2.68, though the number is a little less than
 * it shows. Ruby: `BSD__dtoa`, missing/dtoa.c
 */
export function isTakenForHalf(value: number, wanted: WantedDigits): boolean {
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(size)) return false;
  const { exponent, isSure } = estimateExponent(size);
  const [count, fewer] =
    'places' in wanted
      ? [wanted.places + exponent + 1, wanted.places + exponent]
      : [wanted.significant, wanted.significant];
  if (count <= 0 || count > MOST_DIGITS) return false;
  const { scaled, errors } = scaleToOneDigit(size, exponent);
  const isTooSmall = !isSure && scaled < 1;
  if (!isTooSmall) return restIsHalf(scaled, errors, count);
  return fewer > 0 && restIsHalf(scaled * 10, errors + 1, fewer);
}

/** Whether less than the possible error is between a half and what stands behind so many digits. */
function restIsHalf(scaled: number, errors: number, count: number): boolean {
  const error = (errors * scaled + 7) * ULP * 10 ** (count - 1);
  let rest = scaled - Math.trunc(scaled);
  for (let digit = 1; digit < count && rest !== 0; digit += 1) {
    rest *= 10;
    rest -= Math.trunc(rest);
  }
  return rest <= 0.5 + error && rest >= 0.5 - error;
}

/** The decimal exponent by the binary one; where it is not sure it may be one too much. */
function estimateExponent(size: number): { readonly exponent: number; readonly isSure: boolean } {
  const { mantissa, exponent: power } = binaryParts(size);
  const bits = mantissa.toString(2).length;
  const fraction = Number(mantissa) / 2 ** (bits - 1);
  const logarithm = (fraction - 1.5) * 0.289529654602168 + 0.1760912590558 + (power + bits - 1) * 0.301029995663981;
  const exponent = Math.floor(logarithm);
  if (exponent < 0 || exponent > SURE_EXPONENT) return { exponent, isSure: false };
  return { exponent: size < 10 ** exponent ? exponent - 1 : exponent, isSure: true };
}

/**
 * The number with its first digit before the point, and how many roundings that and what follows
 * may take.
 */
function scaleToOneDigit(size: number, exponent: number): { readonly scaled: number; readonly errors: number } {
  const power = Math.abs(exponent);
  let errors = 2;
  let high = power >> 4;
  let scaled = size;
  let divisor = 10 ** (power & 15);
  if (exponent < 0) {
    scaled *= divisor;
  } else if (high & 16) {
    high &= 15;
    scaled /= 1e256;
    errors += 1;
  }
  for (const factor of POWERS) {
    if (high & 1) {
      errors += 1;
      if (exponent < 0) scaled *= factor;
      else divisor *= factor;
    }
    high >>= 1;
  }
  return { scaled: exponent > 0 ? scaled / divisor : scaled, errors };
}
