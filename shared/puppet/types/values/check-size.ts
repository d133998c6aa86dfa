import { checkElementCount, checkKeyCount, checkTextLength } from '../../errors/value-limits.ts';
import { PuppetHash } from './puppet-hash.ts';
import type { Value } from './values.ts';

/** Returns the value; throws ValueLimitError when it is larger than code may make it. */
export function checkSize<T extends Value>(value: T): T {
  if (typeof value === 'string') checkTextLength(value.length);
  else if (Array.isArray(value)) checkElementCount(value.length);
  else if (value instanceof PuppetHash) checkKeyCount(value.sizeForLimits);
  return value;
}

/**
 * Throws ValueLimitError when the text of the value, which has at least a character for each part,
 * is too long.
 */
export function checkPrintable(value: Value): void {
  if (!Array.isArray(value) && !(value instanceof PuppetHash)) return;
  const count = countNested(value, (part) =>
    Array.isArray(part) ? part : part instanceof PuppetHash ? [...part.values()] : null,
  );
  checkTextLength(count);
}

/**
 * Throws ValueLimitError when a list has too many elements at all depths. Inner lists count too:
 * flattening visits them.
 */
export function checkFlatSize(values: readonly Value[]): void {
  checkElementCount(countNested(values, (part) => (Array.isArray(part) ? part : null)));
}

/**
 * Counts the values that a value consists of. A part that occurs twice counts twice but is visited
 * once, since lists that hold each other twice have a billion parts at a depth of thirty.
 */
function countNested(
  value: Value,
  partsOf: (value: Value) => readonly Value[] | null,
  known = new Map<readonly Value[] | Value, number>(),
): number {
  const before = known.get(value);
  if (before !== undefined) return before;
  const parts = partsOf(value);
  if (parts === null) return 1;
  let count = 1;
  for (const part of parts) count += countNested(part, partsOf, known);
  known.set(value, count);
  return count;
}
