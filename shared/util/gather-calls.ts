/** Calls in progress beyond which further ones are gathered. */
const MOST_IN_PROGRESS = 2;
/** Bounds one call of `load`. */
const MOST_KEYS = 500;

interface Waiting<Value> {
  resolve(value: Value | null): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that finds one value like `load` finds several. Calls that come at the same
 * time, and those that come while others are in progress, share a call of `load`, which begins
 * after them. A key without a value gives null; when `load` throws, all its calls throw.
 */
export function gatherCalls<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | null> {
  let waiting = new Map<Key, Waiting<Value>[]>();
  let inProgress = 0;
  let isPlanned = false;

  const start = async () => {
    const taken = [...waiting].slice(0, MOST_KEYS);
    waiting = new Map([...waiting].slice(MOST_KEYS));
    inProgress += 1;
    try {
      const found = await load(taken.map(([key]) => key));
      for (const [key, calls] of taken) for (const { resolve } of calls) resolve(found.get(key) ?? null);
    } catch (error) {
      for (const [, calls] of taken) for (const { reject } of calls) reject(error);
    } finally {
      inProgress -= 1;
      plan();
    }
  };
  const plan = () => {
    if (isPlanned || waiting.size === 0 || inProgress >= MOST_IN_PROGRESS) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      if (waiting.size > 0) void start();
    });
  };
  return (key) =>
    new Promise((resolve, reject) => {
      const calls = waiting.get(key) ?? [];
      waiting.set(key, [...calls, { resolve, reject }]);
      plan();
    });
}
