/** Fuzzes one target in a thread of its own, so that a hang can be ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { runTarget } from './fuzz-target.ts';
import { findTarget } from './fuzz-targets.ts';

/** The `workerData` of this thread. */
export interface FuzzThreadData {
  readonly target: string;
  readonly seed: number;
  readonly inputs: number;
  readonly seconds: number;
  /** One integer: the number of the present input. */
  readonly progress: SharedArrayBuffer;
}

const { target: name, seed, inputs, seconds, progress }: FuzzThreadData = workerData;
const present = new Int32Array(progress);
const { target, close } = findTarget(name);
const until = performance.now() + 1000 * seconds;
const figures = await runTarget(target, {
  seed,
  inputs,
  until,
  onInput: (number) => Atomics.store(present, 0, number),
});
close();
parentPort?.postMessage(figures);
