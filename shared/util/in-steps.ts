/**
 * Work that pauses: it yields after about a millisecond of computing, so that its caller may do
 * something else in between.
 */
export type WorkSteps<T> = Generator<undefined, T>;

/** Does all steps at once. */
export function runAtOnce<T>(steps: WorkSteps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does the steps one after another; the event loop handles what waits after each of them. */
export async function runInSteps<T>(steps: WorkSteps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
