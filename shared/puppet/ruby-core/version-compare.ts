import { compareStrings } from './ruby-string.ts';

/**
 * Compares package versions by their digits, dots and dashes. Follows lib/puppet/util/package.rb.
 */
export function compareVersions(left: string, right: string, ignoreTrailingZeroes = false): -1 | 0 | 1 {
  const first = ignoreTrailingZeroes ? withoutTrailingZeroes(left) : left;
  const second = ignoreTrailingZeroes ? withoutTrailingZeroes(right) : right;
  const firstParts = partsOf(first);
  const secondParts = partsOf(second);
  for (let index = 0; index < Math.min(firstParts.length, secondParts.length); index += 1) {
    const a = firstParts[index] ?? '';
    const b = secondParts[index] ?? '';
    if (a !== b) return compareParts(a, b);
  }
  return compareStrings(first, second);
}

function partsOf(version: string): readonly string[] {
  return version.match(/[-.]|\d+|[^-.\d]+/g) ?? [];
}

function compareParts(a: string, b: string): -1 | 0 | 1 {
  if (a === '-') return -1;
  if (b === '-') return 1;
  if (a === '.') return -1;
  if (b === '.') return 1;
  if (/^\d+$/.test(a) && /^\d+$/.test(b) && !a.startsWith('0') && !b.startsWith('0')) {
    const difference = BigInt(a) - BigInt(b);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  return compareStrings(a.toUpperCase(), b.toUpperCase());
}

function withoutTrailingZeroes(version: string): string {
  const [first = '', ...rest] = version.split('-');
  let end = first.length;
  while (/[.0]/.test(first.charAt(end - 1))) end -= 1;
  return [first.slice(0, end), ...rest].join('-');
}
