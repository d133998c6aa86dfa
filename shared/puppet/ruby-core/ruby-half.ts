import { binaryParts } from './exact-decimal.ts';

/** Ruby uses its floating point shortcut only up to this number of digits. */
const MOST_DIGITS = 14;
/** Up to this power of ten the exponent is exact. */
const SURE_EXPONENT = 22;
const POWERS = [1e16, 1e32, 1e64, 1e128, 1e256];
const ULP = 2 ** -52;

/** The requested number of digits: significant ones, or decimals. */
type WantedDigits = { readonly significant: number } | { readonly places: number };

/**
 * Whether Ruby takes the remainder behind the digits for exactly one half and rounds it to even. It
 * first calculates with floating point numbers: `'%.2f' % 2.675` is 2.68, though the exact number
 * is slightly less than 2.675. Ruby: `BSD__dtoa`, missing/dtoa.c
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

/** Whether the remainder behind `count` digits is within the possible error of one half. */
function restIsHalf(scaled: number, errors: number, count: number): boolean {
  const error = (errors * scaled + 7) * ULP * 10 ** (count - 1);
  let rest = scaled - Math.trunc(scaled);
  for (let digit = 1; digit < count && rest !== 0; digit += 1) {
    rest *= 10;
    rest -= Math.trunc(rest);
  }
  return rest <= 0.5 + error && rest >= 0.5 - error;
}

/**
 * Estimates the decimal exponent from the binary one. An estimate that is not sure may be one too
 * high.
 */
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
 * Scales the number so that its first digit is before the point. `errors` bounds the number of
 * rounding errors of this and the following steps.
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
