import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** Collects all garbage, after pending callbacks have let go of what they hold. */
export async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  gc();
}
