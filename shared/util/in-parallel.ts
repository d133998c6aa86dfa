/**
 * Runs `work` over all items, at most `limit` at once. Results are in the order of the items. The
 * first error rejects the whole call.
 */
export async function inParallel<T, R>(limit: number, items: Iterable<T>, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items].entries();
  let failed = false;
  const lane = async () => {
    for (const [index, item] of queue) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  return results;
}
