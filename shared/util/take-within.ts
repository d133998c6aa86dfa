/** The first values whose JSON has at most `most` bytes together. */
export function takeWithin<T>(most: number, values: readonly T[]): readonly T[] {
  let size = 0;
  const end = values.findIndex((value) => {
    size += Buffer.byteLength(JSON.stringify(value));
    return size > most;
  });
  return end === -1 ? values : values.slice(0, end);
}
