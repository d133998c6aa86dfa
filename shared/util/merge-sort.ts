/**
 * A stable merge sort. It compares elements in the same order as Ruby's sort, which decides which
 * pair the error of a failing comparison names.
 */
export function mergeSort<T>(values: readonly T[], compare: (left: T, right: T) => number): T[] {
  if (values.length < 2) return [...values];
  const middle = Math.floor(values.length / 2);
  return merge(mergeSort(values.slice(0, middle), compare), mergeSort(values.slice(middle), compare), compare);
}

function merge<T>(left: readonly T[], right: readonly T[], compare: (left: T, right: T) => number): T[] {
  const merged: T[] = [];
  const rest = right.values();
  let next = rest.next();
  for (const [index, value] of left.entries()) {
    while (!next.done && compare(value, next.value) > 0) {
      merged.push(next.value);
      next = rest.next();
    }
    if (next.done) return merged.concat(left.slice(index));
    merged.push(value);
  }
  return next.done ? merged : [...merged, next.value, ...rest];
}
