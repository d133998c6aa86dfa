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

/**
 * As `inParallel`, but a fault of one item does not stop the others. Returns the results of those
 * that worked, in their order, and the first fault.
 */
export async function tryInParallel<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<{ readonly results: readonly R[]; readonly fault: Error | null }> {
  let fault: Error | null = null;
  const results = await inParallel(limit, items, async (item): Promise<readonly R[]> => {
    try {
      return [await work(item)];
    } catch (error) {
      fault ??= error instanceof Error ? error : new Error(String(error));
      return [];
    }
  });
  return { results: results.flat(), fault };
}
