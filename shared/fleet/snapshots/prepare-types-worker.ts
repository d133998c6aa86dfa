/** The thread of `prepare-types-thread.ts`: describes the resource types of a snapshot. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { createWasmRuby } from '../../puppet/ruby/wasm/wasm-host.ts';
import { prepareTypes, printPreparedTypes, readPreparedTypes } from './prepare-types.ts';

/** The thread's input. */
export interface PrepareTypesData {
  readonly snapshot: Snapshot;
  readonly codeId: string;
  /** By sha256: a local file with that content. */
  readonly sources: ReadonlyMap<string, string>;
  /** The previous snapshot's types blob. */
  readonly old: Uint8Array | null;
}

/** Time limit in milliseconds for the definition of one type. */
const TYPE_LIMIT_MS = 3_000;

function run({ snapshot, codeId, sources, old }: PrepareTypesData): void {
  const ruby = createWasmRuby({ timeLimitMs: TYPE_LIMIT_MS });
  const readFile = (sha256: string) => readFileSync(sources.get(sha256) ?? '');
  const types = prepareTypes(snapshot, codeId, readFile, ruby, readPreparedTypes(old));
  ruby.close();
  parentPort?.postMessage(printPreparedTypes(types));
}

run(workerData);
